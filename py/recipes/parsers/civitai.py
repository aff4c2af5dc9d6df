"""Read CivitAI's own records: ``extraMetadata`` in a graph, and the ``meta`` of its API."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from .. import uses
from ..carrier import load_json
from ..draft import Draft, ModelUse, OtherUse
from ..values import to_air, to_float, to_int, to_name, to_seed, to_size, to_text
from .resources import Resource, from_list
from .tags import loras_of


def read_extra(data: dict[str, Any]) -> Draft | None:
    """Return the draft of a graph's ``extraMetadata`` (JSON in a text), or None where there is none."""
    extra = data.get("extraMetadata")
    if isinstance(extra, str):
        extra = load_json(extra)
    if not isinstance(extra, dict):
        return None
    listed = data.get("extra")
    airs = listed.get("airs") if isinstance(listed, dict) else None
    return _draft(extra, _with_roles(list(from_list(extra.get("resources"))), [*_from_airs(airs), *_old_airs(listed)]))


def read_meta(meta: dict[str, Any]) -> Draft:
    """Return the draft of the ``meta`` that CivitAI's API gives for an image."""
    lists = ("civitaiResources", "additionalResources", "resources")
    resources = [one for key in lists for one in from_list(meta.get(key))]
    draft = _draft(meta, resources)
    tagged, notes = loras_of(draft.prompt or "")
    hashed = [uses.lora(name, hash_) for name, hash_ in _hashes(meta, "lora:")]
    checkpoint = draft.checkpoint or uses.model(meta.get("Model"), meta.get("Model hash"))
    loras = uses.gather([*tagged, *hashed, *draft.loras])
    return replace(draft, loras=loras, checkpoint=checkpoint, notes=notes)


def _hashes(meta: dict[str, Any], prefix: str) -> Iterable[tuple[str, Any]]:
    hashes = meta.get("hashes")
    for name, hash_ in hashes.items() if isinstance(hashes, dict) else ():
        if name.casefold().startswith(prefix):
            yield name[len(prefix) :], hash_


def _draft(data: dict[str, Any], resources: list[Resource]) -> Draft:
    size = to_size(data.get("Size")) or (to_int(data.get("width")), to_int(data.get("height")))
    skip = to_int(data.get("clipSkip", data.get("Clip skip")))
    return Draft(
        generator="CivitAI",
        prompt=to_text(data.get("prompt")),
        negative_prompt=to_text(data.get("negativePrompt")),
        seed=to_seed(data.get("seed")),
        steps=to_int(data.get("steps")),
        cfg_scale=to_float(data.get("cfgScale")),
        sampler=to_name(data.get("sampler")),
        scheduler=to_name(data.get("scheduler", data.get("Schedule type"))),
        width=size[0],
        height=size[1],
        clip_skip=abs(skip) if skip else None,
        denoise=to_float(data.get("denoise", data.get("Denoising strength"))),
        checkpoint=_checkpoint(resources),
        loras=uses.gather([one.as_lora() for one in resources if one.role == "lora"]),
        embeddings=uses.gather([one.as_model() for one in resources if one.role == "embedding"]),
        vae=next((one.as_model() for one in resources if one.role == "vae"), None),
        other_models=uses.gather(_others(resources)),
    )


def _checkpoint(resources: list[Resource]) -> ModelUse | None:
    return next((one.as_model() for one in resources if one.role == "checkpoint"), None)


def _others(resources: list[Resource]) -> list[OtherUse | None]:
    apart = ("checkpoint", "lora", "embedding", "vae", "other")
    return [one.as_other() for one in resources if one.role not in apart]


def _old_airs(listed: Any) -> Iterable[Resource]:
    """Older graphs list ``ckpt_airs``, ``lora_airs`` and ``embedding_airs`` as ``model@version``."""
    for key, kind in (("ckpt_airs", "checkpoint"), ("lora_airs", "lora"), ("embedding_airs", "embedding")):
        items = listed.get(key) if isinstance(listed, dict) else None
        for item in items[: uses.MOST] if isinstance(items, list) else ():
            yield from _from_airs([f"urn:air:any:{kind}:civitai:{item}"])


def _with_roles(resources: list[Resource], named: list[Resource]) -> list[Resource]:
    """A resource has a strength but often no type; the AIR of the same version has the type and the model's id."""
    by_version = {one.fields.get("model_version_id"): one for one in named}
    found = []
    for one in resources:
        air = by_version.pop(one.fields.get("model_version_id"), None)
        role = air.role if air and one.role == "other" else one.role
        model_id = one.fields.get("model_id") or (air.fields.get("model_id") if air else None)
        found.append(replace(one, role=role, fields={**one.fields, "model_id": model_id}))
    return [*found, *by_version.values()]


def _from_airs(airs: Any) -> Iterable[Resource]:
    """``extra.airs`` names what was loaded, with types but without weights."""
    rows = [{"air": one} for one in airs if to_air(one)] if isinstance(airs, list) else []
    return from_list(rows)
