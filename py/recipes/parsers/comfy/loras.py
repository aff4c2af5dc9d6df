"""Read LoRA nodes: a rule for each known shape, and a general one for the rest."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from ... import uses
from ...draft import LoraUse
from ...values import to_float, to_int, to_name
from ..tags import loras_of
from .graph import Graph, Node
from .texts import Texts

_MAX_VISITS = 50_000
_STACKS = re.compile(r"^(lora_stack\w*|optional_lora_stack|loras?|prev_lora|lora_\w+|stack\w*)$", re.IGNORECASE)
_MODEL_FILE = re.compile(r"\.(safetensors|pt|ckpt|sft)$", re.IGNORECASE)
_SWITCHED_OFF = frozenset({"off", "none", "disabled", "false"})
# They choose at run time; what is in the graph is the pool, not the choice.
_RUNTIME = re.compile(r"lora\s*(cycler|randomizer|random|pool)", re.IGNORECASE)
_TAGGED = re.compile(r"tag|text loader|lazylora|wildcardencode|power prompt|smz", re.IGNORECASE)


class Loras:
    """Collect the LoRAs on a model's way."""

    def __init__(self, graph: Graph, texts: Texts) -> None:
        self._graph = graph
        self._texts = texts
        self.notes: list[str] = []

    def on_path(self, path: list[Node]) -> tuple[LoraUse, ...]:
        """Return the LoRAs of the nodes that the model passes and of the stacks that feed them, first applied first."""
        found: list[LoraUse] = []
        seen: set[str] = set()
        for node in reversed(path):
            for stack in reversed(self._with_stacks(node, seen)):
                found.extend(self.of_node(stack))
        once = uses.gather(found)
        if len(once) < len(found):
            self._say("The graph applies a LoRA more than once; its first strengths are listed.")
        return once

    def _with_stacks(self, node: Node, seen: set[str]) -> list[Node]:
        """Return the node and the stacks behind it that were not seen before, nearest first."""
        if node.id in seen:
            return []
        seen.add(node.id)
        queue = deque([node])
        nodes = []
        while queue and len(seen) < _MAX_VISITS:
            current = queue.popleft()
            nodes.append(current)
            for name, link in self._graph.links(current).items():
                if _STACKS.match(name) and link.node.id not in seen:
                    seen.add(link.node.id)
                    queue.append(link.node)
        return nodes

    def of_node(self, node: Node) -> Iterator[LoraUse]:
        """Yield the LoRAs that one node applies or hands on; those with no strength at all are not used."""
        if _RUNTIME.search(node.type):
            self._say("A node chose a LoRA at run time; the image does not say which.")
            return
        for use in self._named(node):
            if use is not None and not (use.strength_model == 0 and use.strength_clip in (0, None)):
                yield use

    def _say(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)

    def _named(self, node: Node) -> Iterator[LoraUse | None]:
        for test, read in _SHAPES:
            if test(node):
                yield from read(self, node)
                return

    def _objects(self, node: Node) -> Iterator[LoraUse | None]:
        """Power Lora Loader: each ``lora_N`` is ``{on, lora, strength, strengthTwo}``."""
        for value in node.inputs.values():
            if isinstance(value, dict) and "lora" in value and value.get("on", True):
                model = value.get("strength", value.get("strength_model"))
                clip = value.get("strengthTwo")
                yield uses.lora(value.get("lora"), model=model, clip=model if clip is None else clip)

    def _listed(self, node: Node) -> Iterator[LoraUse | None]:
        """LoRA Manager: ``loras`` is a list of rows, maybe wrapped once or twice."""
        for row in _rows(node.inputs.get("loras")):
            if row.get("active", True) and not row.get("_isDummy"):
                model = to_float(row.get("strength", row.get("model_strength")))
                clip = to_float(row.get("clipStrength", row.get("clip_strength")))
                yield uses.lora(row.get("name"), model=model, clip=model if clip is None else clip)

    def _numbered(self, node: Node) -> Iterator[LoraUse | None]:
        """Stacks with numbered fields, each program with its own spelling."""
        if str(node.inputs.get("toggle", "on")).casefold() in _SWITCHED_OFF:
            return
        count = to_int(self._texts.value(node, "lora_count", "num_loras"))
        advanced = str(node.inputs.get("input_mode", node.inputs.get("mode", ""))).casefold() == "advanced"
        for name in node.inputs:
            match = _NUMBERED.fullmatch(name)
            index = match and (match[1] or match[2])
            if match is None or index is None or (count is not None and int(index) > count):
                continue
            if str(node.inputs.get(f"switch_{index}", "on")).casefold() not in _SWITCHED_OFF:
                yield self._one_of_stack(node, name, index, advanced=advanced)

    def _one_of_stack(self, node: Node, name: str, index: str, *, advanced: bool) -> LoraUse | None:
        single = self._first(node, index, _WEIGHT)
        model, clip = self._first(node, index, _MODEL_WEIGHT), self._first(node, index, _CLIP_WEIGHT)
        if single is not None and not advanced:
            model = clip = single
        return uses.lora(self._texts.value(node, name), model=model, clip=model if clip is None else clip)

    def _first(self, node: Node, index: str, patterns: tuple[str, ...]) -> float | None:
        names = (pattern.format(index) for pattern in patterns)
        return next((to_float(self._texts.value(node, name)) for name in names if name in node.inputs), None)

    def _tagged(self, node: Node) -> Iterator[LoraUse | None]:
        for name in ("lora_syntax", "populated_text", "text", "prompt", "tags", "lora_tags"):
            if text := self._texts.text(node, name):
                yield from loras_of(text)[0]
                break

    def _single(self, node: Node) -> Iterator[LoraUse | None]:
        """LoraLoader and its kin; a loader for the model alone has no clip strength."""
        inputs = node.inputs
        field = next((name for name in _NAME_FIELDS if name in inputs), None) or self._file_field(node)
        if field is None:
            yield from self._tagged(node)
            return
        name = to_name(self._texts.value(node, field))
        model = self._texts.value(node, *_MODEL_FIELDS)
        clip = self._texts.value(node, *_CLIP_FIELDS)
        if clip is None and not any(one in inputs for one in _CLIP_FIELDS) and "clip" in inputs:
            clip = model
        yield uses.lora(name, model=model, clip=clip)

    def _file_field(self, node: Node) -> str | None:
        """Any node of a LoRA class with a value that is a model file."""
        for name in node.inputs:
            found = self._texts.value(node, name)
            if isinstance(found, str) and _MODEL_FILE.search(found):
                return name
        return None


_NUMBERED = re.compile(r"lora_?(?:name_?)?(\d{1,3})(?:_name)?|lora_name_(\d{1,3})", re.IGNORECASE)
_WEIGHT = ("lora_wt_{}", "strength_{}", "lora_{}_strength", "lora_weight_{}", "weight_{}")
_MODEL_WEIGHT = ("model_str_{}", "model_weight_{}", "lora_{}_model_strength", "strength_model_{}", "model_strength_{}")
_CLIP_WEIGHT = ("clip_str_{}", "clip_weight_{}", "lora_{}_clip_strength", "strength_clip_{}", "clip_strength_{}")
_NAME_FIELDS = ("lora_name", "lora", "lora_path", "lora_air", "lora_file")
_MODEL_FIELDS = ("strength_model", "lora_model_strength", "strength", "lora_strength", "weight", "lora_weight")
_CLIP_FIELDS = ("strength_clip", "lora_clip_strength", "clip_strength")

_Shape = tuple[Callable[[Node], Any], Callable[[Loras, Node], Iterator[LoraUse | None]]]


def _has_objects(node: Node) -> bool:
    return any(isinstance(value, dict) and "lora" in value for value in node.inputs.values())


def _has_numbered(node: Node) -> bool:
    return any(_NUMBERED.fullmatch(name) for name in node.inputs)


def _is_single(node: Node) -> bool:
    return any(name in node.inputs for name in _NAME_FIELDS) or "lora" in node.type.casefold()


_SHAPES: tuple[_Shape, ...] = (
    (_has_objects, Loras._objects),  # noqa: SLF001 - the table of this class
    (lambda node: _rows(node.inputs.get("loras")), Loras._listed),  # noqa: SLF001
    (_has_numbered, Loras._numbered),  # noqa: SLF001
    (lambda node: _TAGGED.search(node.type), Loras._tagged),  # noqa: SLF001
    (_is_single, Loras._single),  # noqa: SLF001
)


def _rows(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, dict):
        value = value.get("__value__")
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], list):
        value = value[0]
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []
