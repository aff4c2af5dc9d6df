"""Put together the draft of one ComfyUI graph, for the output that made this image."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ... import uses
from ...draft import Draft, ModelUse, OtherUse
from ...values import to_float, to_int, to_seed
from .conditioning import Conditioning
from .embeddings import embeddings_in
from .graph import Graph, Node
from .loras import Loras
from .models import Models
from .outputs import Origin, by_file_name, output_nodes
from .sampling import Sampling, generator_node, is_sampler, sampler_chain, upstream_pictures
from .texts import Texts

_DISPUTED = ("prompt", "negative_prompt", "seed", "steps", "cfg_scale", "guidance", "sampler", "scheduler", "width",
             "height", "denoise", "checkpoint", "loras")  # fmt: skip
_MOST_OUTPUTS = 16
_MOST_STAGES = 8


@dataclass(frozen=True, slots=True)
class _Candidate:
    output: Node
    sampler: Node
    draft: Draft


def read_graph(graph: Graph, origin: Origin) -> Draft:
    """Return what the graph says about the image; where outputs disagree and nothing decides, that is unknown."""
    reader = _Reader(graph)
    outputs = output_nodes(graph)
    candidates = reader.candidates(outputs[:_MOST_OUTPUTS])
    if not candidates:
        return reader.without_output()
    named = by_file_name([one.output for one in candidates], origin)
    chosen = [one for one in candidates if one.output in named] or candidates
    sized = [one for one in chosen if (one.draft.width, one.draft.height) == (origin.width, origin.height)]
    return _agreed(sized or chosen, origin)


def _agreed(candidates: list[_Candidate], origin: Origin) -> Draft:
    first = candidates[0].draft
    if len({one.sampler.id for one in candidates}) == 1:
        return _by_stage(candidates, origin)
    rest = [one.draft for one in candidates[1:]]
    disputed = [name for name in _DISPUTED if any(getattr(first, name) != getattr(one, name) for one in rest)]
    if not disputed:
        return first
    note = f"The graph has {len(candidates)} outputs that differ, and nothing says which one this image is."
    empty: dict[str, Any] = {name: getattr(Draft(), name) for name in disputed}
    return replace(first, notes=(*first.notes, note), **empty)


def _by_stage(candidates: list[_Candidate], origin: Origin) -> Draft:
    """Outputs of one chain differ in their hires pass; the size in pixels tells before from behind it."""
    first = candidates[0].draft
    before = (first.width, first.height) == (origin.width, origin.height)
    return next((one.draft for one in candidates if bool(one.draft.hires) != before), first)


class _Reader:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._texts = Texts(graph)
        self._sampling = Sampling(graph, self._texts)
        self._conditioning = Conditioning(graph, self._texts)
        self._models = Models(graph, self._texts)
        self._firsts: dict[str, Draft] = {}

    def candidates(self, outputs: list[Node]) -> list[_Candidate]:
        """Return a draft for each output behind which a sampler is; drafts of one sampler are shared."""
        known: dict[tuple[str, ...], Draft] = {}
        found = []
        for output in outputs:
            chain = sampler_chain(self._graph, output, self._texts.of)
            maker = chain[0] if chain else generator_node(self._graph, output, self._texts.of)
            if maker is None:
                continue
            key = tuple(one.id for one in chain) or (maker.id,)
            if key not in known:
                known[key] = self.draft(chain, output) if chain else self.served(maker)
            found.append(_Candidate(output, maker, known[key]))
        return found

    def without_output(self) -> Draft:
        """Without an output (a cut graph), the only sampler of the graph is the one; of several, none."""
        samplers = [node for node in self._graph.nodes.values() if is_sampler(node)]
        if len(samplers) == 1:
            return self.draft(samplers, None)
        notes = ("The graph has several samplers and no output that leads to one.",) if samplers else ()
        return Draft(generator="ComfyUI", has_workflow=True, notes=notes)

    def draft(self, chain: list[Node], output: Node | None) -> Draft:
        """Return the draft of a chain of samplers: the first made the picture, the others worked on it."""
        first = self._first(chain[0])
        helpers = self._models.attached(output) if output else ()
        return replace(
            first,
            hires=self._hires(chain[1:]),
            vae=self._models.vae(self._decoder(output)),
            other_models=uses.gather([*first.other_models, *self._refiners(chain, first.checkpoint), *helpers]),
        )

    def _first(self, sampler: Node) -> Draft:
        """Return what the first sampler says; several outputs may share it."""
        if sampler.id not in self._firsts:
            self._firsts[sampler.id] = self._read_first(sampler)
        return self._firsts[sampler.id]

    def _read_first(self, sampler: Node) -> Draft:
        settings = self._sampling.settings(sampler)
        path = self._models.path(sampler)
        clips = self._models.clip_chain(sampler)
        checkpoint, merged = self._models.base(path)
        loras = Loras(self._graph, self._texts)
        width, height = self._sampling.size(sampler)
        positive, negative = self._prompts(sampler)
        return Draft(
            generator="ComfyUI",
            prompt=positive,
            negative_prompt=negative,
            seed=settings.seed,
            steps=settings.steps,
            cfg_scale=settings.cfg,
            guidance=settings.guidance,
            sampler=settings.sampler,
            scheduler=settings.scheduler,
            width=width,
            height=height,
            clip_skip=self._models.clip_skip(clips),
            denoise=settings.denoise,
            checkpoint=checkpoint,
            loras=loras.on_path(_distinct([*path, *clips])),
            embeddings=embeddings_in(positive, negative),
            other_models=(*merged, *self._models.text_encoders(clips)),
            has_workflow=True,
            notes=tuple(loras.notes),
        )

    def _hires(self, later: list[Node]) -> dict[str, Any]:
        """Return the settings of the pass behind the first one, if it worked on its picture in part."""
        settings = self._sampling.settings(later[0]) if later else None
        if settings is None or settings.denoise is None or settings.denoise >= 1:
            return {}
        found = {"denoise": settings.denoise, "steps": settings.steps, "cfg_scale": settings.cfg,
                 "sampler": settings.sampler, "scheduler": settings.scheduler}  # fmt: skip
        return {name: value for name, value in found.items() if value is not None}

    def _refiners(self, chain: list[Node], checkpoint: ModelUse | None) -> list[OtherUse]:
        """Another base model in a later pass is a refiner."""
        found = []
        for later in chain[1:_MOST_STAGES]:
            base, _ = self._models.base(self._models.path(later))
            if base is not None and base != checkpoint and (refiner := uses.other("refiner", base.name)):
                found.append(refiner)
        return found

    def served(self, node: Node) -> Draft:
        """Return the draft of a picture that a service made, as far as its node says."""
        value, text = self._texts.value, self._texts.text
        return Draft(
            generator="ComfyUI",
            prompt=text(node, "prompt"),
            negative_prompt=text(node, "negative_prompt"),
            seed=to_seed(value(node, "seed")),
            steps=to_int(value(node, "steps")),
            guidance=to_float(value(node, "guidance")),
            width=to_int(value(node, "width")),
            height=to_int(value(node, "height")),
            checkpoint=uses.model(value(node, "model", "model_name")),
            has_workflow=True,
        )

    def _prompts(self, sampler: Node) -> tuple[str | None, str | None]:
        start = self._graph.input_link(sampler, "guider")
        holder = start.node if start else sampler
        positive = self._from(
            holder, "positive", ("positive", "conditioning", "cond1", "text_embeds", "sdxl_tuple", "pipe", "basic_pipe")
        )
        negative = self._from(holder, "negative", ("negative", "text_embeds", "sdxl_tuple", "pipe", "basic_pipe"))
        return positive, negative

    def _from(self, holder: Node, role: Any, names: tuple[str, ...]) -> str | None:
        for name in names:
            if link := self._graph.input_link(holder, name):
                return self._conditioning.prompt(link, role)
            if name == role and isinstance(holder.inputs.get(name), str):
                return str(holder.inputs[name])
        return None

    def _decoder(self, output: Node | None) -> Node | None:
        """Return the node that decoded the picture, following pictures from the output."""
        node, seen = output, set[str]()
        while node is not None and node.id not in seen:
            if "vae" in node.inputs and "samples" in node.inputs:
                return node
            seen.add(node.id)
            node = next((link.node for link in upstream_pictures(self._graph, node, self._texts.of)), None)
        return None


def _distinct(nodes: list[Node]) -> list[Node]:
    return list({node.id: node for node in nodes}.values())
