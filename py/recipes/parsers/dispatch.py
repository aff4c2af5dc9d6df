"""Hand every carrier to the parser that knows it, by its key first and by its content second."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..carrier import Carrier
from ..merge import Candidate, Trust
from . import a1111
from .comfy.draft import read_graph
from .comfy.graph import Graph
from .comfy.outputs import Origin


@dataclass(frozen=True, slots=True)
class Parsed:
    """Hold the candidates of one image, and the workflow that belongs to it (editor form, else ``{"prompt": …}``)."""

    candidates: tuple[Candidate, ...]
    workflow: dict[str, Any] | None


def parse(carriers: Sequence[Carrier], origin: Origin) -> Parsed:
    """Return what each carrier says."""
    found: list[Candidate] = []
    editor: dict[str, Any] | None = None
    prompt: dict[str, Any] | None = None
    for carrier in _unfolded(carriers):
        if _is_editor(carrier.data):
            editor = editor or carrier.data
        elif graph := Graph.from_prompt(carrier.data):
            prompt = prompt or carrier.data
            found.append(Candidate(read_graph(graph, origin), carrier.where, Trust.GRAPH))
        elif draft := a1111.parse(carrier.text) if carrier.data is None else None:
            trust = Trust.PLACEHOLDER if a1111.is_placeholder(draft) else Trust.INFOTEXT
            found.append(Candidate(draft, carrier.where, trust))
    return Parsed(tuple(found), editor or ({"prompt": prompt} if prompt else None))


def _unfolded(carriers: Sequence[Carrier]) -> Iterator[Carrier]:
    """Yield carriers, those that wrap ``{"prompt": …, "workflow": …}`` as two."""
    for carrier in carriers:
        data = carrier.data
        inner = {key: data.get(key) for key in ("prompt", "workflow")} if isinstance(data, dict) else {}
        wrapped = {key: value for key, value in inner.items() if isinstance(value, dict)}
        if not wrapped or "class_type" in wrapped.get("prompt", {}):
            yield carrier
            continue
        for key, value in wrapped.items():
            yield _Wrapped(carrier.where, key, "", value)


@dataclass(frozen=True)
class _Wrapped(Carrier):
    value: Any = None

    @property
    def data(self) -> Any:
        return self.value


def _is_editor(data: Any) -> bool:
    return isinstance(data, dict) and isinstance(data.get("nodes"), list)
