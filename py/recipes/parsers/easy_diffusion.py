"""Read Easy Diffusion: one PNG text for each setting, or one JSON object in EXIF, or a sidecar."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .. import uses
from ..carrier import Carrier, load_json
from ..draft import Draft, LoraUse
from ..values import to_float, to_int, to_name, to_seed, to_text

_SIGN = "use_stable_diffusion_model"
_LABELS = {
    "Prompt": "prompt",
    "Negative Prompt": "negative_prompt",
    "Width": "width",
    "Height": "height",
    "Seed": "seed",
    "Steps": "num_inference_steps",
    "Guidance Scale": "guidance_scale",
    "Prompt Strength": "prompt_strength",
    "Sampler": "sampler_name",
    "Stable Diffusion model": _SIGN,
    "VAE model": "use_vae_model",
    "Hypernetwork model": "use_hypernetwork_model",
    "LoRA model": "use_lora_model",
    "LoRA Strength": "lora_alpha",
}


def read_set(carriers: Mapping[str, Carrier]) -> tuple[Draft, str] | None:
    """Return draft and origin from the PNG texts together, or None where they are not Easy Diffusion's."""
    if _SIGN not in carriers:
        return None
    data = {key: _loose(one.text) for key, one in carriers.items()}
    draft = read(data)
    return (draft, carriers[_SIGN].where) if draft else None


def read(data: dict[str, Any]) -> Draft | None:
    """Return the draft of the JSON form, or None where it is not Easy Diffusion's."""
    if _SIGN not in data:
        return None
    return Draft(
        generator="Easy Diffusion",
        prompt=to_text(data.get("prompt")),
        negative_prompt=to_text(data.get("negative_prompt")),
        seed=to_seed(data.get("seed")),
        steps=to_int(data.get("num_inference_steps")),
        cfg_scale=to_float(data.get("guidance_scale")),
        sampler=to_name(data.get("sampler_name")),
        scheduler=to_name(data.get("scheduler_name")),
        width=to_int(data.get("width")),
        height=to_int(data.get("height")),
        denoise=to_float(data.get("prompt_strength")),
        checkpoint=uses.model(data.get(_SIGN)),
        loras=uses.gather(_loras(data)),
        vae=uses.model(data.get("use_vae_model")),
        other_models=uses.gather([
            uses.other("hypernet", data.get("use_hypernetwork_model")),
            uses.other("controlnet", data.get("use_controlnet_model")),
            uses.other("upscaler", data.get("use_upscale")),
        ]),
    )  # fmt: skip


def read_labels(text: str) -> Draft | None:
    """Return the draft of its text sidecar: the prompt, then a label in each line; None where it is none."""
    if "Stable Diffusion model: " not in text or "Guidance Scale: " not in text:
        return None
    first, *rest = text.strip().split("\n")
    named = dict(line.split(": ", 1) for line in rest if ": " in line)
    return read({"prompt": first, **{_LABELS[name]: _loose(one) for name, one in named.items() if name in _LABELS}})


def _loose(text: str) -> Any:
    """Lists were written as Python's ``str(list)``."""
    if text.startswith("["):
        return load_json(text.replace("'", '"')) or text
    return text


def _loras(data: dict[str, Any]) -> Iterator[LoraUse | None]:
    names, weights = _as_list(data.get("use_lora_model")), _as_list(data.get("lora_alpha"))
    for index, name in enumerate(names):
        weight = weights[index] if index < len(weights) else None
        yield uses.lora(name, model=weight, clip=weight)


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]
