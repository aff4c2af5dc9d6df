"""Stand in for the parts of ComfyUI that nodes use, each with a record of what it was asked."""

from __future__ import annotations

import sys
import types

import pytest

SAMPLERS = ["euler", "euler_ancestral", "dpmpp_2m", "dpmpp_2m_sde", "ddim", "uni_pc", "lms"]
SCHEDULERS = ["simple", "sgm_uniform", "karras", "exponential", "ddim_uniform", "beta", "normal"]


class Comfy:
    """Hold the files that ComfyUI would know, and a record of its loaders' calls."""

    def __init__(self, output):
        self.files = {
            "checkpoints": ["house.safetensors"],
            "loras": ["thing.safetensors", "styles/ink.safetensors"],
            "diffusion_models": ["flux.safetensors"],
        }
        self.calls = []
        self.loaders = 0
        self.output = output


def modules(comfy):
    class LoraLoader:
        def __init__(self):
            comfy.loaders += 1

        def load_lora(self, model, clip, name, for_model, for_clip):
            comfy.calls.append((name, for_model, for_clip))
            return f"{model}+{name}", clip and f"{clip}+{name}"

    class CheckpointLoaderSimple:
        def load_checkpoint(self, name):
            comfy.calls.append(name)
            return f"model:{name}", f"clip:{name}", f"vae:{name}"

    class UNETLoader:
        def load_unet(self, name, dtype):
            comfy.calls.append((name, dtype))
            return (f"model:{name}",)

    nodes = types.ModuleType("nodes")
    nodes.LoraLoader, nodes.CheckpointLoaderSimple, nodes.UNETLoader = LoraLoader, CheckpointLoaderSimple, UNETLoader
    folder_paths = types.ModuleType("folder_paths")
    folder_paths.folder_names_and_paths = comfy.files
    folder_paths.get_filename_list = lambda kind: comfy.files[kind]
    folder_paths.get_output_directory = lambda: str(comfy.output)
    folder_paths.get_save_image_path = lambda prefix, folder, _width, _height: (folder, prefix, 1, "", prefix)
    samplers = types.ModuleType("comfy.samplers")
    samplers.KSampler = types.SimpleNamespace(SAMPLERS=SAMPLERS, SCHEDULERS=SCHEDULERS)
    cli_args = types.ModuleType("comfy.cli_args")
    cli_args.args = types.SimpleNamespace(disable_metadata=False, listen="127.0.0.1")
    named = {"nodes": nodes, "folder_paths": folder_paths, "comfy": types.ModuleType("comfy")}
    return {**named, "comfy.samplers": samplers, "comfy.cli_args": cli_args}


@pytest.fixture
def comfy(monkeypatch, tmp_path):
    made = Comfy(tmp_path)
    for name, module in modules(made).items():
        monkeypatch.setitem(sys.modules, name, module)
    return made


RECIPE = {
    "id": "r1",
    "title": "A cat",
    "prompt": "a cat <lora:thing:0.8>",
    "negative_prompt": None,
    "seed": 7,
    "steps": None,
    "cfg_scale": 6.5,
    "sampler": "DPM++ 2M Karras",
    "scheduler": None,
    "width": 768,
    "height": None,
    "checkpoint": {"name": "house", "hash": "0123456789", "hash_type": "autov2"},
    "loras": [
        {"name": "thing", "strength_model": 0.8, "strength_clip": 0.5, "hash": None},
        {"name": "styles\\ink.safetensors", "strength_model": None, "strength_clip": None, "hash": None},
    ],
}


class FakeShelf:
    """Hold recipes by id, and a record of what was stored."""

    def __init__(self, *recipes):
        self.recipes = {one["id"]: one for one in recipes}
        self.stored = []
        self.hashes = {}

    def recipe(self, wanted):
        return self.recipes[wanted]

    def recipe_or_none(self, wanted):
        return self.recipes.get(wanted)

    def hashes_of(self, names):
        return {name: self.hashes[name] for name in names if name in self.hashes}

    def store(self, picture, tags):
        self.stored.append((picture, tags))
        return "job"


@pytest.fixture
def shelf():
    return FakeShelf(RECIPE)
