"""Follow a conditioning upstream to the encoders, and take their texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from .graph import Graph, Link, Node
from .switches import open_links
from .texts import Texts

Role = Literal["positive", "negative"]

_MAX_VISITS = 20_000
# Text inputs of encoders; where a node has several of one group, they are one prompt in two places.
_TEXTS = ("text", "populated_text", "prompt", "text_g", "text_l", "t5xxl", "clip_l", "clip_g", "clip_h", "bert",
          "mt5xl", "llama", "qwen25_7b", "text_positive", "tags", "lyrics", "user_prompt", "caption")  # fmt: skip
_BY_ROLE = {
    "positive": ("positive", "positive_prompt", "text_positive", "positive_text", "prompt_positive"),
    "negative": ("negative", "negative_prompt", "text_negative", "negative_text", "prompt_negative"),
}
_NOT_CONDITIONING = re.compile(
    r"^(clip|model|vae|image|pixels|latent|samples|mask|control_net|controlnet|style_model|clip_vision|seed|noise|"
    r"sampler|sigmas|width|height|strength|start|end|weight|.*_name)",
    re.IGNORECASE,
)
_ENCODER = re.compile(r"encode(?!r?\s*vision)|prompt|conditioner|easy (?:positive|negative)", re.IGNORECASE)


class Conditioning:
    """Collect the prompt behind a conditioning link, for one role."""

    def __init__(self, graph: Graph, texts: Texts) -> None:
        self._graph = graph
        self._texts = texts

    def prompt(self, start: Link | None, role: Role) -> str | None:
        """Return the texts of all encoders on the way, in order, each once; None where one is unknown.

        A conditioning that was zeroed out is an empty prompt.
        """
        found: list[str] = []
        known = False
        for text in self._walk(start, role):
            if text is None:
                return None
            known = True
            if text not in found:
                found.append(text)
        filled = [text for text in found if text.strip()]
        return "\n".join(filled) if filled else (found[0] if found else ("" if known else None))

    def _walk(self, start: Link | None, role: Role) -> Iterator[str | None]:
        stack = [start] if start else []
        seen: set[str] = set()
        while stack and len(seen) < _MAX_VISITS:
            link = stack.pop()
            if link is None or link.node.id in seen:
                continue
            seen.add(link.node.id)
            if link.node.type == "ConditioningZeroOut":
                yield ""
                continue
            texts = list(self._encoded(link.node, role))
            yield from texts
            stack.extend(reversed(list(self._further(link.node) if texts else self._onward(link.node, role))))

    def _encoded(self, node: Node, role: Role) -> Iterator[str | None]:
        """Yield the node's own text, if it is an encoder."""
        for name in _BY_ROLE[role]:
            if name in node.inputs and not self._leads_to_conditioning(node, name):
                yield self._texts.text(node, name)
                return
        names = [name for name in _TEXTS if name in node.inputs]
        if not names or not (_ENCODER.search(node.type) or "clip" in node.inputs or len(node.inputs) == 1):
            return
        if "populated_text" in names:
            names = ["populated_text"]
        parts = [self._texts.text(node, name) for name in names]
        if None in parts:
            yield None
            return
        yield _one_prompt([part for part in parts if part is not None])

    def _leads_to_conditioning(self, node: Node, name: str) -> bool:
        link = self._graph.input_link(node, name)
        return link is not None and not isinstance(self._texts.of(node.inputs[name]), str)

    def _further(self, node: Node) -> Iterator[Link]:
        """An encoder that adds to a conditioning (GLIGEN) has one of its own to follow."""
        return (link for name, link in self._graph.links(node).items() if name.startswith("conditioning"))

    def _onward(self, node: Node, role: Role) -> Iterator[Link]:
        """Yield where a node that only changes a conditioning took it from."""
        own = self._graph.input_link(node, role)
        if own is not None:
            yield own
            return
        other = "negative" if role == "positive" else "positive"
        ways = [(name, link) for name, link in open_links(self._graph, node, self._texts.of) if other not in name]
        for name, link in [way for way in ways if role in way[0]] or ways:
            if not _NOT_CONDITIONING.match(name):
                yield link


def _one_prompt(parts: list[str]) -> str:
    """Two text encoders usually get the same words; different ones are put one under the other."""
    distinct = list(dict.fromkeys(part for part in parts if part.strip()))
    return "\n".join(distinct) if distinct else (parts[0] if parts else "")
