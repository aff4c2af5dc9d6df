"""Pantry's own block, and the A1111 text that Pantry writes for others."""

from __future__ import annotations

import json
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from py.recipes import block
from py.recipes.a1111_text import to_a1111_text
from py.recipes.draft import CONTRACT_FIELDS, Draft, LoraUse, ModelUse, OtherUse
from py.recipes.parsers import a1111

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=40)
NAMES = st.text(st.characters(codec="ascii", categories=("L", "N")), min_size=1, max_size=12)
NUMBERS = st.floats(-10, 10, allow_nan=False).map(lambda value: round(value, 3))
HASHES = st.one_of(
    st.just((None, None)),
    st.from_regex(r"[0-9a-f]{10}", fullmatch=True).map(lambda value: (value, "autov2")),
    st.from_regex(r"[0-9a-f]{64}", fullmatch=True).map(lambda value: (value, "sha256")),
)


@st.composite
def model_uses(draw, kind=ModelUse, **more):
    hash_, hash_type = draw(HASHES)
    return kind(
        name=draw(NAMES),
        hash=hash_,
        hash_type=hash_type,
        model_version_id=draw(st.none() | st.integers(1, 10**7)),
        base_model=draw(st.none() | NAMES),
        **{name: draw(strategy) for name, strategy in more.items()},
    )


DRAFTS = st.builds(
    Draft,
    generator=st.none() | NAMES,
    prompt=st.none() | TEXTS,
    negative_prompt=st.none() | TEXTS,
    seed=st.none() | st.integers(0, 2**64 - 1),
    steps=st.none() | st.integers(1, 200),
    cfg_scale=st.none() | NUMBERS,
    sampler=st.none() | NAMES,
    width=st.none() | st.integers(1, 9999),
    hires=st.dictionaries(NAMES, NAMES | st.integers(0, 9) | NUMBERS, max_size=3),
    checkpoint=st.none() | model_uses(),
    loras=st.lists(
        model_uses(LoraUse, strength_model=st.none() | NUMBERS, strength_clip=st.none() | NUMBERS), max_size=4
    ).map(tuple),
    embeddings=st.lists(model_uses(), max_size=2).map(tuple),
    other_models=st.lists(model_uses(OtherUse, role=NAMES), max_size=2).map(tuple),
)


@settings(max_examples=30, deadline=None)
@given(DRAFTS)
def test_a_block_gives_back_what_was_put_in(draft):
    """Every field of the contract survives, and what is unknown stays unknown."""
    text = block.encode(draft)
    assert text.isascii()
    assert block.decode(text) == draft


def test_every_field_of_the_contract_is_in_the_block():
    """A new field needs a reader; whether there is a workflow is a fact of the file."""
    assert set(block._FIELDS) == set(CONTRACT_FIELDS) - {"has_workflow"}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=30, deadline=None)
@given(st.dictionaries(st.sampled_from(CONTRACT_FIELDS), JSON))
def test_a_forged_block_cannot_bring_wrong_types(recipe):
    """Whatever stands in a field is checked before it is kept."""
    draft = block.decode(json.dumps({"pantry": 1, "recipe": recipe}))
    assert draft.seed is None or isinstance(draft.seed, int)
    assert draft.prompt is None or isinstance(draft.prompt, str)
    assert all(isinstance(one, LoraUse) for one in draft.loras)
    assert draft.checkpoint is None or isinstance(draft.checkpoint, ModelUse)
    assert block.decode(block.encode(draft)) is not None


def test_a_block_of_another_version_is_left_alone():
    """We do not guess what a later version means."""
    assert block.decode('{"pantry": 2, "recipe": {"prompt": "x"}}') is None
    assert block.decode("nonsense") is None


FULL = Draft(
    prompt="a pond, (still:1.1)",
    negative_prompt="mud",
    seed=2**63,
    steps=20,
    cfg_scale=6.5,
    sampler="DPM++ 2M",
    scheduler="Karras",
    width=640,
    height=480,
    clip_skip=2,
    denoise=0.4,
    checkpoint=ModelUse(name="dir/base.safetensors", hash="0123456789", hash_type="autov2"),
    vae=ModelUse(name="v.pt"),
    loras=(
        LoraUse(
            name="x/One.safetensors", hash="0123456789ab", hash_type="autov3", strength_model=0.8, strength_clip=0.5
        ),
        LoraUse(name="two", strength_model=1.0, strength_clip=1.0, model_version_id=22),
    ),
    embeddings=(ModelUse(name="e", hash="abcdef0123", hash_type="autov2"),),
)


def test_the_written_text_is_read_back():
    """Prompt, settings, tags with both strengths, hashes and version ids."""
    draft = a1111.parse(to_a1111_text(FULL))
    assert draft.prompt == "a pond, (still:1.1) <lora:One:0.5:0.8> <lora:two:1>"
    for name in (
        "negative_prompt",
        "seed",
        "steps",
        "cfg_scale",
        "sampler",
        "scheduler",
        "width",
        "height",
        "clip_skip",
        "denoise",
    ):
        assert getattr(draft, name) == getattr(FULL, name), name
    assert (draft.checkpoint.name, draft.checkpoint.hash, draft.vae.name) == ("base", "0123456789", "v")
    assert [(one.name, one.hash, one.strength_model, one.strength_clip, one.model_version_id) for one in draft.loras] == [
        ("One", "0123456789ab", 0.8, 0.5, None), ("two", None, 1.0, 1.0, 22)]  # fmt: skip
    assert [(one.name, one.hash) for one in draft.embeddings] == [("e", "abcdef0123")]


def test_a_tag_that_the_prompt_has_is_not_written_twice():
    """Whatever weight it has there."""
    text = to_a1111_text(replace(FULL, prompt="a <lora:ONE:0.5:0.8>"))
    assert text.count("<lora:") == 2


def test_unknown_is_left_out_of_the_text():
    """Never 0, never None."""
    text = to_a1111_text(Draft(prompt="a", steps=5))
    assert text == "a\nSteps: 5"
    assert "None" not in to_a1111_text(Draft())


def test_values_that_would_break_the_line_are_quoted():
    """Names may hold commas and colons."""
    draft = a1111.parse(
        to_a1111_text(Draft(prompt="a", steps=5, sampler="odd, name: x", checkpoint=ModelUse(name="a,b: c")))
    )
    assert (draft.sampler, draft.checkpoint.name) == ("odd, name: x", "a,b: c")


@settings(max_examples=30, deadline=None)
@given(DRAFTS.filter(lambda draft: draft.steps is not None))
def test_every_written_text_has_settings_that_are_read(draft):
    """Whatever the prompts hold, the numbers come back."""
    again = a1111.parse(to_a1111_text(draft))
    assert (again.steps, again.seed) == (draft.steps, draft.seed)
