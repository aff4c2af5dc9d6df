"""Save pictures that say everything, and keep them as recipes."""

from __future__ import annotations

import json
import sys

import pytest

from py.nodes.catalogue import node_classes
from py.nodes.expand import Expansion
from py.nodes.recipe_parameters import parameters
from py.recipes.reader import read_image
from tests.nodes.conftest import RECIPE

GRAPH = {
    "1": {"class_type": "CheckpointLoaderSimple", "inputs": {"ckpt_name": "house.safetensors"}},
    "2": {
        "class_type": "LoraLoader",
        "inputs": {
            "lora_name": "thing.safetensors",
            "strength_model": 0.8,
            "strength_clip": 0.8,
            "model": ["1", 0],
            "clip": ["1", 1],
        },
    },
    "3": {"class_type": "CLIPTextEncode", "inputs": {"text": "a cat", "clip": ["2", 1]}},
    "4": {"class_type": "CLIPTextEncode", "inputs": {"text": "blurry", "clip": ["2", 1]}},
    "5": {"class_type": "EmptyLatentImage", "inputs": {"width": 8, "height": 8, "batch_size": 1}},
    "6": {
        "class_type": "KSampler",
        "inputs": {
            "model": ["2", 0],
            "positive": ["3", 0],
            "negative": ["4", 0],
            "latent_image": ["5", 0],
            "seed": 5,
            "steps": 20,
            "cfg": 7.0,
            "sampler_name": "euler",
            "scheduler": "normal",
            "denoise": 1.0,
        },
    },
    "7": {"class_type": "VAEDecode", "inputs": {"samples": ["6", 0], "vae": ["1", 2]}},
    "8": {"class_type": "PantrySaveRecipe", "inputs": {"images": ["7", 0], "filename_prefix": "Pantry", "tags": ""}},
}


class Pixels:
    """Stand in for one image of a batch: a tensor of height x width x 3."""

    shape = (8, 8, 3)

    def cpu(self):
        return self

    def numpy(self):
        return self

    def __mul__(self, _other):
        return self

    def clip(self, _low, _high):
        return self

    def astype(self, _kind):
        return self

    @property
    def __array_interface__(self):
        return {"shape": self.shape, "typestr": "|u1", "version": 3, "strides": (24, 3, 1)}

    def tobytes(self):
        return bytes(192)


@pytest.fixture
def saved(comfy, shelf):
    def save(prompt, **extra):
        shown = node_classes(shelf)["PantrySaveRecipe"]().run([Pixels(), Pixels()], "Pantry", "a, b ,", prompt, extra)
        return [comfy.output / one["filename"] for one in shown["ui"]["images"]]

    return save


def test_each_image_of_a_batch_is_saved_and_stored(saved, shelf):
    """Two images, two files, two recipes with the tags."""
    files = saved(GRAPH, workflow={"nodes": []})
    assert [one.name for one in files] == ["Pantry_00001_.png", "Pantry_00002_.png"]
    assert shelf.stored == [(one, ("a", "b")) for one in files]


def test_a_saved_image_is_read_back(saved):
    """Our own reader finds in the file what the graph said."""
    reading = read_image(saved(GRAPH, workflow={"nodes": [], "links": []})[0])
    draft = reading.draft
    assert (draft.prompt, draft.negative_prompt, draft.seed, draft.steps) == ("a cat", "blurry", 5, 20)
    assert draft.checkpoint.name.startswith("house")
    assert (draft.loras[0].name.split(".")[0], draft.loras[0].strength_model) == ("thing", 0.8)
    assert reading.workflow == {"nodes": [], "links": []}
    assert "png:parameters" in reading.carriers


def test_known_hashes_are_written_for_other_sites(saved, shelf):
    """CivitAI finds the models of an upload by the AutoV2 hashes in its text."""
    shelf.hashes = {"house.safetensors": "ab" * 32, "thing.safetensors": "cd" * 32}
    data = saved(GRAPH)[0].read_bytes()
    assert b"Model hash: ababababab" in data
    assert b"cdcdcdcdcd" in data


def test_text_in_any_script_survives(saved):
    """What Latin-1 cannot hold goes into iTXt."""
    graph = json.loads(json.dumps(GRAPH).replace("a cat", "\u732b \U0001f431"))
    assert read_image(saved(graph)[0]).draft.prompt == "\u732b \U0001f431"


def test_nothing_is_written_where_comfyui_forbids_it(saved):
    """--disable-metadata counts for us as well."""
    sys.modules["comfy.cli_args"].args.disable_metadata = True
    assert b"parameters" not in saved(GRAPH)[0].read_bytes()


def test_our_own_nodes_are_written_as_core_nodes(comfy):
    """A reader that follows links understands a graph with a Recipe Loader in it."""
    prompt = {
        "1": {"class_type": "PantryRecipeLoader", "inputs": {"recipe": "r1", "missing_models": "error"}},
        "2": {"class_type": "CLIPTextEncode", "inputs": {"text": ["1", 3], "clip": ["1", 1]}},
        "3": {"class_type": "KSampler", "inputs": {"model": ["1", 0], "positive": ["2", 0], "seed": ["1", 5]}},
    }
    before = json.dumps(prompt)
    made = Expansion(prompt, recipe_of={"r1": RECIPE}.get, values=parameters).run()
    assert made["2"]["inputs"] == {"text": "a cat", "clip": ["1.lora1", 1]}
    assert made["3"]["inputs"]["seed"] == 7
    assert made["1.lora1"]["inputs"]["model"] == ["1.lora0", 0]
    assert made["1.checkpoint"]["inputs"] == {"ckpt_name": "house"}
    assert json.dumps(prompt) == before


def test_a_recipe_that_is_gone_leaves_the_graph_as_it_is(comfy):
    """Nothing is invented for a node that cannot be expanded."""
    prompt = {"1": {"class_type": "PantryRecipeLoader", "inputs": {"recipe": ["2", 0]}}}
    assert Expansion(prompt, recipe_of=lambda _wanted: None, values=parameters).run() == prompt


def test_stacks_and_tags_are_written_out(comfy):
    """A stack of two recipes and the tags of a text become loaders, in order."""
    prompt = {
        "s": {"class_type": "PantryRecipeLoraStack", "inputs": {"recipe": "r1"}},
        "a": {
            "class_type": "PantryApplyLoraStack",
            "inputs": {"model": ["m", 0], "clip": ["m", 1], "lora_stack": ["s", 0]},
        },
        "t": {
            "class_type": "PantryLoraFromText",
            "inputs": {"model": ["a", 0], "clip": ["a", 1], "text": "x <lora:ink:0.5>"},
        },
        "k": {"class_type": "KSampler", "inputs": {"model": ["t", 0], "text": ["t", 2]}},
    }
    made = Expansion(prompt, recipe_of={"r1": RECIPE}.get, values=parameters).run()
    chain, link = [], made["k"]["inputs"]["model"]
    while link != ["m", 0]:
        chain.append(made[link[0]]["inputs"]["lora_name"])
        link = made[link[0]]["inputs"]["model"]
    assert chain == ["ink", "styles\\ink.safetensors", "thing"]
    assert made["k"]["inputs"]["text"] == "x "


def test_a_loop_of_links_ends(comfy):
    """A broken graph must not hang the save."""
    prompt = {
        "a": {"class_type": "PantryApplyLoraStack", "inputs": {"model": ["b", 0]}},
        "b": {"class_type": "PantryApplyLoraStack", "inputs": {"model": ["a", 0]}},
    }
    Expansion(prompt, recipe_of=lambda _wanted: None, values=parameters).run()
