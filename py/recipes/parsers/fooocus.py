"""Read the JSON of Fooocus, Fooocus-MRE and RuinedFooocus."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .. import uses
from ..draft import Draft, LoraUse, OtherUse
from ..values import to_float, to_int, to_name, to_seed, to_size, to_text

_WEIGHTED = re.compile(r"\s*(-?[\d.]+)\s+-\s+(.+)")
_TAG = re.compile(r"<([^:<>]{1,512}):(-?[\d.]+)>")


def read(data: dict[str, Any]) -> Draft | None:
    """Return the draft, or None where the object is of none of the three."""
    if data.get("software") == "RuinedFooocus" or ("base_model_name" in data and "Prompt" in data):
        return _ruined(data)
    if "real_prompt" in data or ("l1" in data and "w1" in data):
        return _mre(data)
    if "full_prompt" in data or data.get("metadata_scheme") == "fooocus" or _is_fooocus(data.get("version")):
        return _fooocus(data)
    return None


def _is_fooocus(version: Any) -> bool:
    return isinstance(version, str) and version.startswith("Fooocus")


def _fooocus(data: dict[str, Any]) -> Draft:
    size = to_size(data.get("resolution")) or (None, None)
    return Draft(
        generator="Fooocus",
        prompt=to_text(data.get("prompt")),
        negative_prompt=to_text(data.get("negative_prompt")),
        seed=to_seed(data.get("seed")),
        steps=to_int(data.get("steps")),
        cfg_scale=to_float(data.get("guidance_scale")),
        sampler=to_name(data.get("sampler")),
        scheduler=to_name(data.get("scheduler")),
        width=size[0],
        height=size[1],
        clip_skip=to_int(data.get("clip_skip")) or None,
        checkpoint=uses.model(data.get("base_model"), data.get("base_model_hash")),
        loras=uses.gather([*_listed(data.get("loras")), *_combined(data)]),
        vae=None if _is_default(data.get("vae")) else uses.model(data.get("vae")),
        other_models=uses.gather(_refiner(data)),
    )


def _is_default(vae: Any) -> bool:
    return isinstance(vae, str) and vae.startswith("Default")


def _refiner(data: dict[str, Any]) -> Iterator[OtherUse | None]:
    yield uses.other("refiner", data.get("refiner_model"), data.get("refiner_model_hash"))


def _listed(items: Any) -> Iterator[LoraUse | None]:
    for item in items if isinstance(items, list) else ():
        if isinstance(item, list) and len(item) > 1:
            yield uses.lora(item[0], item[2] if len(item) > 2 else None, model=item[1], clip=item[1])  # noqa: PLR2004 - name, weight, hash


def _combined(data: dict[str, Any]) -> Iterator[LoraUse | None]:
    """``lora_combined_1`` is ``name : weight``."""
    for key, value in data.items():
        if key.startswith("lora_combined_") and isinstance(value, str):
            name, _, weight = value.rpartition(" : ")
            yield uses.lora(name or value, model=weight, clip=weight)


def _mre(data: dict[str, Any]) -> Draft:
    size = to_size(data.get("resolution")) or (to_int(data.get("width")), to_int(data.get("height")))
    loras = [
        uses.lora(data.get(f"l{index}"), model=data.get(f"w{index}"), clip=data.get(f"w{index}"))
        for index in range(1, 17)
    ]
    refiner = uses.other("refiner", data.get("refiner_model"))
    return Draft(
        generator="Fooocus-MRE",
        prompt=to_text(data.get("prompt")),
        negative_prompt=to_text(data.get("negative_prompt")),
        seed=to_seed(data.get("seed")),
        steps=to_int(data.get("steps")),
        cfg_scale=to_float(data.get("cfg")),
        sampler=to_name(data.get("sampler")),
        scheduler=to_name(data.get("scheduler")),
        width=size[0],
        height=size[1],
        clip_skip=abs(to_int(data.get("base_clip_skip")) or 0) or None,
        checkpoint=uses.model(data.get("base_model")),
        loras=uses.gather(loras),
        other_models=uses.gather([refiner]),
    )


def _ruined(data: dict[str, Any]) -> Draft:
    return Draft(
        generator="RuinedFooocus",
        prompt=to_text(data.get("Prompt")),
        negative_prompt=to_text(data.get("Negative")),
        seed=to_seed(data.get("seed")),
        steps=to_int(data.get("steps")),
        cfg_scale=to_float(data.get("cfg")),
        sampler=to_name(data.get("sampler_name")),
        scheduler=to_name(data.get("scheduler")),
        width=to_int(data.get("width")),
        height=to_int(data.get("height")),
        clip_skip=to_int(data.get("clip_skip")) or None,
        denoise=to_float(data.get("denoise")),
        checkpoint=uses.model(data.get("base_model_name"), data.get("base_model_hash")),
        loras=uses.gather(_ruined_loras(data.get("loras"))),
    )


def _ruined_loras(items: Any) -> Iterator[LoraUse | None]:
    """``[[hash, "0.1 - name"]]``, or ``Loras:<name:0.1>,…``, or an empty list."""
    if isinstance(items, str):
        for name, weight in _TAG.findall(items):
            yield uses.lora(name, model=weight, clip=weight)
        return
    for item in items if isinstance(items, list) else ():
        hash_, label = (item[0], item[1]) if isinstance(item, list) and len(item) > 1 else (None, item)
        match = _WEIGHTED.fullmatch(label) if isinstance(label, str) else None
        if match:
            yield uses.lora(match[2], hash_, model=match[1], clip=match[1])
        else:
            yield uses.lora(label, hash_)
