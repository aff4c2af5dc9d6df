"""Hand every carrier to the parser that knows it, by what it holds; keys decide only where the content cannot."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import block
from ..carrier import Carrier, load_json
from ..draft import Draft
from ..merge import Candidate, Trust
from . import (
    a1111,
    civitai,
    drawthings,
    easy_diffusion,
    fooocus,
    invokeai,
    lora_manager,
    midjourney,
    novelai,
    sites,
    swarmui,
)
from .comfy.draft import read_graph
from .comfy.editor import is_editor_form, to_graph
from .comfy.graph import Graph
from .comfy.outputs import Origin

_ObjectReader = Callable[[dict[str, Any]], Draft | None]
_SetReader = Callable[[Mapping[str, Carrier]], tuple[Draft, str] | None]

# One JSON object says everything.
_OBJECTS: tuple[tuple[Trust, _ObjectReader], ...] = (
    (Trust.OWN, block.from_object),
    (Trust.CIVITAI, civitai.read_extra),
    (Trust.NATIVE, swarmui.read),
    (Trust.NATIVE, fooocus.read),
    (Trust.NATIVE, novelai.read),
    (Trust.NATIVE, invokeai.read),
    (Trust.NATIVE, sites.read_tensorart),
    (Trust.NATIVE, sites.read_stability_matrix),
    (Trust.NATIVE, easy_diffusion.read),
    (Trust.NATIVE, sites.read_space),
    (Trust.NATIVE, drawthings.read),
)
# Several texts together say it.
_SETS: tuple[_SetReader, ...] = (novelai.read_set, easy_diffusion.read_set)
_DESCRIPTIONS = frozenset({"Description", "ImageDescription", "Comment", "UserComment", "description"})


@dataclass(frozen=True, slots=True)
class Parsed:
    """Hold the candidates of one image, and the workflow that belongs to it (editor form, else ``{"prompt": …}``)."""

    candidates: tuple[Candidate, ...]
    workflow: dict[str, Any] | None


def parse(carriers: Sequence[Carrier], origin: Origin) -> Parsed:
    """Return what each carrier says."""
    found: list[Candidate] = []
    graphs = _Graphs(origin)
    for carrier in _unfolded(carriers):
        data = carrier.data
        if data is None:
            found.extend(_from_text(carrier))
        elif isinstance(data, dict):
            found.extend(_from_object(carrier.where, data))
            found.extend(graphs.take(carrier.where, data))
    by_key = {one.key: one for one in reversed(carriers)}
    found.extend(Candidate(draft, where, Trust.NATIVE) for read in _SETS for draft, where in _one(read(by_key)))
    found.extend(graphs.from_editor())
    return Parsed(tuple(found), graphs.workflow)


def _one(result: tuple[Draft, str] | None) -> tuple[tuple[Draft, str], ...]:
    return (result,) if result else ()


def _from_object(where: str, data: dict[str, Any]) -> Iterator[Candidate]:
    for trust, read in _OBJECTS:
        if (draft := read(data)) is not None:
            yield Candidate(draft, where, trust)
            return


def _from_text(carrier: Carrier) -> Iterator[Candidate]:
    text, kept = lora_manager.cut(carrier.text)
    if kept is not None:
        yield Candidate(kept, f"{carrier.where} (LoRA Manager)", Trust.CIVITAI)
    if draft := easy_diffusion.read_labels(text):
        yield Candidate(draft, carrier.where, Trust.NATIVE)
    elif draft := a1111.parse(text):
        yield Candidate(draft, carrier.where, Trust.PLACEHOLDER if a1111.is_placeholder(draft) else Trust.INFOTEXT)
    elif draft := invokeai.read_dream(text):
        yield Candidate(draft, carrier.where, Trust.INFOTEXT)
    elif carrier.key in _DESCRIPTIONS and (draft := midjourney.read(text)):
        yield Candidate(draft, carrier.where, Trust.NATIVE)


def _unfolded(carriers: Sequence[Carrier]) -> Iterator[Carrier]:
    """Yield carriers, and behind one that wraps ``{"prompt": …, "workflow": …}`` what it wraps.

    The inner graphs are objects, or (in video) JSON inside JSON.
    """
    for carrier in carriers:
        yield carrier
        data = carrier.data
        for key in ("prompt", "workflow") if isinstance(data, dict) else ():
            inner = data.get(key)
            value = load_json(inner) if isinstance(inner, str) else inner
            if isinstance(value, dict) and "class_type" not in value:
                yield _Wrapped(carrier.where, key, "", value)


@dataclass(frozen=True)
class _Wrapped(Carrier):
    value: Any = None

    @property
    def data(self) -> Any:
        return self.value


def _is_told(draft: Draft) -> bool:
    return any(value is not None for value in (draft.prompt, draft.seed, draft.sampler, draft.checkpoint))


class _Graphs:
    """Take the graphs of one image; the editor's form is read only where the executed one says nothing."""

    def __init__(self, origin: Origin) -> None:
        self._origin = origin
        self._executed: Draft | None = None
        self._prompt: dict[str, Any] | None = None
        self._editor: tuple[str, dict[str, Any]] | None = None

    @property
    def workflow(self) -> dict[str, Any] | None:
        if self._editor is not None:
            return self._editor[1]
        return {"prompt": self._prompt} if self._prompt is not None else None

    def take(self, where: str, data: dict[str, Any]) -> Iterator[Candidate]:
        if is_editor_form(data):
            self._editor = self._editor or (where, data)
        elif self._prompt is None and (graph := Graph.from_prompt(data)):
            self._prompt = data
            self._executed = read_graph(graph, self._origin)
            yield Candidate(self._executed, where, Trust.GRAPH)

    def from_editor(self) -> Iterator[Candidate]:
        if self._editor is None or (self._executed is not None and _is_told(self._executed)):
            return
        where, data = self._editor
        if graph := to_graph(data):
            yield Candidate(read_graph(graph, self._origin), where, Trust.EDITOR)
