"""Describe a handful of nodes as ComfyUI's /object_info does, enough for a workflow that a recipe can be sent to."""

from __future__ import annotations

from typing import Any

SAMPLERS = ["euler", "euler_ancestral", "dpmpp_2m"]
SCHEDULERS = ["normal", "karras"]
CHECKPOINTS = ["other.safetensors", "sdxl/juggernautXL_v9.safetensors"]
LORAS = ["none.safetensors", "styles/misty_mornings.safetensors"]


def node(name: str, inputs: dict[str, Any], outputs: list[str]) -> dict[str, Any]:
    """Return one node's description."""
    return {
        "name": name,
        "display_name": name,
        "description": "",
        "category": "test",
        "python_module": "nodes",
        "input": {"required": inputs},
        "input_order": {"required": list(inputs)},
        "output": outputs,
        "output_name": outputs,
        "output_is_list": [False] * len(outputs),
        "output_node": False,
    }


def _number(kind: str, default: float) -> list[Any]:
    return [kind, {"default": default, "min": 0, "max": 2**53, "step": 1 if kind == "INT" else 0.01}]


NODES = {
    "CheckpointLoaderSimple": node("CheckpointLoaderSimple", {"ckpt_name": [CHECKPOINTS]}, ["MODEL", "CLIP", "VAE"]),
    "CLIPTextEncode": node(
        "CLIPTextEncode", {"text": ["STRING", {"multiline": True}], "clip": ["CLIP"]}, ["CONDITIONING"]
    ),
    "EmptyLatentImage": node(
        "EmptyLatentImage", {"width": _number("INT", 512), "height": _number("INT", 512)}, ["LATENT"]
    ),
    "LoraLoader": node(
        "LoraLoader",
        {
            "model": ["MODEL"],
            "clip": ["CLIP"],
            "lora_name": [LORAS],
            "strength_model": _number("FLOAT", 1),
            "strength_clip": _number("FLOAT", 1),
        },
        ["MODEL", "CLIP"],
    ),
    "KSampler": node(
        "KSampler",
        {
            "model": ["MODEL"],
            "seed": _number("INT", 0),
            "steps": _number("INT", 20),
            "cfg": _number("FLOAT", 8),
            "sampler_name": [SAMPLERS],
            "scheduler": [SCHEDULERS],
            "positive": ["CONDITIONING"],
            "negative": ["CONDITIONING"],
            "latent_image": ["LATENT"],
        },
        ["LATENT"],
    ),
    "PantryRecipeLoader": node(
        "PantryRecipeLoader", {"recipe": ["STRING", {"default": "", "pantry": "recipe"}]}, ["MODEL"]
    ),
}

# The oldest front end looks these up by name before it draws a file's combo.
_LOADERS = (
    "ImageOnlyCheckpointLoader",
    "LoraLoaderModelOnly",
    "VAELoader",
    "ControlNetLoader",
    "UNETLoader",
    "UpscaleModelLoader",
    "StyleModelLoader",
    "GLIGENLoader",
)
NODES |= {name: node(name, {}, ["MODEL"]) for name in _LOADERS}

# Builds that workflow in the page with ComfyUI's own graph.
BUILD = """() => {
  const { graph } = window.app
  graph.clear()
  const add = (type) => { const node = window.LiteGraph.createNode(type); graph.add(node); return node }
  const [positive, negative, sampler] = ["CLIPTextEncode", "CLIPTextEncode", "KSampler"].map(add)
  ;["CheckpointLoaderSimple", "EmptyLatentImage", "LoraLoader", "PantryRecipeLoader"].forEach(add)
  const slot = (name) => sampler.inputs.findIndex((input) => input.name === name)
  positive.connect(0, sampler, slot("positive"))
  negative.connect(0, sampler, slot("negative"))
}"""
VALUES = """() => window.app.graph.nodes.map((node) => [
  node.comfyClass,
  Object.fromEntries((node.widgets ?? []).map((widget) => [widget.name, widget.value])),
])"""
