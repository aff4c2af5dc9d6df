"""Apply LoRAs with ComfyUI's own loader, and remember loaders so that nothing is read twice."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..core.errors import NotFoundError
from .model_files import described, installed, match

log = logging.getLogger(__name__)

Stack = list[tuple[str, float, float]]


def stack_of(loras: Iterable[Mapping[str, Any]], missing: str) -> Stack:
    """Return (file, model strength, clip strength) for each LoRA; a strength that nobody says is 1.

    A LoRA that is not here raises `NotFoundError`, or is left out where `missing` is ``skip``.
    """
    names = installed("loras")
    stack: Stack = []
    for use in loras:
        found = match(use, names)
        if found is None and missing != "skip":
            raise NotFoundError(f"The LoRA {described(use)} is not here.")
        if found is None:
            log.warning("left out a LoRA that is not here: %s", ascii(described(use)))
            continue
        stack.append((found, *strengths(use)))
    return stack


def files_that_matter(loras: Iterable[Mapping[str, Any]] | None, missing: str) -> list[str | None]:
    """Return the local file of each LoRA, None for one that is left out; every file where the LoRAs are not known yet.

    Nothing matters where a missing LoRA is an error: ComfyUI remembers no errors.
    """
    if missing != "skip":
        return []
    names = installed("loras")
    return [*names] if loras is None else [match(use, names) for use in loras]


def named_in(text: str) -> list[dict[str, Any]]:
    """Return the LoRAs that the tags of a text name, in order, as a recipe holds them."""
    from ..recipes.parsers.tags import find_tags

    tags = (tag for tag in find_tags(text) if tag.kind != "hypernet")
    return [{"name": tag.name, "strength_model": tag.unet, "strength_clip": tag.clip} for tag in tags]


def strengths(use: Mapping[str, Any]) -> tuple[float, float]:
    """Return a LoRA's strengths for model and clip; what is not said follows the other, or is 1."""
    model, clip = use.get("strength_model"), use.get("strength_clip")
    first = model if model is not None else clip if clip is not None else 1.0
    return first, clip if clip is not None else first


class LoraShelf:
    """Apply stacks, one ComfyUI loader per file, so that each keeps its file's weights between runs."""

    def __init__(self) -> None:
        self._loaders: dict[str, Any] = {}

    def apply(self, model: Any, clip: Any, stack: Sequence[tuple[str, float, float]]) -> tuple[Any, Any]:
        """Return model and clip with the stack applied in order; `clip` may be None."""
        from nodes import LoraLoader

        self._loaders = {name: self._loaders.get(name) or LoraLoader() for name, _, _ in stack}
        for name, for_model, for_clip in stack:
            model, clip = self._loaders[name].load_lora(model, clip, name, for_model, for_clip if clip else 0.0)
        return model, clip
