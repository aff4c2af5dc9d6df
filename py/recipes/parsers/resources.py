"""Read CivitAI's resource lists: ``Civitai resources``, ``Civitai metadata`` and their API relatives."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .. import uses
from ..carrier import load_json
from ..draft import LoraUse, ModelUse, OtherUse
from ..values import to_air, to_float, to_int, to_name
from .infotext import Infotext

_ROLES = {
    "checkpoint": "checkpoint",
    "model": "checkpoint",
    "unet": "checkpoint",
    "diffusionmodel": "checkpoint",
    "lora": "lora",
    "lycoris": "lora",
    "locon": "lora",
    "dora": "lora",
    "embed": "embedding",
    "embedding": "embedding",
    "embeddings": "embedding",
    "textualinversion": "embedding",
    "hypernet": "hypernet",
    "hypernetwork": "hypernet",
    "vae": "vae",
    "upscaler": "upscaler",
    "upscale": "upscaler",
    "controlnet": "controlnet",
    "motion": "motion",
    "motionmodule": "motion",
}


@dataclass(frozen=True, slots=True)
class Resource:
    """Hold one listed resource; `fields` are those of a model use."""

    role: str
    fields: dict[str, Any]
    weight: float | None
    clip: float | None

    def as_model(self) -> ModelUse | None:
        """Return it as a checkpoint, VAE or embedding."""
        return ModelUse(**self.fields) if uses.names_something(self.fields) else None

    def as_lora(self) -> LoraUse | None:
        """Return it as a LoRA; one weight is both strengths."""
        if not uses.names_something(self.fields):
            return None
        clip = self.weight if self.clip is None else self.clip
        return LoraUse(strength_model=self.weight, strength_clip=clip, **self.fields)

    def as_other(self) -> OtherUse | None:
        """Return it in its own role."""
        return OtherUse(role=self.role, **self.fields) if uses.names_something(self.fields) else None


def read_resources(parts: Infotext) -> list[Resource]:
    """Return the resources of an A1111 text."""
    found = list(from_list(load_json(parts.get("civitai resources") or "")))
    metadata = load_json(parts.get("civitai metadata") or "")
    if isinstance(metadata, dict):
        found.extend(one for one in from_list(metadata.get("resources")) if not _listed(one, found))
    return found


def from_list(items: Any) -> Iterable[Resource]:
    """Yield the resources of a JSON list."""
    for item in items[: uses.MOST] if isinstance(items, list) else ():
        if isinstance(item, dict) and (resource := _resource(item)):
            yield resource


def _listed(one: Resource, found: list[Resource]) -> bool:
    version = one.fields.get("model_version_id")
    return version is not None and any(version == other.fields.get("model_version_id") for other in found)


def _resource(item: dict[str, Any]) -> Resource | None:
    air = to_air(item.get("air")) or to_air(item.get("name"))
    kind = to_name(item.get("type")) or (air.type if air else None)
    role = _ROLES.get(kind.casefold(), "other") if kind else "other"
    version = to_int(item.get("modelVersionId")) or (air.version_id if air else None)
    name = item.get("modelName") or (None if air and to_air(item.get("name")) else item.get("name"))
    fields = uses.naming(name, item.get("hash"), version)
    fields["model_id"] = to_int(item.get("modelId")) or (air.model_id if air else None)
    fields["version_name"] = to_name(item.get("modelVersionName")) or to_name(item.get("versionName"))
    weight = to_float(item.get("weight", item.get("strength")))
    return Resource(role, fields, weight, to_float(item.get("strengthClip")))
