"""Know which input a switch node lets through, as far as the graph fixes it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from .graph import Graph, Link, Node

_BY_TRUTH = {
    "ComfySwitchNode": ("switch", "on_true", "on_false"),
    "easy ifElse": ("boolean", "on_true", "on_false"),
    "ImpactConditionalBranch": ("cond", "tt_value", "ff_value"),
}
# A number chooses; the input's name ends with it.
_BY_NUMBER = ("select", "Input", "index", "input_index")
_NUMBERED = re.compile(r"\w*?[_ ]?0*(\d{1,3})$")

Value = Callable[[Any], Any]


def is_switch(node: Node) -> bool:
    """Whether the node hands on one of its inputs."""
    return node.type in _BY_TRUTH or "switch" in node.type.casefold()


def chosen_input(node: Node, value: Value) -> str | None:
    """Return the name of the input that passes, or None where only a run would tell; `value` resolves values."""
    if node.type in _BY_TRUTH:
        name, on_true, on_false = _BY_TRUTH[node.type]
        state = value(node.inputs.get(name))
        return (on_true if state else on_false) if isinstance(state, bool | int) else None
    number = next((value(node.inputs[name]) for name in _BY_NUMBER if name in node.inputs), None)
    if isinstance(number, int) and not isinstance(number, bool):
        return next((name for name in node.inputs if _ends_with(name, number)), None)
    if node.type.startswith("Any Switch"):
        return next((name for name in node.inputs if name.startswith("any_")), None)
    return None


def _ends_with(name: str, number: int) -> bool:
    match = _NUMBERED.fullmatch(name) if name not in _BY_NUMBER else None
    return match is not None and int(match[1]) == number


def open_links(graph: Graph, node: Node, value: Value) -> Iterator[tuple[str, Link]]:
    """Yield a node's links; of a switch whose choice is known, only the one that passes."""
    links = graph.links(node)
    chosen = chosen_input(node, value) if is_switch(node) else None
    if chosen is None:
        yield from links.items()
    elif chosen in links:
        yield chosen, links[chosen]
