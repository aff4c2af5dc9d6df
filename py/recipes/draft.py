"""Describe what an image says about how it was made; what it does not say is None.

The JSON shape is the contract of `inspect --json` and of a recipe (docs/reference/recipe.md).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUse:
    """Name one model that the image used, in as many ways as the image does.

    `hash` is lower-case hex with its kind in `hash_type` (sha256, autov1, autov2, autov3, blake3, crc32);
    `aliases` holds further hashes of the same file by kind.
    """

    name: str | None = None
    hash: str | None = None
    hash_type: str | None = None
    model_version_id: int | None = None
    model_id: int | None = None
    version_name: str | None = None
    base_model: str | None = None
    aliases: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoraUse(ModelUse):
    """Name one LoRA with both strengths; a strength that the image does not say is None."""

    strength_model: float | None = None
    strength_clip: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherUse(ModelUse):
    """Name a model in another role: refiner, hires, upscaler, controlnet, text_encoder, hypernet and so on."""

    role: str = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """Hold everything that one image, or one carrier of it, says."""

    generator: str | None = None
    prompt: str | None = None
    negative_prompt: str | None = None
    seed: int | None = None
    steps: int | None = None
    cfg_scale: float | None = None
    guidance: float | None = None
    sampler: str | None = None
    scheduler: str | None = None
    width: int | None = None
    height: int | None = None
    clip_skip: int | None = None
    denoise: float | None = None
    hires: dict[str, Any] = field(default_factory=dict)
    checkpoint: ModelUse | None = None
    loras: tuple[LoraUse, ...] = ()
    embeddings: tuple[ModelUse, ...] = ()
    vae: ModelUse | None = None
    other_models: tuple[OtherUse, ...] = ()
    has_workflow: bool = False
    # Which carrier each field came from; filled by merge.
    origins: dict[str, str] = field(default_factory=dict)
    # What the reader saw but could not decide, in sentences for a person.
    notes: tuple[str, ...] = ()

    @property
    def says_something(self) -> bool:
        """Whether the image tells anything about how it was made."""
        told = (self.prompt, self.negative_prompt, self.seed, self.steps, self.sampler, self.checkpoint)
        return any(value is not None for value in told) or bool(self.loras) or self.has_workflow


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Hold the result of reading one file.

    `carriers` names where text was found (``png:parameters``, ``exif:UserComment``, …); `pixel_width` and
    `pixel_height` are the file's own size; `content_hash` identifies the file's content cheaply; `draft` is None
    where the image says nothing. `workflow` is the editor's graph, or ``{"prompt": …}`` where only that is there.
    """

    draft: Draft | None
    carriers: tuple[str, ...]
    container: str
    content_hash: str
    pixel_width: int | None = None
    pixel_height: int | None = None
    workflow: dict[str, Any] | None = None
    # What the file holds that could not be read, in sentences for a person.
    notes: tuple[str, ...] = ()


CONTRACT_FIELDS = tuple(one.name for one in fields(Draft) if one.name not in ("generator", "origins", "notes"))


def draft_to_json(draft: Draft) -> dict[str, Any]:
    """Return the fields of the contract, JSON-ready, without `source`."""
    data = asdict(draft)
    return {name: data[name] for name in CONTRACT_FIELDS}


def draft_from_json(data: dict[str, Any]) -> Draft:
    """Build a draft from `draft_to_json` plus optional generator, origins and notes."""
    known = {one.name: data[one.name] for one in fields(Draft) if one.name in data}
    for name in ("checkpoint", "vae"):
        known[name] = ModelUse(**data[name]) if data.get(name) else None
    known["loras"] = tuple(LoraUse(**one) for one in data.get("loras", ()))
    known["embeddings"] = tuple(ModelUse(**one) for one in data.get("embeddings", ()))
    known["other_models"] = tuple(OtherUse(**one) for one in data.get("other_models", ()))
    known["notes"] = tuple(data.get("notes", ()))
    return Draft(**known)
