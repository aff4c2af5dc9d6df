"""Turn the editor's form of a graph (the ``workflow``) into the executed form, where nothing else is left.

Nodes that only exist in the editor are resolved: Reroute, Get/Set, Primitive, Use Everywhere; muted nodes are dead
ends and bypassed ones let through what has the same type. Notes are never prompts.
"""

from __future__ import annotations

from typing import Any

from .flatten import Flat, Place, flatten
from .graph import Graph, Node
from .widgets import widget_inputs

_MUTED, _BYPASSED = 2, 4
_NOTES = frozenset(
    {"Note", "MarkdownNote", "Label (rgthree)", "Fast Groups Bypasser (rgthree)", "Fast Groups Muter (rgthree)"}
)
_REROUTES = frozenset({"Reroute", "Reroute (rgthree)", "ReroutePrimitive|pysssss"})
_VIRTUAL = _NOTES | _REROUTES | {"PrimitiveNode", "GetNode", "SetNode"}
_MAX_STEPS = 1000


def is_editor_form(data: Any) -> bool:
    """Whether the JSON is a workflow as the editor saves it."""
    return (
        isinstance(data, dict)
        and isinstance(data.get("nodes"), list)
        and (isinstance(data.get("links"), list) or "last_node_id" in data)
    )


def to_graph(data: dict[str, Any]) -> Graph | None:
    """Return the executed form, or None where no node would run."""
    wires = _Wires(flatten(data), data)
    nodes = {name: wires.node(name, raw) for name, raw in wires.flat.nodes.items() if _runs(raw)}
    return Graph(nodes) if nodes else None


def _runs(raw: dict[str, Any]) -> bool:
    return raw.get("mode") not in (_MUTED, _BYPASSED) and str(raw.get("type")) not in _VIRTUAL


class _Wires:
    """Follow wires of the flat form to the node that really feeds an input."""

    def __init__(self, flat: Flat, data: dict[str, Any]) -> None:
        self.flat = flat
        self._setters = {_first_value(raw): name for name, raw in flat.nodes.items() if raw.get("type") == "SetNode"}
        self._everywhere = dict(_everywhere_links(data))

    def node(self, name: str, raw: dict[str, Any]) -> Node:
        kind = str(raw.get("type"))
        entries = _entries(raw, "inputs")
        declared = [str(_widget_name(one)) for one in entries if _widget_name(one)]
        inputs = widget_inputs(kind, raw.get("widgets_values"), declared)
        inputs.update(self.flat.overrides.get(name, {}))
        for slot, entry in enumerate(entries):
            self._connect(inputs, (name, slot), str(entry.get("name", slot)))
        return Node(name, kind, inputs)

    def _connect(self, inputs: dict[str, Any], place: Place, input_name: str) -> None:
        source = self.flat.wires.get(place) or self._everywhere.get(place)
        if source is None:
            return
        found = self._feeding(source)
        if isinstance(found, _Literal):
            inputs[input_name] = found.value
        elif found is not None:
            inputs[input_name] = [found[0], found[1]]
        else:
            inputs[input_name] = None

    def _feeding(self, source: Place | None) -> Place | _Literal | None:
        """Return the running node's output, or the value of a primitive; None at a dead end."""
        for _ in range(_MAX_STEPS):
            if source is None:
                return None
            if source in self.flat.doors:
                source = self.flat.doors[source]
                continue
            if source in self.flat.entries and (outer := self._into(self.flat.entries[source])):
                source = outer
                continue
            if source in self.flat.literals:
                return _Literal(self.flat.literals[source])
            raw = self.flat.nodes.get(source[0])
            if raw is None or raw.get("mode") == _MUTED:
                return None
            if _runs(raw):
                return source
            if raw.get("type") == "PrimitiveNode":
                return _Literal(_first_value(raw))
            source = self._past(source, raw)
        return None

    def _into(self, place: Place) -> Place | None:
        return self.flat.wires.get(place) or self._everywhere.get(place)

    def _past(self, source: Place, raw: dict[str, Any]) -> Place | None:
        """Return what feeds a virtual or bypassed node."""
        name = source[0]
        if raw.get("type") == "GetNode":
            setter = self._setters.get(_first_value(raw))
            return self._into((setter, 0)) if setter else None
        if raw.get("mode") != _BYPASSED:
            return self._into((name, 0))
        outputs = _entries(raw, "outputs")
        wanted = (
            outputs[source[1]].get("type")
            if source[1] < len(outputs) and isinstance(outputs[source[1]], dict)
            else None
        )
        for slot, entry in enumerate(_entries(raw, "inputs")):
            if isinstance(entry, dict) and entry.get("type") == wanted and (found := self._into((name, slot))):
                return found
        return None


class _Literal:
    def __init__(self, value: Any) -> None:
        self.value = value


def _entries(raw: dict[str, Any], side: str) -> list[dict[str, Any]]:
    found = raw.get(side)
    return [one if isinstance(one, dict) else {} for one in found] if isinstance(found, list) else []


def _widget_name(entry: dict[str, Any]) -> str | None:
    widget = entry.get("widget")
    name = widget.get("name") if isinstance(widget, dict) else None
    return name if isinstance(name, str) else None


def _first_value(raw: dict[str, Any]) -> Any:
    values = raw.get("widgets_values")
    first = values[0] if isinstance(values, list) and values else None
    return first if isinstance(first, str | int | float | bool) else None


def _everywhere_links(data: dict[str, Any]) -> list[tuple[Place, Place]]:
    """Use Everywhere keeps the links that it will make in ``extra.ue_links``."""
    extra = data.get("extra")
    rows = extra.get("ue_links") if isinstance(extra, dict) else None
    found = []
    for row in rows if isinstance(rows, list) else ():
        if not isinstance(row, dict):
            continue
        to_slot, from_slot = row.get("downstream_slot"), row.get("upstream_slot")
        if isinstance(to_slot, int) and isinstance(from_slot, int):
            found.append(((str(row.get("downstream")), to_slot), (str(row.get("upstream")), from_slot)))
    return found
