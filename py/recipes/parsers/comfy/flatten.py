"""Lay out the editor's form flat: subgraphs and group nodes are replaced by what is inside them.

An inner node's id is ``outer:inner``, as ComfyUI itself writes it into the executed form.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

_MAX_NODES = 20_000
_MAX_DEPTH = 12
_INPUT_NODE, _OUTPUT_NODE = "-10", "-20"
_PLAIN_LINK = 5
_WIDGET_TYPES = frozenset({"INT", "FLOAT", "STRING", "BOOLEAN", "COMBO"})

Place = tuple[str, int]


@dataclass(slots=True)
class Flat:
    """Hold nodes by id, wires from (node, input place) to (node, output place), and doors between levels."""

    nodes: dict[str, dict[str, Any]] = field(default_factory=dict)
    wires: dict[Place, Place] = field(default_factory=dict)
    # An outer node's output is an inner node's output; an inner input is the outer node's input.
    doors: dict[Place, Place] = field(default_factory=dict)
    entries: dict[Place, Place] = field(default_factory=dict)
    # An inner input that is a value on the outer node.
    literals: dict[Place, Any] = field(default_factory=dict)
    # Values set on the outside of a subgraph, by inner node and widget.
    overrides: dict[str, dict[str, Any]] = field(default_factory=dict)


def flatten(data: dict[str, Any]) -> Flat:
    """Return the flat form; what is malformed is left out."""
    flat = Flat()
    bodies = _subgraphs(data)
    groups = _groups(data)
    queue: list[tuple[str, list[Any], list[Any], int]] = [("", _list(data.get("nodes")), _list(data.get("links")), 0)]
    budget = 3 * _MAX_NODES
    while queue and budget > 0:
        prefix, nodes, links, depth = queue.pop()
        # Definitions inside definitions could multiply without end.
        budget -= 1 + len(nodes) + len(links)
        _wire(flat, prefix, links)
        for node in _nodes(nodes):
            name = prefix + str(node["id"])
            kind = str(node.get("type"))
            if depth < _MAX_DEPTH and kind in bodies:
                body = bodies[kind]
                _promote(flat, name, node)
                _enter(flat, name, node, _list(body.get("inputs")))
                queue.append((f"{name}:", _list(body.get("nodes")), _list(body.get("links")), depth + 1))
            elif depth < _MAX_DEPTH and (group := groups.get(_group_name(kind))):
                queue.append((f"{name}:", *_group_body(flat, name, node, group), depth + 1))
            else:
                flat.nodes[name] = node
    return flat


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _nodes(nodes: list[Any]) -> Iterator[dict[str, Any]]:
    for node in nodes[:_MAX_NODES]:
        if isinstance(node, dict) and isinstance(node.get("id"), str | int):
            yield node


def _subgraphs(data: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The definitions are a list, or an object by id."""
    definitions = data.get("definitions")
    found = definitions.get("subgraphs") if isinstance(definitions, dict) else None
    rows = list(found.values()) if isinstance(found, dict) else _list(found)
    return {str(one.get("id")): one for one in rows if isinstance(one, dict)}


def _groups(data: dict[str, Any]) -> dict[str, dict[str, Any]]:
    extra = data.get("extra")
    found = extra.get("groupNodes") if isinstance(extra, dict) else None
    return {str(name): one for name, one in found.items() if isinstance(one, dict)} if isinstance(found, dict) else {}


def _group_name(kind: str) -> str:
    return kind[len("workflow>") :] if kind.startswith(("workflow>", "workflow/")) else "\0"


def _wire(flat: Flat, prefix: str, links: list[Any]) -> None:
    for link in links[: 4 * _MAX_NODES]:
        ends = _ends(link)
        if ends is None:
            continue
        source, source_slot, target, target_slot = ends
        from_place = (prefix + source, source_slot)
        if target == _OUTPUT_NODE and prefix:
            flat.doors[prefix[:-1], target_slot] = from_place
        else:
            flat.wires[prefix + target, target_slot] = from_place


def _ends(link: Any) -> tuple[str, int, str, int] | None:
    if isinstance(link, dict):
        ends = [link.get(key) for key in ("origin_id", "origin_slot", "target_id", "target_slot")]
    elif isinstance(link, list) and len(link) >= _PLAIN_LINK:
        ends = link[1:5]
    else:
        return None
    source, source_slot, target, target_slot = ends
    if not isinstance(source_slot, int) or not isinstance(target_slot, int):
        return None
    return str(source), source_slot, str(target), target_slot


def _enter(flat: Flat, name: str, node: dict[str, Any], declared: list[Any]) -> None:
    """Join the declared inputs of a subgraph with the outer node's, by name; values fill those that are widgets."""
    outer = {one.get("name"): slot for slot, one in enumerate(_list(node.get("inputs"))) if isinstance(one, dict)}
    rows = [one if isinstance(one, dict) else {} for one in declared]
    values = _list(node.get("widgets_values"))
    widgets = [slot for slot, one in enumerate(rows) if one.get("type") in _WIDGET_TYPES]
    for slot, one in enumerate(rows):
        if one.get("name") in outer:
            flat.entries[f"{name}:{_INPUT_NODE}", slot] = (name, outer[one.get("name")])
    if len(widgets) == len(values):
        for slot, value in zip(widgets, values, strict=True):
            flat.literals[f"{name}:{_INPUT_NODE}", slot] = value


def _promote(flat: Flat, name: str, node: dict[str, Any]) -> None:
    """Values that were set on the outside of a subgraph override those inside."""
    properties = node.get("properties")
    proxies = _list(properties.get("proxyWidgets")) if isinstance(properties, dict) else []
    values = _list(node.get("widgets_values"))
    if len(proxies) != len(values):
        return
    for proxy, value in zip(proxies, values, strict=True):
        if isinstance(proxy, list) and len(proxy) == 2 and value is not None:  # noqa: PLR2004 - node and widget
            flat.overrides.setdefault(f"{name}:{proxy[0]}", {})[str(proxy[1])] = value


def _group_body(flat: Flat, name: str, node: dict[str, Any], group: dict[str, Any]) -> tuple[list[Any], list[Any]]:
    """Give a group's inner nodes their places as ids, their values from outside, and their doors."""
    inner = [dict(one) for one in _list(group.get("nodes")) if isinstance(one, dict)]
    links = [one for one in _list(group.get("links")) if isinstance(one, list) and len(one) >= _PLAIN_LINK - 1]
    for index, one in enumerate(inner):
        one["id"] = index
    _hand_values_in(inner, _list(node.get("widgets_values")))
    plain = [[0, *one[:4]] for one in links]
    wired_in = {(one[3], one[4]) for one in plain}
    _open_inputs(flat, name, inner, wired_in)
    _open_outputs(flat, name, inner, links, _list(group.get("external")))
    return inner, plain


def _hand_values_in(inner: list[dict[str, Any]], values: list[Any]) -> None:
    at = 0
    for one in inner:
        own = one.get("widgets_values")
        if isinstance(own, list) and at + len(own) <= len(values):
            one["widgets_values"] = values[at : at + len(own)]
            at += len(own)


def _open_inputs(flat: Flat, name: str, inner: list[dict[str, Any]], wired: set[tuple[int, int]]) -> None:
    outer = 0
    for index, one in enumerate(inner):
        for slot, entry in enumerate(_list(one.get("inputs"))):
            if (index, slot) in wired or (isinstance(entry, dict) and entry.get("widget")):
                continue
            place = (f"{name}:{_INPUT_NODE}", outer)
            flat.wires[f"{name}:{index}", slot] = place
            flat.entries[place] = (name, outer)
            outer += 1


def _open_outputs(flat: Flat, name: str, inner: list[dict[str, Any]], links: list[Any], external: list[Any]) -> None:
    used = {(one[0], one[1]) for one in links}
    shown = {(one[0], one[1]) for one in external if isinstance(one, list) and len(one) > 1}
    outer = 0
    for index, one in enumerate(inner):
        for slot, _ in enumerate(_list(one.get("outputs"))):
            if (index, slot) in used and (index, slot) not in shown:
                continue
            flat.doors[name, outer] = (f"{name}:{index}", slot)
            outer += 1
