"""Read the JSON of image services and small programs: Tensor.art, Stability Matrix, Hugging Face spaces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .. import uses
from ..draft import Draft, LoraUse, ModelUse
from ..values import to_float, to_int, to_name, to_seed, to_size, to_text
from .schedulers import in_sampler


def read_tensorart(data: dict[str, Any]) -> Draft | None:
    """Return the draft of Tensor.art's ``generation_data``; its seed of -1 leaves the graph's to count."""
    if "ksamplerName" not in data and not ("baseModel" in data and "cfgScale" in data):
        return None
    return Draft(
        generator="Tensor.art",
        prompt=to_text(data.get("prompt")),
        negative_prompt=to_text(data.get("negativePrompt")),
        seed=to_seed(data.get("seed")),
        steps=to_int(data.get("steps")),
        cfg_scale=to_float(data.get("cfgScale")),
        sampler=to_name(data.get("ksamplerName")),
        scheduler=to_name(data.get("schedule")),
        width=to_int(data.get("width")),
        height=to_int(data.get("height")),
        clip_skip=to_int(data.get("clipSkip")) or None,
        checkpoint=_tensorart_model(data.get("baseModel")),
        loras=uses.gather(_tensorart_loras(data.get("models"))),
        vae=None if data.get("sdVae") == "Automatic" else uses.model(data.get("sdVae")),
    )


def _tensorart_model(model: Any) -> ModelUse | None:
    if not isinstance(model, dict):
        return None
    base = to_name(model.get("baseModel"))
    version = to_name(model.get("label"))
    return uses.model(model.get("modelFileName"), model.get("hash"), base_model=base, version_name=version)


def _tensorart_loras(items: Any) -> Iterator[LoraUse | None]:
    for item in items if isinstance(items, list) else ():
        if isinstance(item, dict) and str(item.get("type", "LORA")).upper() in ("LORA", "LYCORIS", "LOCON", "DORA"):
            weight = item.get("weight")
            name = item.get("modelFileName") or item.get("label")
            yield uses.lora(name, item.get("hash"), model=weight, clip=weight)


def read_stability_matrix(data: dict[str, Any]) -> Draft | None:
    """Return the draft of Stability Matrix's ``parameters-json``, without its sampler, which is a display name."""
    if "PositivePrompt" not in data:
        return None
    return Draft(
        generator="Stability Matrix",
        prompt=to_text(data.get("PositivePrompt")),
        negative_prompt=to_text(data.get("NegativePrompt")),
        seed=to_seed(data.get("Seed")),
        steps=to_int(data.get("Steps")),
        cfg_scale=to_float(data.get("CfgScale")),
        width=to_int(data.get("Width")) or None,
        height=to_int(data.get("Height")) or None,
        checkpoint=uses.model(data.get("ModelName"), data.get("ModelHash"), data.get("ModelVersionId")),
    )


def read_space(data: dict[str, Any]) -> Draft | None:
    """Return the draft of a Hugging Face space of the Animagine kind."""
    if "num_inference_steps" not in data or not ("Model" in data or "resolution" in data):
        return None
    size = to_size(data.get("resolution")) or (to_int(data.get("width")), to_int(data.get("height")))
    sampler = to_name(data.get("sampler"))
    return Draft(
        generator="Hugging Face space",
        prompt=to_text(data.get("prompt")),
        negative_prompt=to_text(data.get("negative_prompt")),
        seed=to_seed(data.get("seed")),
        steps=to_int(data.get("num_inference_steps")),
        cfg_scale=to_float(data.get("guidance_scale")),
        sampler=sampler,
        scheduler=in_sampler(sampler),
        width=size[0],
        height=size[1],
        hires=_space_upscale(data.get("use_upscaler")),
        checkpoint=uses.model(data.get("Model"), data.get("Model hash")),
    )


def _space_upscale(upscale: Any) -> dict[str, Any]:
    if not isinstance(upscale, dict):
        return {}
    size = to_size(upscale.get("new_resolution")) or (None, None)
    found = {
        "upscaler": to_name(upscale.get("upscale_method")),
        "upscale": to_float(upscale.get("upscale_factor")),
        "denoise": to_float(upscale.get("strength")),
        "width": size[0],
        "height": size[1],
    }
    return {name: value for name, value in found.items() if value is not None}
