"""Read Draw Things: JSON in the XMP packet's UserComment."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .. import uses
from ..draft import Draft, LoraUse, OtherUse
from ..values import to_float, to_int, to_name, to_seed, to_size, to_text


def read(data: dict[str, Any]) -> Draft | None:
    """Return the draft, or None where the object is not Draw Things'.

    LoRAs are those of the list; tags in the prompt were not applied.
    """
    if "c" not in data or not {"uc", "model", "sampler", "v2"} & data.keys():
        return None
    size = to_size(data.get("size")) or (None, None)
    refiner = data.get("v2")
    return Draft(
        generator="Draw Things",
        prompt=to_text(data.get("c")),
        negative_prompt=to_text(data.get("uc")),
        seed=to_seed(data.get("seed")),
        steps=to_int(data.get("steps")),
        cfg_scale=to_float(data.get("scale")),
        sampler=to_name(data.get("sampler")),
        width=size[0],
        height=size[1],
        denoise=to_float(data.get("strength")),
        checkpoint=uses.model(data.get("model")),
        loras=uses.gather(_loras(data.get("lora"))),
        other_models=uses.gather(_refiner(refiner if isinstance(refiner, dict) else {})),
    )


def _loras(items: Any) -> Iterator[LoraUse | None]:
    for item in items if isinstance(items, list) else ():
        if isinstance(item, dict):
            yield uses.lora(item.get("model") or item.get("file"), model=item.get("weight"), clip=item.get("weight"))


def _refiner(data: dict[str, Any]) -> Iterator[OtherUse | None]:
    yield uses.other("refiner", data.get("refinerModel"))
    yield uses.other("upscaler", data.get("upscaler"))
