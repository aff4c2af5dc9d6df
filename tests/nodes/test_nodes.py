"""Run each node against doubles of ComfyUI's loaders."""

from __future__ import annotations

import copy
import re
from pathlib import Path

import pytest

from py.core.errors import NotFoundError
from py.nodes.catalogue import NODES, node_classes, node_titles
from tests.nodes.conftest import RECIPE, SAMPLERS, SCHEDULERS, FakeShelf

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def nodes(comfy, shelf):
    return {name: node() for name, node in node_classes(shelf).items()}


@pytest.mark.parametrize("name", NODES)
def test_every_node_is_whole(comfy, shelf, name):
    """Each has inputs, a function, a category, a title, as many names as types, and a help page."""
    node = node_classes(shelf)[name]
    assert node.INPUT_TYPES()["required"]
    assert callable(getattr(node, node.FUNCTION))
    assert (node.CATEGORY, node_titles()[name].endswith("(Pantry)")) == ("Pantry", True)
    assert node.DESCRIPTION
    assert len(getattr(node, "RETURN_NAMES", node.RETURN_TYPES)) == len(node.RETURN_TYPES)
    page = (ROOT / "web" / "docs" / f"{name}.md").read_text(encoding="utf-8")
    inputs = [one for part in ("required", "optional") for one in node.INPUT_TYPES().get(part, {})]
    assert [one for one in (*inputs, *getattr(node, "RETURN_NAMES", ())) if f"`{one}`" not in page] == []


def test_the_loader_loads_and_applies(nodes, comfy):
    """Checkpoint, then each LoRA with its own two strengths; a strength that nobody said is 1."""
    out = nodes["PantryRecipeLoader"].run("r1", "error")
    assert comfy.calls == ["house.safetensors", ("thing.safetensors", 0.8, 0.5), ("styles/ink.safetensors", 1.0, 1.0)]
    assert out[0] == "model:house.safetensors+thing.safetensors+styles/ink.safetensors"
    assert out[2] == "vae:house.safetensors"
    assert out[3:] == ("a cat", "", 7, 20, 6.5, "dpmpp_2m", "karras", 768, 512, "A cat")


def test_models_that_are_connected_are_used_instead(nodes, comfy):
    """With a model and a clip of one's own nothing is loaded but the LoRAs."""
    model, clip, vae, *_ = nodes["PantryRecipeLoader"].run("r1", "error", model="mine", clip="my clip")
    assert comfy.calls[0] == ("thing.safetensors", 0.8, 0.5)
    assert model.startswith("mine+")
    assert (clip.startswith("my clip+"), vae) == (True, None)


def test_a_bare_diffusion_model_is_loaded_as_one(comfy):
    """Flux and its like have no checkpoint; clip strength 0 where there is no clip."""
    recipe = {**copy.deepcopy(RECIPE), "checkpoint": {"name": "flux.safetensors"}}
    node = node_classes(FakeShelf(recipe))["PantryRecipeLoader"]()
    model, clip, _vae, *_ = node.run("r1", "error")
    assert comfy.calls[:2] == [("flux.safetensors", "default"), ("thing.safetensors", 0.8, 0.0)]
    assert (model[:10], clip) == ("model:flux", None)


def test_a_missing_lora_is_an_error_or_left_out(nodes, comfy):
    """The error names the model and the hash that would find it; 'skip' goes on without it."""
    comfy.files["loras"].remove("thing.safetensors")
    with pytest.raises(NotFoundError, match="thing"):
        nodes["PantryRecipeLoader"].run("r1", "error")
    assert nodes["PantryRecipeLoraStack"].run("r1", "skip") == ([("styles/ink.safetensors", 1.0, 1.0)],)


def test_a_missing_checkpoint_is_always_an_error(nodes, comfy):
    """There is nothing to sample with; the message says what was looked for."""
    comfy.files["checkpoints"].clear()
    for choice in ("error", "skip"):
        with pytest.raises(NotFoundError, match=re.escape("house (autov2 0123456789)")):
            nodes["PantryRecipeLoader"].run("r1", choice)


def test_two_files_of_one_name_are_not_guessed_between(nodes, comfy):
    """The same file name in two folders may be two models."""
    comfy.files["loras"].append("other/thing.safetensors")
    with pytest.raises(NotFoundError):
        nodes["PantryRecipeLoraStack"].run("r1", "error")


def test_a_lora_loader_is_kept_between_runs(nodes, comfy):
    """ComfyUI's loader remembers its file's weights, so a second run reads nothing."""
    for _ in range(3):
        nodes["PantryRecipeLoader"].run("r1", "error")
    assert comfy.loaders == 2


def test_the_loader_runs_again_only_for_a_changed_recipe(comfy, shelf):
    """A rating, a tag or news from a vendor load nothing again; a value, a model or a strength does."""
    node = node_classes(shelf)["PantryRecipeLoader"]
    before = node.IS_CHANGED(recipe="r1", missing_models="error")
    healed = [{**one, "state": "found", "vendor_name": "Thing"} for one in RECIPE["loras"]]
    shelf.recipes["r1"] = {**RECIPE, "loras": healed, "rating": 5, "tags": ["x"], "updated_at": 9.0}
    assert node.IS_CHANGED(recipe="r1", missing_models="error") == before
    stronger = [{**RECIPE["loras"][0], "strength_clip": 0.6}, RECIPE["loras"][1]]
    for change in ({"seed": 8}, {"title": "b"}, {"checkpoint": None}, {"loras": stronger}):
        shelf.recipes["r1"] = {**RECIPE, **change}
        assert node.IS_CHANGED(recipe="r1", missing_models="error") != before
    assert node.IS_CHANGED(recipe="nothing", missing_models="error") != before


@pytest.mark.parametrize(
    ("name", "inputs"),
    [
        ("PantryRecipeLoader", {"recipe": "r1"}),
        ("PantryRecipeLoraStack", {"recipe": "r1"}),
        ("PantryLoraFromText", {"text": "a cat <lora:thing:1>"}),
    ],
)
def test_a_lora_that_was_left_out_is_used_when_it_has_come(comfy, shelf, name, inputs):
    """ComfyUI must not go on with what it remembers from without it; other files change nothing."""
    node = node_classes(shelf)[name]
    comfy.files["loras"].remove("thing.safetensors")
    without = node.IS_CHANGED(**inputs, missing_models="skip")
    comfy.files["loras"].append("unrelated.safetensors")
    assert node.IS_CHANGED(**inputs, missing_models="skip") == without
    comfy.files["loras"].append("thing.safetensors")
    assert node.IS_CHANGED(**inputs, missing_models="skip") != without


def test_an_input_from_another_node_is_that_nodes_to_compare(comfy, shelf):
    """ComfyUI hands None for a link: the node is remembered as long as the text, and the files there are, stay."""
    classes = node_classes(shelf)
    for name, linked in (("PantryRecipeLoader", "recipe"), ("PantryLoraFromText", "text")):
        told = [classes[name].IS_CHANGED(**{linked: None}, missing_models="skip") for _ in range(2)]
        comfy.files["loras"].append(f"{linked}.safetensors")
        assert told[0] == told[1] != classes[name].IS_CHANGED(**{linked: None}, missing_models="skip")


def test_samplers_are_this_comfyuis_own_lists(comfy, shelf):
    """A sampler output links to KSampler only if its type is the very list."""
    types = node_classes(shelf)["PantryRecipeParameters"].RETURN_TYPES
    assert (types[5], types[6]) == (SAMPLERS, SCHEDULERS)


def test_a_stack_goes_on_from_another(nodes):
    """Stacks of several recipes and packs are added up."""
    (stack,) = nodes["PantryRecipeLoraStack"].run("r1", "error", [("a.safetensors", 1.0, 1.0)])
    assert [one[0] for one in stack] == ["a.safetensors", "thing.safetensors", "styles/ink.safetensors"]


def test_a_stack_is_applied_with_or_without_a_clip(nodes, comfy):
    """Other packs' stacks may have more than three parts."""
    assert nodes["PantryApplyLoraStack"].run("m", [("thing.safetensors", 1.0, 0.5, "more")], "c") == (
        "m+thing.safetensors",
        "c+thing.safetensors",
    )
    nodes["PantryApplyLoraStack"].run("m", [("thing.safetensors", 1.0, 0.5)])
    assert comfy.calls[-1] == ("thing.safetensors", 1.0, 0.0)


def test_tags_of_a_text_are_applied_and_removed(nodes, comfy):
    """A1111 writes the text encoder's strength first."""
    _model, _clip, text = nodes["PantryLoraFromText"].run("m", "c", "a cat <lora:ink:0.5:0.7>, dog", "error")
    assert comfy.calls == [("styles/ink.safetensors", 0.7, 0.5)]
    assert text == "a cat , dog"
    with pytest.raises(NotFoundError):
        nodes["PantryLoraFromText"].run("m", "c", "<lora:nothing:1>", "error")
    assert nodes["PantryLoraFromText"].run("m", "c", "<lora:nothing:1>", "skip")[0] == "m"
