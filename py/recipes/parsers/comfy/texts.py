"""Find the text or number that an input has, through the nodes that build or pass it on.

A value that only exists while the graph runs (a language model's answer, a random wildcard) is unknown: None.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from ...carrier import load_json
from .graph import Graph, Link, Node
from .switches import chosen_input, is_switch

_MAX_DEPTH = 60
_MAX_LENGTH = 1024 * 1024

# Where a node keeps the value that it hands out, in the order of trust. An executed wildcard has its outcome in
# `populated_text`; `ShowText` keeps what it showed in `text_0` or `text_1`.
_VALUE_INPUTS: dict[str, tuple[str, ...]] = {
    "ImpactWildcardProcessor": ("populated_text",),
    "ImpactWildcardEncode": ("populated_text",),
    "ShowText|pysssss": ("text_0", "text_1", "text_2", "text"),
    "ttN textDebug": ("text",),
    "PreviewAny": ("source",),
    "Power Prompt (rgthree)": ("prompt",),
    "Power Prompt - Simple (rgthree)": ("prompt",),
    "easy positive": ("positive",),
    "easy negative": ("negative",),
    "Prompt (LoraManager)": ("text",),
    "String Literal": ("string",),
    "Seed (rgthree)": ("seed",),
    "CR Seed": ("seed",),
    "easy seed": ("seed",),
}
_GENERIC_INPUTS = (
    "value", "text", "string", "prompt", "positive", "seed", "int", "float", "number", "Value", "Text", "String",
    "STRING", "INT", "FLOAT", "input", "any", "anything", "any_01", "source", "noise_seed", "populated_text",
    "text_positive", "sampler_name", "sampler", "scheduler", "steps", "cfg", "choice", "string_field", "val",
)  # fmt: skip
# Their answer is not in the graph, whatever their inputs say.
_RUNTIME = re.compile(
    r"llm|chatgpt|openai|ollama|gemini|florence|caption|tagger|wd14|interrogat|textgenerate|joytag|joycaption|"
    r"random(?!noise)|wildcard(?!encode|processor)|moondream|qwen.?vl|vision.?language|loadimage|readtext|loadtext",
    re.IGNORECASE,
)
_JOINED = re.compile(r"(?:string|text|prompt|part|input_string|input|str)_?([a-z]|\d{1,3})$", re.IGNORECASE)


class Texts:
    """Resolve values of one graph; answers are kept, so that a value used twice is found once."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._known: dict[tuple[str, int], Any] = {}

    def value(self, node: Node, *names: str) -> Any:
        """Return the value at the first of the inputs `names` that is there; None where it is unknown."""
        for name in names:
            if name in node.inputs:
                return self._resolve(node.inputs[name], 0)
        return None

    def text(self, node: Node, *names: str) -> str | None:
        """Return the same where it is a text."""
        found = self.value(node, *names)
        return found if isinstance(found, str) else None

    def of(self, value: Any) -> Any:
        """Return what a value or link comes to."""
        return self._resolve(value, 0)

    def _resolve(self, value: Any, depth: int) -> Any:
        link = self._graph.link(value)
        if link is None:
            return _plain(value)
        if depth > _MAX_DEPTH:
            return None
        return self._from_link(link, depth + 1)

    def _from_link(self, link: Link, depth: int) -> Any:
        key = (link.node.id, link.slot)
        if key in self._known:
            return self._known[key]
        self._known[key] = None  # a cycle comes to nothing
        found = self._from_node(link.node, link.slot, depth)
        if isinstance(found, str) and len(found) > _MAX_LENGTH:
            found = None
        self._known[key] = found
        return found

    def _from_node(self, node: Node, slot: int, depth: int) -> Any:
        if is_switch(node) and (name := chosen_input(node, lambda value: self._resolve(value, depth))):
            return self._resolve(node.inputs.get(name), depth)
        if node.type in _VALUE_INPUTS:
            return self._first(node, _VALUE_INPUTS[node.type], depth)
        for test, build in _BUILDERS:
            if test(node):
                return build(self, node, slot, depth)
        if _RUNTIME.search(node.type):
            return None
        return self._first(node, _GENERIC_INPUTS, depth)

    def _first(self, node: Node, names: tuple[str, ...], depth: int) -> Any:
        for name in names:
            if name in node.inputs:
                found = self._resolve(node.inputs[name], depth)
                if found is not None:
                    return found
        return None

    def _join(self, node: Node, _slot: int, depth: int) -> str | None:
        """Join numbered or lettered parts; one unknown part makes the whole unknown."""
        delimiter = self._resolve(node.inputs.get("delimiter", node.inputs.get("separator", "")), depth)
        delimiter = delimiter if isinstance(delimiter, str) else ""
        if node.type.startswith("CR ") and not delimiter:
            delimiter = ", "
        parts = []
        for name in _part_names(node):
            part = self._resolve(node.inputs[name], depth)
            if part is None:
                return None
            if str(part):
                parts.append(str(part))
        if sum(map(len, parts)) > _MAX_LENGTH:
            return None
        return delimiter.replace("\\n", "\n").join(parts)

    def _styler(self, node: Node, slot: int, depth: int) -> Any:
        """A style template is not in the graph, so only a text without one is known."""
        if self._resolve(node.inputs.get("style"), depth) not in (None, "base", "sai-base", "No Style", "none"):
            return None
        return self._resolve(node.inputs.get("text_negative" if slot == 1 else "text_positive"), depth)

    def _selected_model(self, node: Node, slot: int, _depth: int) -> Any:
        """CivitAI's selector: an AIR for each of its outputs."""
        listed = node.inputs.get("resources_json")
        listed = load_json(listed) if isinstance(listed, str) else listed
        by_slot = listed.get("bySlot") if isinstance(listed, dict) else None
        if isinstance(by_slot, list):
            by_slot = {str(index): one for index, one in enumerate(by_slot)}
        found = by_slot.get(str(slot)) if isinstance(by_slot, dict) else None
        if isinstance(found, dict):
            found = found.get("air")
        return found if isinstance(found, str) else _plain(node.inputs.get("air"))

    def _toggle(self, node: Node, _slot: int, depth: int) -> str | None:
        """Join the trigger words that are switched on."""
        words = node.inputs.get("toggle_trigger_words", node.inputs.get("groups"))
        if isinstance(words, dict):
            words = words.get("__value__")
        if not isinstance(words, list):
            return self._first(node, ("trigger_words", "text"), depth)  # type: ignore[no-any-return]
        named = [
            one for one in words if isinstance(one, dict) and one.get("active") and isinstance(one.get("text"), str)
        ]
        return ", ".join(one["text"] for one in named)


def _part_names(node: Node) -> Iterator[str]:
    named = [(match[1], name) for name in node.inputs if (match := _JOINED.fullmatch(name))]
    for _, name in sorted(named, key=lambda pair: (len(pair[0]), pair[0])):
        yield name


def _is_join(node: Node) -> bool:
    kind = node.type.casefold()
    return (
        any(word in kind for word in ("concat", "join", "combine", "merge")) and sum(1 for _ in _part_names(node)) > 1
    )


_Builder = Callable[[Texts, Node, int, int], Any]
_BUILDERS: tuple[tuple[Callable[[Node], bool], _Builder], ...] = (
    (lambda node: "text_positive" in node.inputs and "style" in node.inputs, Texts._styler),  # noqa: SLF001 - the table of this class
    (lambda node: node.type.startswith("TriggerWord Toggle"), Texts._toggle),  # noqa: SLF001
    (lambda node: "resources_json" in node.inputs, Texts._selected_model),  # noqa: SLF001
    (_is_join, Texts._join),  # noqa: SLF001
)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        inner = value.get("__value__", value.get("content", value.get("value")))
        return inner if isinstance(inner, str | int | float) else None
    return value if isinstance(value, str | int | float | bool) else None
