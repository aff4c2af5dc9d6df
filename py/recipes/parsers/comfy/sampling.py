"""Tell samplers by their inputs, find the first one of a chain, and take its settings."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from ...values import to_float, to_int, to_name, to_seed, to_size
from .graph import Graph, Link, Node
from .switches import Value, is_switch, open_links
from .texts import Texts

_MAX_VISITS = 50_000
_SEEDS = frozenset({"seed", "noise_seed", "noise"})
_HOW = frozenset({"sampler_name", "sampler", "scheduler", "steps", "sigmas"})
_WHAT = frozenset(
    {"positive", "guider", "text_embeds", "sdxl_tuple", "conditioning", "basic_pipe", "pipe", "positive_cond"}
)
# They repair parts of a finished picture; never the main sampler where another is there.
_DETAILER = re.compile(r"detailer|upscale|face|refine|seedvr|inpaint.?crop", re.IGNORECASE)
# Ways upstream that lead to the picture; other links lead to models, prompts and masks.
_PICTURE = re.compile(
    r"^(images?|image_\d+|samples?\w*|latents?\w*|latent_image|pixels|video|frames|optional_latent|pipe|input|any\w*|"
    r"original|destination|source|image[12]|av_latent|video_latent|value|anything|images_\w+|base_image|in\d?)$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Settings:
    """Hold what one sampler is set to; what only exists at run time is None."""

    seed: int | None
    steps: int | None
    cfg: float | None
    guidance: float | None
    sampler: str | None
    scheduler: str | None
    denoise: float | None


def is_sampler(node: Node) -> bool:
    """Whether a node has what samplers have: something to follow, a seed, and a method."""
    inputs = node.inputs
    return not (_WHAT.isdisjoint(inputs) or _SEEDS.isdisjoint(inputs) or _HOW.isdisjoint(inputs))


def upstream_pictures(graph: Graph, node: Node, value: Value) -> Iterator[Link]:
    """Yield the links that bring a picture or latent into a node; all links where none is named so."""
    if is_sampler(node) and (earlier := _earlier_stage(graph, node)):
        yield earlier
        return
    links = list(open_links(graph, node, value)) if is_switch(node) else list(graph.links(node).items())
    named = [link for name, link in links if _PICTURE.match(name)]
    yield from named or ((link for _, link in links) if not is_sampler(node) and not _is_source(node) else ())


def _earlier_stage(graph: Graph, sampler: Node) -> Link | None:
    """Stable Cascade hands the picture of its first stage to the second inside the conditioning."""
    positive = graph.input_link(sampler, "positive")
    return graph.input_link(positive.node, "stage_c") if positive else None


def _is_source(node: Node) -> bool:
    return "clip" in node.inputs or "ckpt_name" in node.inputs


def sampler_chain(graph: Graph, output: Node, value: Value) -> list[Node]:
    """Return the samplers that one behind the other made what ends at `output`, the first of them first.

    Later ones are hires passes and refiners. Detailers are passed by, unless there is nothing else.
    """
    chain: list[Node] = []
    detailer: Node | None = None
    passed: set[str] = set()
    seen: set[str] = set()
    queue = deque([output])
    for _ in range(_MAX_VISITS):
        if not queue:
            break
        node = queue.popleft()
        if node.id in seen or node.id in passed:
            continue
        seen.add(node.id)
        if is_sampler(node) and not _DETAILER.search(node.type):
            # From here on only what this sampler started from counts.
            chain.append(node)
            passed.add(node.id)
            seen.clear()
            queue.clear()
        elif is_sampler(node):
            detailer = node
        queue.extend(link.node for link in upstream_pictures(graph, node, value))
    return chain[::-1] or ([detailer] if detailer else [])


def generator_node(graph: Graph, output: Node, value: Value) -> Node | None:
    """Return the node that asks a service for the picture: it takes a prompt and no conditioning."""
    seen: set[str] = set()
    queue = deque([output])
    while queue and len(seen) < _MAX_VISITS:
        node = queue.popleft()
        if node.id in seen:
            continue
        seen.add(node.id)
        if "prompt" in node.inputs and "clip" not in node.inputs and len(node.inputs) > 1:
            return node
        queue.extend(link.node for link in upstream_pictures(graph, node, value))
    return None


class Sampling:
    """Take settings and sizes from samplers of one graph."""

    def __init__(self, graph: Graph, texts: Texts) -> None:
        self._graph = graph
        self._texts = texts

    def settings(self, node: Node) -> Settings:
        """Return the settings of a sampler, following noise, guider, sampler and sigmas nodes."""
        guider = self._at(node, "guider")
        sigmas = self._scheduler_node(node)
        scheduler = self._name(node, "scheduler") or self._name(sigmas, "scheduler")
        if scheduler is None and sigmas is not None:
            scheduler = _scheduler_of_class(sigmas.type)
        return Settings(
            seed=self._seed(node),
            steps=self._number(node, sigmas, "steps"),
            cfg=self._cfg(node, guider),
            guidance=self.guidance(node, guider),
            sampler=self._sampler_name(node),
            scheduler=None if "text_embeds" in node.inputs else scheduler,
            denoise=self._denoise(node, sigmas),
        )

    def _at(self, node: Node | None, name: str) -> Node | None:
        link = self._graph.input_link(node, name) if node else None
        return link.node if link else None

    def _seed(self, node: Node) -> int | None:
        if (seed := to_seed(self._texts.value(node, "seed", "noise_seed"))) is not None:
            return seed
        noise = self._at(node, "noise")
        return to_seed(self._texts.value(noise, "noise_seed", "seed")) if noise else None

    def _name(self, node: Node | None, *names: str) -> str | None:
        return to_name(self._texts.value(node, *names)) if node else None

    def _sampler_name(self, node: Node) -> str | None:
        if name := self._name(node, "sampler_name"):
            return name
        chosen = self._at(node, "sampler")
        if chosen is None:
            return self._name(node, "sampler") or (
                self._name(node, "scheduler") if "text_embeds" in node.inputs else None
            )
        return self._name(chosen, "sampler_name", "solver", "sampler") or _sampler_of_class(chosen.type)

    def _scheduler_node(self, node: Node) -> Node | None:
        """Follow sigmas through splitters and extenders to what made them."""
        found = self._at(node, "sigmas")
        for _ in range(32):
            inner = self._at(found, "sigmas")
            if inner is None:
                break
            found = inner
        return found

    def _number(self, node: Node, sigmas: Node | None, name: str) -> int | None:
        found = to_int(self._texts.value(node, name))
        return found if found is not None or sigmas is None else to_int(self._texts.value(sigmas, name))

    def _cfg(self, node: Node, guider: Node | None) -> float | None:
        """BasicGuider has no cfg; what it does not say stays unknown."""
        own = to_float(self._texts.value(node, "cfg", "cfg_scale"))
        return to_float(self._texts.value(guider, "cfg", "cfg_conds")) if own is None and guider else own

    def guidance(self, node: Node, guider: Node | None) -> float | None:
        """Return the distilled guidance on the conditioning's way; that is not cfg."""
        start = self._at(node, "positive") or self._at(guider, "conditioning") or self._at(guider, "positive")
        seen: set[str] = set()
        stack = [start] if start else []
        while stack and len(seen) < _MAX_VISITS:
            found = stack.pop()
            if found is None or found.id in seen:
                continue
            seen.add(found.id)
            if "guidance" in found.inputs:
                return to_float(self._texts.value(found, "guidance"))
            stack.extend(
                link.node
                for name, link in self._graph.links(found).items()
                if name.startswith(("conditioning", "positive"))
            )
        return None

    def _denoise(self, node: Node, sigmas: Node | None) -> float | None:
        found = to_float(self._texts.value(node, "denoise", "denoise_strength"))
        return found if found is not None or sigmas is None else to_float(self._texts.value(sigmas, "denoise"))

    def size(self, sampler: Node) -> tuple[int | None, int | None]:
        """Return the size of the empty latent that the sampler starts from; unknown where it starts from a picture."""
        seen = {sampler.id}
        queue = deque([sampler])
        while queue and len(seen) < _MAX_VISITS:
            node = queue.popleft()
            if (size := self._own_size(node)) is not None:
                return size
            for name, link in self._graph.links(node).items():
                if link.node.id not in seen and _PICTURE.match(name):
                    seen.add(link.node.id)
                    queue.append(link.node)
        return None, None

    def _own_size(self, node: Node) -> tuple[int, int] | None:
        width = to_int(self._texts.value(node, "width", "empty_latent_width"))
        height = to_int(self._texts.value(node, "height", "empty_latent_height"))
        if width and height:
            return width, height
        named = self._texts.value(node, "dimensions", "resolution", "size", "aspect_ratio")
        return to_size(named) if isinstance(named, str) else None


def _sampler_of_class(kind: str) -> str | None:
    """``SamplerEulerAncestral`` is a sampler without a name field."""
    match = re.fullmatch(r"Sampler(\w+?)", kind)
    return _snake(match[1]) if match and not match[1].startswith("Custom") else None


def _scheduler_of_class(kind: str) -> str | None:
    """``KarrasScheduler`` is a scheduler without a name field."""
    match = re.fullmatch(r"(\w+?)Scheduler", kind)
    name = _snake(match[1]) if match and match[1] != "Basic" else None
    return _OTHERWISE_CALLED.get(name, name) if name else None


# ComfyUI's own name for what the class does.
_OTHERWISE_CALLED = {"beta_sampling": "beta", "sdturbo": "sd_turbo"}


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).casefold()
