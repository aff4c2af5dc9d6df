"""Hold the executed form of a ComfyUI graph (the ``prompt``): nodes by id, and links between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

MAX_NODES = 50_000
_LINK_LENGTH = 2


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """Hold one node: its id, class and inputs (values or links)."""

    id: str
    type: str
    inputs: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Link:
    """Point at one output of a node."""

    node: Node
    slot: int


class Graph:
    """Give nodes by id and resolve links; cycles are the walker's matter."""

    def __init__(self, nodes: dict[str, Node]) -> None:
        self.nodes = nodes
        self._links: dict[str, dict[str, Link]] = {}

    @classmethod
    def from_prompt(cls, data: Any) -> Graph | None:
        """Build from the API form; entries that are no nodes (``extra``, ``extraMetadata``) are passed over."""
        if not isinstance(data, dict) or len(data) > MAX_NODES:
            return None
        nodes = {str(key): node for key, value in data.items() if (node := _node(str(key), value))}
        return cls(nodes) if nodes else None

    def link(self, value: Any) -> Link | None:
        """Return the link that an input's value is, or None; a list of two that names no node is a value."""
        if type(value) is not list or len(value) != _LINK_LENGTH:
            return None
        target, slot = value
        if not isinstance(target, str | int) or isinstance(target, bool) or type(slot) is not int:
            return None
        node = self.nodes.get(str(target))
        return Link(node, slot) if node else None

    def input_link(self, node: Node, name: str) -> Link | None:
        """Return the link at a node's input, or None."""
        return self.links(node).get(name)

    def links(self, node: Node) -> dict[str, Link]:
        """Return the linked inputs of a node by name; found once, because several walks ask."""
        known = self._links.get(node.id)
        if known is None:
            pairs = ((name, value) for name, value in node.inputs.items() if type(value) is list)
            known = {name: link for name, value in pairs if (link := self.link(value))}
            self._links[node.id] = known
        return known


def _node(key: str, value: Any) -> Node | None:
    if not isinstance(value, dict):
        return None
    kind, inputs = value.get("class_type"), value.get("inputs")
    if not isinstance(kind, str) or not isinstance(inputs, dict):
        return None
    return Node(key, kind, inputs)
