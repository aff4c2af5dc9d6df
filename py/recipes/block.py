"""Write and read Pantry's own block: the recipe as JSON, kept in an image under the key ``pantry``.

The block is written on export and read first. What is read back is checked field by field, because an image
comes from anyone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from .carrier import load_json
from .draft import Draft, LoraUse, ModelUse, OtherUse, draft_to_json
from .values import to_float, to_hash, to_int, to_text

KEY = "pantry"
VERSION = 1
_MOST_MODELS = 1000


def encode(draft: Draft) -> str:
    """Return the block's text for a draft; ASCII, so that every container can hold it."""
    recipe = {name: value for name, value in draft_to_json(draft).items() if value not in (None, [], {}, ())}
    recipe.pop("has_workflow", None)
    return json.dumps({KEY: VERSION, "generator": draft.generator, "recipe": recipe}, ensure_ascii=True)


def decode(text: str) -> Draft | None:
    """Return the draft that `encode` wrote, or None where the text is no block of a version we know."""
    return from_object(load_json(text))


def from_object(data: Any) -> Draft | None:
    """Return the same from JSON that is already read."""
    if not isinstance(data, dict) or data.get(KEY) != VERSION or not isinstance(data.get("recipe"), dict):
        return None
    recipe = data["recipe"]
    values = {name: read(recipe[name]) for name, read in _FIELDS.items() if name in recipe}
    return Draft(generator=to_text(data.get("generator")), **values)


def _model(value: Any) -> ModelUse | None:
    return ModelUse(**_use(value)) if isinstance(value, Mapping) else None


def _use(value: Mapping[str, Any]) -> dict[str, Any]:
    aliases = value.get("aliases")
    named = aliases.items() if isinstance(aliases, Mapping) else ()
    digest = to_hash(value.get("hash"))
    return {
        "name": to_text(value.get("name")),
        "hash": digest.value if digest else None,
        "hash_type": to_text(value.get("hash_type")) if digest else None,
        "model_version_id": to_int(value.get("model_version_id")),
        "model_id": to_int(value.get("model_id")),
        "version_name": to_text(value.get("version_name")),
        "base_model": to_text(value.get("base_model")),
        "aliases": {str(kind): found.value for kind, text in named if (found := to_hash(text))},
    }


def _lora(value: Mapping[str, Any]) -> LoraUse:
    model, clip = to_float(value.get("strength_model")), to_float(value.get("strength_clip"))
    return LoraUse(strength_model=model, strength_clip=clip, **_use(value))


def _other(value: Mapping[str, Any]) -> OtherUse:
    return OtherUse(role=to_text(value.get("role")) or "other", **_use(value))


def _each(read: Callable[[Mapping[str, Any]], Any]) -> Callable[[Any], tuple[Any, ...]]:
    def read_all(value: Any) -> tuple[Any, ...]:
        rows = value[:_MOST_MODELS] if isinstance(value, list) else []
        return tuple(read(one) for one in rows if isinstance(one, Mapping))

    return read_all


def _hires(value: Any) -> dict[str, Any]:
    named = value.items() if isinstance(value, Mapping) else ()
    return {str(name): one for name, one in named if isinstance(one, str | int | float) and not isinstance(one, bool)}


_TEXTS = ("prompt", "negative_prompt", "sampler", "scheduler")
_INTS = ("seed", "steps", "width", "height", "clip_skip")
_FLOATS = ("cfg_scale", "guidance", "denoise")
_FIELDS: Mapping[str, Callable[[Any], Any]] = {
    **dict.fromkeys(_TEXTS, to_text),
    **dict.fromkeys(_INTS, to_int),
    **dict.fromkeys(_FLOATS, to_float),
    "hires": _hires,
    "checkpoint": _model,
    "vae": _model,
    "loras": _each(_lora),
    "embeddings": _each(lambda value: ModelUse(**_use(value))),
    "other_models": _each(_other),
}
