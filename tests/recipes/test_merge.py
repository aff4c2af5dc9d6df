"""Several carriers, one draft: field by field, by trust, and every model once."""

from __future__ import annotations

import json

import pytest

from py.recipes import uses
from py.recipes.draft import Draft, LoraUse, ModelUse
from py.recipes.merge import Candidate, Trust, merge
from py.recipes.reader import read_bytes

from . import encoders as write
from .graphs import node, plain, with_inputs, with_model


def pair(
    better: Draft, worse: Draft, *, better_trust: Trust = Trust.GRAPH, worse_trust: Trust = Trust.INFOTEXT
) -> Draft:
    return merge([Candidate(worse, "worse", worse_trust), Candidate(better, "better", better_trust)])


def test_each_field_comes_from_the_most_trusted_source_that_has_it():
    """And remembers which that was."""
    draft = pair(Draft(prompt="graph", seed=1), Draft(prompt="text", steps=20, seed=2))
    assert (draft.prompt, draft.seed, draft.steps) == ("graph", 1, 20)
    assert (draft.origins["prompt"], draft.origins["steps"]) == ("better", "worse")
    assert "sampler" not in draft.origins


def test_an_empty_text_is_said_and_wins():
    """Empty is a value; None is not."""
    assert pair(Draft(negative_prompt=""), Draft(negative_prompt="mud")).negative_prompt == ""


def test_nothing_merges_to_nothing():
    """No candidate, no draft."""
    assert merge([]) is None


def test_one_checkpoint_is_joined_and_two_are_not():
    """The same name adds its hash; another name is another model."""
    better, worse = ModelUse(name="dir\\base.safetensors"), ModelUse(name="BASE", hash="0123456789", hash_type="autov2")
    assert pair(Draft(checkpoint=better), Draft(checkpoint=worse)).checkpoint.hash == "0123456789"
    other = ModelUse(name="other", hash="0123456789", hash_type="autov2")
    assert pair(Draft(checkpoint=better), Draft(checkpoint=other)).checkpoint.hash is None


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ({"name": "a", "model_version_id": 5}, {"name": "b", "model_version_id": 5}),
        (
            {"name": "a", "hash": "0123456789", "hash_type": "autov2"},
            {"name": "b", "hash": "0123456789", "hash_type": "autov2"},
        ),
        (
            {"name": "a", "hash": "0" * 64, "hash_type": "sha256"},
            {"name": "b", "hash": "0" * 10, "hash_type": "autov2"},
        ),
        ({"name": "sub/A.safetensors"}, {"name": "a"}),
        ({"name": "a,b: c"}, {"name": "ab c"}),
    ],
)
def test_one_lora_is_listed_once(one, two):
    """Joined by version id, by hash, by the head of a SHA256, or by name."""
    found = uses.gather([LoraUse(**one, strength_model=0.5), LoraUse(**two, strength_clip=0.2)])
    assert [(use.strength_model, use.strength_clip) for use in found] == [(0.5, 0.2)]


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ({"name": "a", "model_version_id": 5}, {"name": "b", "model_version_id": 6}),
        (
            {"name": "a", "hash": "0123456789", "hash_type": "autov2"},
            {"name": "b", "hash": "0123456780", "hash_type": "autov2"},
        ),
        ({"name": "a", "model_version_id": 5}, {"name": "a", "model_version_id": 6}),
        ({"name": "a"}, {"name": "ab"}),
        (
            {"name": "a", "hash": "0123456789", "hash_type": "autov2"},
            {"name": "b", "hash": "012345678900", "hash_type": "autov3"},
        ),
    ],
)
def test_two_loras_are_listed_twice(one, two):
    """Nothing that merely resembles is joined."""
    assert len(uses.gather([LoraUse(**one), LoraUse(**two)])) == 2


def test_a_graphs_loras_gain_hashes_from_the_text():
    """And keep their own strengths."""
    draft = pair(
        Draft(loras=(LoraUse(name="sub/A.safetensors", strength_model=0.8, strength_clip=0.5),)),
        Draft(
            loras=(LoraUse(name="A", hash="0123456789ab", hash_type="autov3", strength_model=1.0, strength_clip=1.0),)
        ),
    )
    (use,) = draft.loras
    assert (use.hash, use.strength_model, use.strength_clip) == ("0123456789ab", 0.8, 0.5)


def test_a_tag_beside_a_graph_was_not_applied():
    """Unless a program has hashed it: then a loader was at work that the graph's reader does not know."""
    graph = Draft(loras=(LoraUse(name="A"),))
    assert [use.name for use in pair(graph, Draft(loras=(LoraUse(name="B"),))).loras] == ["A"]
    hashed = Draft(loras=(LoraUse(name="B", hash="0123456789ab", hash_type="autov3"),))
    assert [use.name for use in pair(graph, hashed).loras] == ["A", "B"]


TEXT = "text prompt\nNegative prompt: text negative\nSteps: 9, Sampler: DDIM, CFG scale: 3, Seed: 5, Size: 64x64, Model: base, Model hash: 0123456789"


def both(graph: dict, text: str = TEXT) -> Draft:
    return read_bytes(write.png(write.png_text("prompt", json.dumps(graph)), write.png_text("parameters", text))).draft


def test_the_graph_beats_the_text_beside_it():
    """What was executed is truer than what a saver made of it; the text still gives the hash."""
    draft = both(plain())
    assert (draft.prompt, draft.seed, draft.steps, draft.width) == ("a pond", 7, 20, 640)
    assert (draft.checkpoint.name, draft.checkpoint.hash) == ("base.safetensors", "0123456789")
    assert (draft.origins["prompt"], draft.origins["checkpoint"]) == ("png:prompt", "png:prompt")


def test_the_text_fills_what_only_a_run_knows():
    """A random seed and a wildcard are in the text."""
    graph = with_inputs(
        plain(dice=node("RandomSeed", low=1), wild=node("RandomPrompt", text="a|b")), "sampler", seed=["dice", 0]
    )
    draft = both(with_inputs(graph, "pos", text=["wild", 0]))
    assert (draft.prompt, draft.seed, draft.steps) == ("text prompt", 5, 20)
    assert draft.origins["prompt"] == "png:parameters"


def test_a_savers_placeholders_lose_to_everything():
    """Also to the drawing."""
    from .graphs import drawn

    text = "unknown\nSteps: 20, Sampler: euler, CFG scale: 8.0, Seed: 0, Size: 512x512"
    data = write.png(write.png_text("parameters", text), write.png_text("workflow", json.dumps(drawn().form())))
    assert (read_bytes(data).draft.seed, read_bytes(data).draft.prompt) == (7, "a pond")


def test_our_own_block_is_read_first():
    """What a person corrected stays corrected."""
    from py.recipes import block

    own = block.encode(Draft(prompt="corrected", seed=1))
    draft = read_bytes(write.png(write.png_text("parameters", TEXT), write.png_text("pantry", own))).draft
    assert (draft.prompt, draft.seed, draft.steps) == ("corrected", 1, 9)


def test_a_lora_managers_block_is_read_and_taken_out():
    """People who move to Pantry keep their recipes, and the block is no part of a setting."""
    block = {"title": "t", "base_model": "SDXL", "loras": [{"file_name": "A", "hash": "B" * 64, "strength": 0.8, "modelVersionId": 22,
             "modelName": "Title", "modelVersionName": "v1"}], "gen_params": {"prompt": "kept"}}  # fmt: skip
    data = write.png(write.png_text("parameters", f"{TEXT} \n Recipe metadata: {json.dumps(block)}"))
    draft = read_bytes(data).draft
    assert (draft.prompt, draft.checkpoint.hash) == ("kept", "0123456789")
    assert [(use.name, use.hash, use.model_version_id, use.strength_model) for use in draft.loras] == [
        ("A", "b" * 64, 22, 0.8)
    ]


def test_pixels_give_a_size_only_where_nothing_says_one():
    """The file's own size is the last resort, and named as such."""
    graph = {key: one for key, one in plain().items() if key != "latent"}
    data = write.png(write.png_text("prompt", json.dumps(graph)), width=33, height=44)
    draft = read_bytes(data).draft
    assert (draft.width, draft.height, draft.origins["width"]) == (33, 44, "pixels")


def test_a_lora_on_the_way_is_read_with_both_strengths_from_a_file():
    """The whole road, once, for the list that everybody gets wrong."""
    graph = with_model(
        {"top": node("LoraLoader", lora_name="A", strength_model=0.8, strength_clip=0.5, model=["base", 0])}
    )
    draft = both(graph, TEXT + ', Lora hashes: "A: 0123456789ab"')
    assert [(one.name, one.hash, one.strength_model, one.strength_clip) for one in draft.loras] == [
        ("A", "0123456789ab", 0.8, 0.5)
    ]
