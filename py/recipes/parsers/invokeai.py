"""Read InvokeAI's three generations: ``invokeai_metadata``, ``sd-metadata`` and ``Dream``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .. import uses
from ..draft import Draft, LoraUse, ModelUse, OtherUse
from ..values import to_float, to_int, to_name, to_seed, to_text

_WITH_LORA = re.compile(r"withLora\(([^,()]{1,512})(?:,\s{0,8}(-?[\d.]{1,16})\s{0,8})?\)")
_DREAM = re.compile(r'^\s*"(.*)"\s+(-.*)$', re.DOTALL)
_SWITCH = re.compile(r"(?:^|\s)-([A-Za-z]\w*)\s+([^\s-]\S*|-[\d.]\S*)")
_NEGATIVE = re.compile(r"\[([^\[\]]*)\]")

# How each field is read, and what the generations call it.
_READERS: dict[str, Callable[[Any], Any]] = {
    "seed": to_seed,
    "steps": to_int,
    "cfg_scale": to_float,
    "guidance": to_float,
    "sampler": to_name,
    "width": to_int,
    "height": to_int,
    "denoise": to_float,
}
_SAME = {name: name for name in ("seed", "steps", "cfg_scale", "width", "height")}
_SWITCHES = {"seed": "S", "steps": "s", "cfg_scale": "C", "sampler": "A", "width": "W", "height": "H", "denoise": "f"}


def read(data: dict[str, Any]) -> Draft | None:
    """Return the draft of either JSON generation, or None where the object is neither."""
    if isinstance(data.get("image"), dict) and ("model_weights" in data or "app_id" in data):
        return _second(data, data["image"])
    if "positive_prompt" in data or "generation_mode" in data or ("app_version" in data and "scheduler" in data):
        return _third(data)
    return None


def _facts(data: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return fields of a draft from a record that has them under `names`."""
    return {field: _READERS[field](data.get(name)) for field, name in names.items()}


def _third(data: dict[str, Any]) -> Draft:
    return Draft(
        generator="InvokeAI",
        prompt=to_text(data.get("positive_prompt")),
        negative_prompt=to_text(data.get("negative_prompt")),
        **_facts(data, {**_SAME, "guidance": "guidance", "sampler": "scheduler", "denoise": "strength"}),
        clip_skip=to_int(data.get("clip_skip")) or None,
        hires=_hires(data),
        checkpoint=_model(data.get("model")),
        loras=uses.gather(_loras(data.get("loras"))),
        vae=_model(data.get("vae")),
        other_models=uses.gather(_others(data)),
    )


def _hires(data: dict[str, Any]) -> dict[str, Any]:
    if not data.get("hrf_enabled"):
        return {}
    found = {"denoise": to_float(data.get("hrf_strength")), "upscaler": to_name(data.get("hrf_method"))}
    return {name: value for name, value in found.items() if value is not None}


def _identity(model: Any) -> dict[str, Any] | None:
    """Name, hash and base, in the words of version 4 and up, or of 3."""
    if not isinstance(model, dict):
        return None
    found = uses.naming(model.get("name") or model.get("model_name"), model.get("hash"))
    base = to_name(model.get("base") or model.get("base_model"))
    return {**found, "base_model": base} if uses.names_something(found) else None


def _model(model: Any) -> ModelUse | None:
    found = _identity(model)
    return ModelUse(**found) if found else None


def _loras(items: Any) -> Iterator[LoraUse | None]:
    for item in items if isinstance(items, list) else ():
        if not isinstance(item, dict):
            continue
        weight = to_float(item.get("weight"))
        if found := _identity(item.get("model") or item.get("lora")):
            yield LoraUse(strength_model=weight, strength_clip=weight, **found)


def _others(data: dict[str, Any]) -> Iterator[OtherUse | None]:
    yield _in_role("refiner", data.get("refiner_model"))
    for role, key, inner in (
        ("controlnet", "controlnets", "control_model"),
        ("ip_adapter", "ipAdapters", "ip_adapter_model"),
        ("t2i_adapter", "t2iAdapters", "t2i_adapter_model"),
    ):
        items = data.get(key)
        for item in items if isinstance(items, list) else ():
            yield _in_role(role, item.get(inner)) if isinstance(item, dict) else None
    for key in ("t5_encoder", "clip_embed_model", "qwen3_encoder"):
        yield _in_role("text_encoder", data.get(key))


def _in_role(role: str, model: Any) -> OtherUse | None:
    found = _identity(model)
    return OtherUse(role=role, **found) if found else None


def _second(data: dict[str, Any], image: dict[str, Any]) -> Draft:
    prompt, negative = _split_negative(_prompt_text(image.get("prompt")))
    return Draft(
        generator="InvokeAI",
        prompt=prompt,
        negative_prompt=negative,
        **_facts(image, {**_SAME, "sampler": "sampler", "denoise": "strength"}),
        checkpoint=uses.model(data.get("model_weights"), data.get("model_hash")),
        loras=uses.gather(_with_loras(prompt or "")),
    )


def _prompt_text(prompt: Any) -> str | None:
    """A text, or a list of ``{prompt, weight}``."""
    if isinstance(prompt, list):
        texts = [one.get("prompt") for one in prompt if isinstance(one, dict)]
        return "\n".join(text for text in texts if isinstance(text, str)) or None
    return to_text(prompt)


def _split_negative(text: str | None) -> tuple[str | None, str | None]:
    """The negative prompt stands in square brackets inside the prompt."""
    if text is None:
        return None, None
    negatives = [part.strip() for part in _NEGATIVE.findall(text)]
    return _NEGATIVE.sub("", text).strip(), ", ".join(negatives) if negatives else None


def _with_loras(prompt: str) -> Iterator[LoraUse | None]:
    for name, weight in _WITH_LORA.findall(prompt):
        yield uses.lora(name, model=weight or None, clip=weight or None)


def read_dream(text: str) -> Draft | None:
    """Return the draft of ``"prompt [negative]" -s 50 -S 123 -W 512 …``, or None."""
    match = _DREAM.match(text) if text.lstrip().startswith('"') else None
    if match is None:
        return None
    switches = dict(_SWITCH.findall(match[2]))
    if "S" not in switches and "s" not in switches:
        return None
    prompt, negative = _split_negative(match[1])
    return Draft(
        generator="InvokeAI",
        prompt=prompt,
        negative_prompt=negative,
        **_facts(switches, _SWITCHES),
        loras=uses.gather(_with_loras(prompt or "")),
    )
