"""Read the block that LoRA Manager appends to A1111 text, for people who move to Pantry."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from .. import uses
from ..carrier import load_json
from ..draft import Draft, LoraUse, ModelUse
from ..values import to_float, to_int, to_seed, to_size, to_text

MARK = "Recipe metadata: "
_DECODER = json.JSONDecoder()


def cut(text: str) -> tuple[str, Draft | None]:
    """Return the text without the block, and the block's draft where there is one."""
    at = text.rfind(MARK)
    if at < 0:
        return text, None
    start = at + len(MARK)
    try:
        _, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return text, None
    data = load_json(text[start:end])
    return text[:at].rstrip(" \n\r\t,") + text[end:].rstrip(), draft_of(data) if isinstance(data, dict) else None


def draft_of(data: dict[str, Any]) -> Draft:
    """Return what a recipe in LoRA Manager's form says."""
    params = data.get("gen_params")
    params = params if isinstance(params, dict) else {}
    size = to_size(params.get("size")) or (None, None)
    return Draft(
        prompt=to_text(params.get("prompt")),
        negative_prompt=to_text(params.get("negative_prompt")),
        seed=to_seed(params.get("seed")),
        steps=to_int(params.get("steps")),
        cfg_scale=to_float(params.get("cfg_scale")),
        sampler=to_text(params.get("sampler")),
        width=size[0],
        height=size[1],
        clip_skip=to_int(params.get("clip_skip")),
        checkpoint=_checkpoint(data.get("checkpoint"), data.get("base_model")),
        loras=uses.gather(_loras(data.get("loras"))),
    )


def _checkpoint(value: Any, base_model: Any) -> ModelUse | None:
    if not isinstance(value, dict):
        return None
    name = value.get("file_name") or value.get("modelName") or value.get("name")
    return uses.model(name, value.get("hash"), value.get("modelVersionId"), base_model=to_text(base_model))


def _loras(items: Any) -> Iterator[LoraUse | None]:
    for item in items if isinstance(items, list) else ():
        if isinstance(item, dict):
            strength = item.get("strength")
            yield uses.lora(
                item.get("file_name") or item.get("modelName"),
                item.get("hash"),
                item.get("modelVersionId"),
                model=strength,
                clip=item.get("clipStrength", strength),
                version_name=to_text(item.get("modelVersionName")),
            )
