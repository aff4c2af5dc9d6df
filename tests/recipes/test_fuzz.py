"""Damaged and invented files: the reader ends, keeps its types, and raises only its own error."""

from __future__ import annotations

import json

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from py.recipes.carrier import Carrier
from py.recipes.draft import draft_from_json, draft_to_json
from py.recipes.merge import merge
from py.recipes.parsers import a1111
from py.recipes.parsers.comfy.outputs import Origin
from py.recipes.parsers.dispatch import parse
from py.recipes.parsers.infotext import split

from . import encoders as write
from .fuzz import check, run

QUICK = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def test_thousands_of_damaged_files_break_nothing():
    """Bytes flipped, cut, doubled and replaced in every fixture."""
    assert list(run(2_500, seed=20_261_130)) == []


@QUICK
@given(
    st.binary(max_size=400),
    st.sampled_from(
        [b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"RIFF\0\0\0\0WEBP", b"\0\0\0\x10ftypavif", b"GIF89a", b"\x1aE\xdf\xa3"]
    ),
)
def test_random_bytes_behind_a_signature_break_nothing(data, signature):
    """The first bytes promise an image and the rest keeps no promise."""
    check(signature + data)


WORDS = st.sampled_from(
    ["Steps: 5", "Steps: 5, ", "Negative prompt: ", "Seed: 1", ", ", ": ", "\n", '"', "{", "}", "[", "]", "\\", "<lora:", "a:1>", "a:1:2>",
     "Lora hashes: ", "Hashes: ", "Civitai resources: ", "Template: ", "Size: 8x8", "é", "\U0001f986", "\0", "Recipe metadata: "]
)  # fmt: skip


@QUICK
@given(st.lists(WORDS | st.text(max_size=5), max_size=40).map("".join))
def test_random_infotext_breaks_nothing(text):
    """Every order of the words that the grammar knows; what comes out is text of the input."""
    parts = split(text)
    draft = a1111.parse(text)
    assert (parts is None) == (draft is None)
    if parts is not None:
        assert parts.prompt in text
        assert parts.negative is None or parts.negative in text


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=6)
    | st.sampled_from(["None", "a.safetensors", "<lora:a:1>", "urn:air:sdxl:lora:civitai:1@2"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["lora", "on", "strength", "name", "__value__", "x"]), inner, max_size=3),
    max_leaves=5,
)  # fmt: skip
IDS = st.sampled_from(["1", "2", "3", "4", "5"])
FIELDS = st.sampled_from(
    ["model", "clip", "positive", "negative", "latent_image", "samples", "images", "text", "seed", "noise", "guider", "sampler", "sigmas",
     "steps", "cfg", "sampler_name", "lora_name", "lora_1", "loras", "lora_stack", "strength_model", "ckpt_name", "conditioning", "width",
     "height", "pipe", "switch", "on_true", "delimiter", "string_a", "string_b", "resources_json"]
)  # fmt: skip
KINDS = st.sampled_from(
    ["KSampler", "SamplerCustomAdvanced", "CLIPTextEncode", "LoraLoader", "LoRA Stacker", "Power Lora Loader (rgthree)", "SaveImage", "VAEDecode",
     "CheckpointLoaderSimple", "ComfySwitchNode", "StringConcatenate", "ConditioningCombine", "easy loraStack", "Lora Loader (LoraManager)", "X"]
)  # fmt: skip
LINKS = st.tuples(IDS, st.integers(0, 3)).map(list)
GRAPHS = st.dictionaries(
    IDS,
    st.fixed_dictionaries({"class_type": KINDS, "inputs": st.dictionaries(FIELDS, LINKS | VALUES, max_size=8)}),
    min_size=1,
    max_size=5,
)


@QUICK
@given(GRAPHS)
def test_random_graphs_break_nothing(graph):
    """Nodes of known kinds, linked at random, with values of every type."""
    check(write.png(write.png_text("prompt", json.dumps(graph))))


@QUICK
@given(st.dictionaries(st.sampled_from(["nodes", "links", "definitions", "extra", "last_node_id"]), VALUES), st.lists(
    st.fixed_dictionaries({"id": IDS | st.integers(1, 5), "type": KINDS, "inputs": VALUES, "outputs": VALUES, "widgets_values": VALUES,
                           "mode": st.sampled_from([0, 2, 4])}), max_size=4))  # fmt: skip
def test_random_drawings_break_nothing(form, nodes):
    """The editor's form with anything in its places."""
    check(write.png(write.png_text("workflow", json.dumps({"links": [], **form, "nodes": nodes}))))


NATIVE = st.sampled_from(
    ["sui_image_params", "sui_models", "prompt", "full_prompt", "loras", "metadata_scheme", "software", "Prompt", "base_model_name", "real_prompt",
     "l1", "w1", "Software", "Comment", "Source", "positive_prompt", "model", "image", "app_id", "ksamplerName", "baseModel", "models",
     "PositivePrompt", "use_stable_diffusion_model", "use_lora_model", "lora_alpha", "num_inference_steps", "resolution", "Model", "c", "uc", "v2",
     "lora", "size", "seed", "steps", "width", "pantry", "recipe", "extraMetadata", "extra", "workflow"]
)  # fmt: skip


@QUICK
@given(st.dictionaries(NATIVE, VALUES | st.dictionaries(NATIVE, VALUES, max_size=4), max_size=8))
def test_random_records_break_nothing(record):
    """Objects with the words that native records have, and values of every type."""
    text = json.dumps(record)
    check(
        write.png(
            write.png_text("parameters", text), write.png_text("Software", "NovelAI"), write.png_text("Comment", text)
        )
    )


@QUICK
@given(GRAPHS)
def test_any_draft_survives_its_json(graph):
    """What the reader says can be stored and read back."""
    draft = merge(parse([Carrier("png:prompt", "prompt", json.dumps(graph))], Origin()).candidates)
    if draft is not None:
        again = draft_from_json(json.loads(json.dumps(draft_to_json(draft))))
        assert draft_to_json(again) == draft_to_json(draft)
