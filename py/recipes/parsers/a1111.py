"""Turn A1111 text, as a dozen programs write it, into a draft."""

from __future__ import annotations

import re
from typing import Any

from .. import uses
from ..draft import Draft
from ..values import to_float, to_int, to_name, to_seed, to_size
from . import infotext, schedulers
from .a1111_models import lora_uses, named_models
from .infotext import Infotext
from .tags import hypernets_of, loras_of

# What ComfyUI savers write where they could not tell (their own defaults).
_PLACEHOLDERS = {"steps": 20, "cfg_scale": 8.0, "width": 512, "height": 512, "seed": 0}
_HIRES = {
    "upscale": ("hires upscale", "hires scale"),
    "steps": ("hires steps",),
    "cfg_scale": ("hires cfg scale",),
    "denoise": ("hires denoising strength", "hires strength"),
}
_HIRES_TEXT = {
    "upscaler": ("hires upscaler",),
    "sampler": ("hires sampler",),
    "scheduler": ("hires schedule type", "hires scheduler"),
    "prompt": ("hires prompt",),
    "negative_prompt": ("hires negative prompt",),
    "checkpoint": ("hires checkpoint",),
}


def parse(text: str) -> Draft | None:
    """Return the draft of an A1111 text, or None where it has no settings."""
    parts = infotext.split(text)
    return draft_of(parts) if parts else None


def draft_of(parts: Infotext) -> Draft:
    """Return the draft of text that is already in parts."""
    tag_loras, notes = loras_of(parts.prompt)
    loras, lora_notes = lora_uses(parts, tag_loras)
    models = named_models(parts)
    hires = _hires(parts)
    denoise = to_float(parts.get("denoising strength", "denoise"))
    if hires and denoise is not None:
        hires.setdefault("denoise", denoise)
        denoise = None
    return Draft(
        generator=generator_of(parts),
        prompt=parts.prompt,
        negative_prompt=parts.negative,
        seed=to_seed(parts.get("seed")),
        steps=to_int(parts.get("steps")),
        cfg_scale=to_float(parts.get("cfg scale", "guidance scale")),
        guidance=to_float(parts.get("distilled cfg scale", "guidance")),
        **_sampling(parts),
        **_size(parts),
        clip_skip=_clip_skip(parts),
        denoise=denoise,
        hires=hires,
        checkpoint=models.checkpoint,
        loras=loras,
        embeddings=models.embeddings,
        vae=models.vae,
        other_models=uses.gather([*models.others, *hypernets_of(parts.prompt)]),
        notes=(*notes, *lora_notes),
    )


def is_placeholder(draft: Draft) -> bool:
    """Whether the draft holds nothing but the defaults that a saver writes when it found nothing."""
    return (
        all(getattr(draft, name) in (None, value) for name, value in _PLACEHOLDERS.items()) and draft.steps is not None
    )


def _sampling(parts: Infotext) -> dict[str, Any]:
    """The sampler stays as written; a scheduler in its name is told by a table of known ones."""
    sampler = to_name(parts.get("sampler"))
    scheduler = to_name(parts.get("schedule type", "scheduler", "schedule"))
    return {"sampler": sampler, "scheduler": scheduler or schedulers.in_sampler(sampler)}


def _size(parts: Infotext) -> dict[str, Any]:
    size = to_size(parts.get("size"))
    width, height = size or (to_int(parts.get("width")), to_int(parts.get("height")))
    return {"width": width, "height": height}


def _clip_skip(parts: Infotext) -> int | None:
    skip = to_int(parts.get("clip skip"))
    return abs(skip) if skip else None


def _hires(parts: Infotext) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, keys in _HIRES.items():
        found[name] = to_float(parts.get(*keys))
    for name, keys in _HIRES_TEXT.items():
        found[name] = to_name(parts.get(*keys))
    found["steps"] = to_int(parts.get("hires steps"))
    size = to_size(parts.get("hires resize", "hires size"))
    if size and size != (0, 0):
        found["width"], found["height"] = size
    return {name: value for name, value in found.items() if value is not None}


_VERSIONS = (
    (re.compile(r"neo", re.IGNORECASE), "Forge Neo"),
    (re.compile(r"classic", re.IGNORECASE), "Forge Classic"),
    (re.compile(r"f1\.\d+\.\d+-v1\.10\.1RC", re.IGNORECASE), "EasyReforge"),
    (re.compile(r"f\d+\.\d+\.\d+-v", re.IGNORECASE), "reForge"),
    (re.compile(r"f\d+\.\d+\.\d+v", re.IGNORECASE), "Forge"),
    (re.compile(r"comfyui", re.IGNORECASE), "ComfyUI"),
    (re.compile(r"fooocus", re.IGNORECASE), "Fooocus"),
    (re.compile(r"v?1\.\d+", re.IGNORECASE), "A1111"),
)


def generator_of(parts: Infotext) -> str | None:
    """Name the program that wrote the text, as far as it says so."""
    if app := to_name(parts.get("app")):
        return app
    if parts.get("civitai metadata") is not None:
        return "CivitAI"
    version = parts.get("version") or ""
    for pattern, name in _VERSIONS:
        if pattern.match(version):
            return name
    return "A1111"
