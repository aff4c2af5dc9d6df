"""Write a draft as A1111 text, with LoRA tags and hashes, for programs and sites that read nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from .draft import Draft, LoraUse, ModelUse
from .parsers.tags import find_tags
from .values import loose_name, normalised_name

_MUST_QUOTE = re.compile(r"[,:\n]")


def to_a1111_text(draft: Draft) -> str:
    """Return the text; what the draft does not know is left out, never written as 0 or None."""
    lines = [_prompt(draft)]
    if draft.negative_prompt:
        lines.append(f"Negative prompt: {draft.negative_prompt}")
    settings = ", ".join(f"{name}: {_quoted(value)}" for name, value in _settings(draft))
    return "\n".join([*(line for line in lines if line), settings])


def _prompt(draft: Draft) -> str:
    """The prompt, with a tag for each LoRA that it does not name already."""
    prompt = draft.prompt or ""
    tagged = {loose_name(tag.name) for tag in find_tags(prompt)}
    missing = [_tag(one) for one in draft.loras if one.name and loose_name(one.name) not in tagged]
    return " ".join([prompt, *missing]).strip()


def _tag(lora: LoraUse) -> str:
    name = _stem(lora.name or "")
    if lora.strength_model is None:
        return f"<lora:{name}:1>" if lora.strength_clip is None else f"<lora:{name}:{lora.strength_clip:g}>"
    if lora.strength_clip is None or lora.strength_clip == lora.strength_model:
        return f"<lora:{name}:{lora.strength_model:g}>"
    return f"<lora:{name}:{lora.strength_clip:g}:{lora.strength_model:g}>"


def _stem(name: str) -> str:
    """The file's name without folder and extension, in its own spelling."""
    base = re.split(r"[\\/]", name.strip())[-1]
    return base[: len(normalised_name(name))] if base.casefold().startswith(normalised_name(name)) else base


def _settings(draft: Draft) -> Iterator[tuple[str, str]]:
    size = f"{draft.width}x{draft.height}" if draft.width and draft.height else None
    plain = (
        ("Steps", draft.steps),
        ("Sampler", draft.sampler),
        ("Schedule type", draft.scheduler),
        ("CFG scale", draft.cfg_scale),
        ("Distilled CFG Scale", draft.guidance),
        ("Seed", draft.seed),
        ("Size", size),
        ("Model hash", draft.checkpoint.hash if draft.checkpoint else None),
        ("Model", _model_name(draft.checkpoint)),
        ("VAE", _model_name(draft.vae)),
        ("Denoising strength", draft.denoise),
        ("Clip skip", draft.clip_skip),
        ("Hires upscale", draft.hires.get("upscale")),
        ("Hires steps", draft.hires.get("steps")),
        ("Hires upscaler", draft.hires.get("upscaler")),
        ("Lora hashes", _hash_list(draft.loras)),
        ("TI hashes", _hash_list(draft.embeddings)),
        ("Civitai resources", _resources(draft)),
    )
    for name, value in plain:
        if value is not None:
            yield name, f"{value:g}" if isinstance(value, float) else str(value)


def _model_name(use: ModelUse | None) -> str | None:
    return _stem(use.name) if use and use.name else None


def _hash_list(models: tuple[ModelUse, ...]) -> str | None:
    """A1111's own writer takes colons and commas out of names here."""
    named = [f"{_plain(one.name)}: {one.hash}" for one in models if one.name and one.hash]
    return ", ".join(named) or None


def _plain(name: str) -> str:
    return _stem(name).replace(":", "").replace(",", "")


def _resources(draft: Draft) -> str | None:
    """CivitAI's list, for models whose version is known."""
    rows = []
    if draft.checkpoint and draft.checkpoint.model_version_id:
        rows.append({"type": "checkpoint", "modelVersionId": draft.checkpoint.model_version_id})
    for one in draft.loras:
        if one.model_version_id:
            weight = {} if one.strength_model is None else {"weight": one.strength_model}
            rows.append({"type": "lora", **weight, "modelVersionId": one.model_version_id})
    return json.dumps(rows, separators=(",", ":")) if rows else None


def _quoted(value: str) -> str:
    if value.startswith("[{"):
        return value
    return json.dumps(value, ensure_ascii=False) if _MUST_QUOTE.search(value) else value
