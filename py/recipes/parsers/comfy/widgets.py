"""Know which value of the editor's ``widgets_values`` belongs to which input, for nodes whose editor does not say.

The order is the node's own declaration, required inputs first (ComfyUI nodes.py and comfy_extras). A seed is
followed by one more entry, which says what happens to it after a run.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_CONTROL = frozenset({"randomize", "fixed", "increment", "decrement", "increment-wrap"})
_SEEDS = frozenset({"seed", "noise_seed", "value", "seed_value"})

_TABLE = """
KSampler: seed steps cfg sampler_name scheduler denoise
KSamplerAdvanced: add_noise noise_seed steps cfg sampler_name scheduler start_at_step end_at_step return_with_leftover_noise
SamplerCustom: add_noise noise_seed cfg
RandomNoise: noise_seed
CFGGuider: cfg
DualCFGGuider: cfg_conds cfg_cond2_negative style
KSamplerSelect: sampler_name
BasicScheduler: scheduler steps denoise
KarrasScheduler: steps sigma_max sigma_min rho
ExponentialScheduler: steps sigma_max sigma_min
PolyexponentialScheduler: steps sigma_max sigma_min rho
BetaSamplingScheduler: steps alpha beta
VPScheduler: steps beta_d beta_min eps_s
SDTurboScheduler: steps denoise
AlignYourStepsScheduler: model_type steps denoise
GITSScheduler: coeff steps denoise
OptimalStepsScheduler: model_type steps denoise
LTXVScheduler: steps max_shift base_shift stretch terminal
CheckpointLoaderSimple: ckpt_name
CheckpointLoader: config_name ckpt_name
unCLIPCheckpointLoader: ckpt_name
ImageOnlyCheckpointLoader: ckpt_name
DiffusersLoader: model_path
UNETLoader: unet_name weight_dtype
UnetLoaderGGUF: unet_name
VAELoader: vae_name
CLIPLoader: clip_name type device
DualCLIPLoader: clip_name1 clip_name2 type device
TripleCLIPLoader: clip_name1 clip_name2 clip_name3
QuadrupleCLIPLoader: clip_name1 clip_name2 clip_name3 clip_name4
ControlNetLoader: control_net_name
UpscaleModelLoader: model_name
LoraLoader: lora_name strength_model strength_clip
LoraLoaderModelOnly: lora_name strength_model
CreateHookLora: lora_name strength_model strength_clip
CLIPSetLastLayer: stop_at_clip_layer
CLIPTextEncode: text
CLIPTextEncodeSDXL: width height crop_w crop_h target_width target_height text_g text_l
CLIPTextEncodeSDXLRefiner: ascore width height text
CLIPTextEncodeFlux: clip_l t5xxl guidance
CLIPTextEncodeSD3: clip_l clip_g t5xxl empty_padding
CLIPTextEncodeHunyuanDiT: bert mt5xl
CLIPTextEncodeHiDream: clip_l clip_g t5xxl llama
CLIPTextEncodeLumina2: system_prompt user_prompt
CLIPTextEncodePixArtAlpha: width height text
CLIPTextEncodeControlnet: text
TextEncodeQwenImageEdit: prompt
TextEncodeQwenImageEditPlus: prompt
TextEncodeAceStepAudio: tags lyrics lyrics_strength
FluxGuidance: guidance
EmptyLatentImage: width height batch_size
EmptySD3LatentImage: width height batch_size
EmptyHunyuanImageLatent: width height batch_size
EmptyChromaRadianceLatentImage: width height batch_size
EmptyHunyuanLatentVideo: width height length batch_size
EmptyMochiLatentVideo: width height length batch_size
EmptyLTXVLatentVideo: width height length batch_size
EmptyCosmosLatentVideo: width height length batch_size
StableCascade_EmptyLatentImage: width height compression batch_size
WanImageToVideo: width height length batch_size
Wan22ImageToVideoLatent: width height length batch_size
LatentUpscale: upscale_method width height crop
LatentUpscaleBy: upscale_method scale_by
SaveImage: filename_prefix
SaveAnimatedWEBP: filename_prefix fps lossless quality method
SaveAnimatedPNG: filename_prefix fps compress_level
SaveVideo: filename_prefix format codec
SaveWEBM: filename_prefix codec fps crf
LoadImage: image upload
CLIPVisionEncode: crop
PrimitiveString: value
PrimitiveStringMultiline: value
PrimitiveInt: value
PrimitiveFloat: value
PrimitiveBoolean: value
StringConcatenate: string_a string_b delimiter
KSampler (Efficient): seed steps cfg sampler_name scheduler denoise preview_method vae_decode
KSampler Adv. (Efficient): add_noise noise_seed steps cfg sampler_name scheduler start_at_step end_at_step return_with_leftover_noise preview_method vae_decode
KSampler SDXL (Eff.): noise_seed steps cfg sampler_name scheduler start_at_step refine_at_step preview_method vae_decode
Efficient Loader: ckpt_name vae_name clip_skip lora_name lora_model_strength lora_clip_strength positive negative token_normalization weight_interpretation empty_latent_width empty_latent_height batch_size
Eff. Loader SDXL: base_ckpt_name base_clip_skip refiner_ckpt_name refiner_clip_skip positive_ascore negative_ascore vae_name positive negative token_normalization weight_interpretation empty_latent_width empty_latent_height batch_size
Power Prompt (rgthree): prompt insert_lora insert_embedding insert_saved
Seed (rgthree): seed
CR Seed: seed
ImpactWildcardEncode: wildcard_text populated_text mode lora wildcard seed
ImpactWildcardProcessor: wildcard_text populated_text mode seed
WanVideoTextEncode: positive_prompt negative_prompt force_offload
WanVideoSampler: steps cfg shift seed force_offload scheduler riflex_freq_index denoise_strength
WanVideoModelLoader: model base_precision quantization load_device attention_mode
WanVideoLoraSelect: lora strength low_mem_load
ShowText|pysssss: text
"""  # noqa: E501 - one node a line


def _numbered(pattern: str, count: int) -> list[str]:
    return [part.format(index) for index in range(1, count + 1) for part in pattern.split()]


_BY_TYPE: dict[str, list[str]] = {
    **{kind: names.split() for kind, names in (line.split(": ", 1) for line in _TABLE.strip().splitlines())},
    "LoRA Stacker": [
        "input_mode", "lora_count",
        *_numbered("lora_name_{0} lora_wt_{0} model_str_{0} clip_str_{0}", 49),
    ],
    "CR LoRA Stack": _numbered("switch_{0} lora_name_{0} model_weight_{0} clip_weight_{0}", 3),
    "Lora Loader Stack (rgthree)": _numbered("lora_0{0} strength_0{0}", 4),
    "easy loraStack": [
        "toggle", "mode", "num_loras",
        *_numbered("lora_{0}_name lora_{0}_strength lora_{0}_model_strength lora_{0}_clip_strength", 10),
    ],
}  # fmt: skip


def widget_inputs(kind: str, values: Any, declared: list[str]) -> dict[str, Any]:
    """Return input values by name; `declared` are the widgets that the editor lists for this node itself."""
    if isinstance(values, dict):
        return {str(name): value for name, value in values.items()}
    if not isinstance(values, list):
        return {}
    names = _BY_TYPE.get(kind) or declared
    found = dict(_pair(names, values)) if names else {}
    return {**_guess(kind, values, named=bool(found)), **found}


def _pair(names: list[str], values: list[Any]) -> Iterator[tuple[str, Any]]:
    at = 0
    for name in names:
        if at >= len(values):
            return
        yield name, values[at]
        at += 1
        if name in _SEEDS and at < len(values) and _is_control(values[at], exact=name == "value"):
            at += 1


def _is_control(value: Any, *, exact: bool) -> bool:
    """Older editors wrote true or false for "random seed after every run"."""
    return (not exact and (value is None or isinstance(value, bool))) or (isinstance(value, str) and value in _CONTROL)


def _guess(kind: str, values: list[Any], *, named: bool) -> dict[str, Any]:
    """What a value is by itself: rows of a LoRA list, a Power Lora Loader's object, a model file, a prompt."""
    found: dict[str, Any] = {}
    for index, value in enumerate(values):
        if isinstance(value, dict) and "lora" in value:
            found[f"lora_{index}"] = value
        elif isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
            found["loras"] = value
        elif not named and isinstance(value, str | int | float):
            found[f"widget_{index}"] = value
    if not named and any(word in kind.casefold() for word in ("encode", "prompt", "text", "string")):
        text = next((value for value in values if isinstance(value, str)), None)
        if text is not None:
            found["text"] = text
    return found
