"""Follow the model upstream to what loaded it."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator

from ... import uses
from ...draft import ModelUse, OtherUse
from .graph import Graph, Link, Node
from .switches import is_switch, open_links
from .texts import Texts

_MAX_VISITS = 50_000
_NAMES = ("ckpt_name", "unet_name", "base_ckpt_name", "gguf_name", "model_path", "model_name", "checkpoint",
          "checkpoint_name", "diffusion_model", "transformer_name", "ckpt_air")  # fmt: skip
# They load something else than the model that is sampled.
_NOT_BASE = re.compile(
    r"upscale|controlnet|clip|vae|lora|ipadapter|detector|sam(?!pl)|style|gligen|photomaker|segm|insight|embedding|"
    r"text.?encod|hypernet|depth|pose",
    re.IGNORECASE,
)
_MODEL_INPUT = re.compile(r"^(model\w*|unet\w*|pipe|basic_pipe|sdxl_tuple|guider|ckpt|any\w*|optional_model|opt_model|"
                          r"model_opt|bundle|context|base_ctx|ctx|value|on_true|on_false)$", re.IGNORECASE)  # fmt: skip


class Models:
    """Find base models, VAE, text encoders and clip skip on the way to a sampler."""

    def __init__(self, graph: Graph, texts: Texts) -> None:
        self._graph = graph
        self._texts = texts

    def path(self, sampler: Node) -> list[Node]:
        """Return the nodes that the model passes, nearest first, without the sampler itself."""
        return [node for node in self._walk(sampler) if node is not sampler]

    def _walk(self, start: Node) -> Iterator[Node]:
        seen = {start.id}
        queue = deque([start])
        while queue and len(seen) < _MAX_VISITS:
            node = queue.popleft()
            yield node
            for link in self._upstream(node):
                if link.node.id not in seen:
                    seen.add(link.node.id)
                    queue.append(link.node)

    def _upstream(self, node: Node) -> Iterator[Link]:
        for name, link in open_links(self._graph, node, self._texts.of):
            if _MODEL_INPUT.match(name) or is_switch(node):
                yield link

    def base(self, path: list[Node]) -> tuple[ModelUse | None, list[OtherUse]]:
        """Return the checkpoint, and further base models (a merge's other sides) in the role ``merged``."""
        named = [use for node in path if (use := self._loaded(node))]
        others = [_as_other("merged", use) for use in named[1:]]
        others += [uses.other("refiner", self._texts.text(node, "refiner_ckpt_name")) for node in path]
        return (named[0] if named else None), [one for one in others if one]

    def _loaded(self, node: Node) -> ModelUse | None:
        if _NOT_BASE.search(node.type) and "ckpt_name" not in node.inputs and "unet_name" not in node.inputs:
            return None
        for name in _NAMES:
            if name in node.inputs and isinstance(found := self._texts.value(node, name), str):
                return uses.model(found)
        # A field of this name holds a file in loaders, and elsewhere the model itself.
        literal = node.inputs.get("model")
        return uses.model(literal) if isinstance(literal, str) else None

    def attached(self, output: Node) -> list[OtherUse]:
        """Return the models that helped on the way to an output: control nets, upscalers, adapters."""
        found: list[OtherUse | None] = []
        seen = {output.id}
        queue = deque([output])
        while queue and len(seen) < _MAX_VISITS:
            node = queue.popleft()
            found += [uses.other(role, self._texts.text(node, field)) for role, field in _helpers(node)]
            for link in self._graph.links(node).values():
                if link.node.id not in seen:
                    seen.add(link.node.id)
                    queue.append(link.node)
        return [one for one in found if one]

    def vae(self, decoder: Node | None) -> ModelUse | None:
        """Return the VAE that decodes, where it is a file of its own."""
        link = self._graph.input_link(decoder, "vae") if decoder else None
        for _ in range(32):
            if link is None:
                return None
            if name := self._texts.text(link.node, "vae_name"):
                return uses.model(name)
            link = self._graph.input_link(link.node, "vae")
        return None

    def clip_chain(self, sampler: Node) -> list[Node]:
        """Return the nodes that text encoders of this sampler take their CLIP from."""
        seen: set[str] = {sampler.id}
        queue = deque([sampler])
        found: list[Node] = []
        while queue and len(seen) < _MAX_VISITS:
            node = queue.popleft()
            for name, link in self._graph.links(node).items():
                if link.node.id not in seen and _CLIP_WAY.match(name) and "vision" not in name:
                    seen.add(link.node.id)
                    queue.append(link.node)
                    if "clip" in name.casefold() or "hook" in name:
                        found.append(link.node)
        return found

    def clip_skip(self, chain: list[Node]) -> int | None:
        """Return the clip skip as A1111 counts it: ``stop_at_clip_layer`` -2 is 2."""
        for node in chain:
            found = self._texts.value(node, "stop_at_clip_layer", "clip_skip")
            if isinstance(found, int) and found:
                return abs(found)
        return None

    def text_encoders(self, chain: list[Node]) -> list[OtherUse]:
        """Return text encoders that were loaded from files of their own."""
        fields = ((node, name) for node in chain for name in node.inputs if _ENCODER_FILE.fullmatch(name))
        named = (uses.other("text_encoder", self._texts.text(node, name)) for node, name in fields)
        return [one for one in named if one]


_ENCODER_FILE = re.compile(r"clip_name\d?|text_encoder_?\d?")
_CLIP_WAY = re.compile(r"^(positive|hooks\w*|prev_hooks|negative|conditioning\w*|cond\w*|guider|clip\w*|opt_clip|"
                       r".*pipe|text_embeds|sdxl_tuple)$", re.IGNORECASE)  # fmt: skip


_HELPERS = {
    "control_net_name": "controlnet",
    "ipadapter_file": "ip_adapter",
    "style_model_name": "style_model",
    "hypernetwork_name": "hypernet",
    "motion_model": "motion",
}


def _helpers(node: Node) -> Iterator[tuple[str, str]]:
    """Yield role and field of the models that a loader for other purposes names."""
    for field in _HELPERS.keys() & node.inputs.keys():
        yield _HELPERS[field], field
    if "model_name" in node.inputs and "upscale" in node.type.casefold():
        yield "upscaler", "model_name"


def _as_other(role: str, use: ModelUse) -> OtherUse | None:
    return uses.other(role, use.name, version_id=use.model_version_id)
