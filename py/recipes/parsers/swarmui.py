"""Read SwarmUI's ``sui_image_params`` object."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .. import uses
from ..draft import Draft, LoraUse, OtherUse
from ..values import normalised_name, to_float, to_int, to_name, to_seed, to_text


def read(data: dict[str, Any]) -> Draft | None:
    """Return the draft, or None where the object is not SwarmUI's."""
    params = data.get("sui_image_params")
    if not isinstance(params, dict):
        return None
    models = _Hashes(data.get("sui_models"))
    return Draft(
        generator="SwarmUI",
        prompt=to_text(params.get("prompt")),
        negative_prompt=to_text(params.get("negativeprompt")),
        seed=to_seed(params.get("seed")),
        steps=to_int(params.get("steps")),
        cfg_scale=to_float(params.get("cfgscale")),
        guidance=to_float(params.get("fluxguidancescale")),
        sampler=to_name(params.get("sampler")),
        scheduler=to_name(params.get("scheduler")),
        width=to_int(params.get("width")),
        height=to_int(params.get("height")),
        clip_skip=_clip_skip(params.get("clipstopatlayer")),
        denoise=to_float(params.get("initimagecreativity")),
        checkpoint=uses.model(params.get("model"), models.of(params.get("model"))),
        loras=uses.gather(_loras(params, models)),
        vae=uses.model(_unless_automatic(params.get("vae")), models.of(params.get("vae"))),
        other_models=uses.gather(_others(params, models)),
    )


class _Hashes:
    """Find a model's hash by its path without extension: ``sui_models`` has it with one."""

    def __init__(self, items: Any) -> None:
        rows = [one for one in items if isinstance(one, dict)] if isinstance(items, list) else []
        self._by_name = {_stem(one["name"]): one.get("hash") for one in rows if isinstance(one.get("name"), str)}

    def of(self, name: Any) -> Any:
        return self._by_name.get(_stem(name)) if isinstance(name, str) else None


def _stem(name: str) -> str:
    return normalised_name(name)


def _clip_skip(value: Any) -> int | None:
    layer = to_int(value)
    return abs(layer) if layer else None


def _unless_automatic(value: Any) -> Any:
    return None if isinstance(value, str) and value.casefold() in ("automatic", "none") else value


def _loras(params: dict[str, Any], models: _Hashes) -> Iterator[LoraUse | None]:
    """Names, weights and text encoder weights are lists of one length; older versions wrote comma strings."""
    weights, encoder_weights = as_list(params.get("loraweights")), as_list(params.get("loratencweights"))
    for index, name in enumerate(as_list(params.get("loras"))):
        weight = weights[index] if index < len(weights) else None
        clip = encoder_weights[index] if index < len(encoder_weights) else weight
        yield uses.lora(name, models.of(name), model=weight, clip=clip)


def as_list(value: Any) -> list[Any]:
    """Return a list, or the items of a comma string."""
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return value if isinstance(value, list) else []


def _others(params: dict[str, Any], models: _Hashes) -> Iterator[OtherUse | None]:
    refiner = params.get("refinermodel")
    if isinstance(refiner, str) and not refiner.startswith("(Use Base"):
        yield uses.other("refiner", refiner, models.of(refiner))
    for role, key in (("upscaler", "refinerupscalemethod"), ("controlnet", "controlnetmodel")):
        name = params.get(key)
        if isinstance(name, str) and (role != "upscaler" or name.startswith("model-")):
            yield uses.other(role, name.removeprefix("model-"), models.of(name))
    for key in ("clipgmodel", "cliplmodel", "t5xxlmodel", "qwenmodel", "llamamodel"):
        yield uses.other("text_encoder", params.get(key), models.of(params.get(key)))
