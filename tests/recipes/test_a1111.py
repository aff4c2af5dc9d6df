"""A1111 text: one grammar, a dozen writers, and what each of them made of it."""

from __future__ import annotations

import json

import pytest

from py.recipes.parsers import a1111
from py.recipes.parsers.infotext import read_pairs, split
from py.recipes.parsers.tags import find_tags, loras_of, without_tags

SETTINGS = "Steps: 20, Sampler: Euler a, CFG scale: 7, Seed: 1, Size: 512x512, Model: base"


def lora(text: str, index: int = 0):
    return a1111.parse(text).loras[index]


# --- the three parts ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "prompt", "negative"),
    [
        (f"a\nNegative prompt: b\n{SETTINGS}", "a", "b"),
        (f"a\n\nNegative prompt: b\n\n{SETTINGS}", "a", "b"),
        (f"a\r\nb\r\nNegative prompt: c\r\n{SETTINGS}", "a\r\nb", "c"),
        (f"a\n{SETTINGS}", "a", None),
        (f"Negative prompt: b\n{SETTINGS}", "", "b"),
        (SETTINGS, "", None),
        (f"steps: 1 2 3\nof a dance\nNegative prompt: b\n{SETTINGS}", "steps: 1 2 3\nof a dance", "b"),
        (f"walk\nSteps: 5 to the door\nNegative prompt: b\n{SETTINGS}", "walk\nSteps: 5 to the door", "b"),
        (f"a\nNegative prompt: old\nmore\nNegative prompt: b\n{SETTINGS}", "a\nNegative prompt: old\nmore", "b"),
        (f"a\nNegative prompt: b {SETTINGS}", "a", "b"),
        (f"a Negative prompt: b\n{SETTINGS}", "a", "b"),
        ("Negative space, a door. Negative prompt: Steps: 23, Sampler: Euler, CFG scale: 3, Seed: 4, Size: 8x8",
         "Negative space, a door.", ""),
        (f"Parameters   : a .Negative prompt: b.{SETTINGS}", "a", "b"),
        (f"a,.Negative prompt: b,.{SETTINGS}", "a", "b"),
        (f"a...Negative prompt: b...{SETTINGS}", "a", "b"),
        (f"A sentence. Negative prompt: another. {SETTINGS}", "A sentence.", "another."),
        (f"{SETTINGS}\na\nNegative prompt: b", "a", "b"),
        ("Steps: 20, Sampler: Euler a\nCFG scale: 7, Seed: 1\na\nNegative prompt: b", "a", "b"),
        (f"prompt: a\nNegative prompt: b\n{SETTINGS}", "prompt: a", "b"),
        ("prompt: a\nNegative prompt: b\nSteps: 20 | Seed: 1 | CFG scale: 7", "a", "b"),
        ("a\nNegative prompt: b\nSampler: Euler, Seed: 1, CFG scale: 7, Size: 512x512", "a", "b"),
    ],
)  # fmt: skip
def test_prompt_and_negative_are_told_apart(text, prompt, negative):
    """The last settings line ends the text, the last line that starts with the label splits the rest."""
    parts = split(text)
    assert (parts.prompt, parts.negative) == (prompt, negative)


@pytest.mark.parametrize(
    "text", ["", "just words", "a: b", "f/2.8, ISO: 100, Lens: 50mm, Shutter: 1/60", "Steps: many"]
)
def test_text_without_settings_is_no_generation(text):
    """Notes of a camera or a person make no recipe."""
    assert a1111.parse(text) is None


# --- pairs --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "pairs"),
    [
        ("Steps: 1, A b: c", {"steps": "1", "a b": "c"}),
        ('Steps: 1, A: "x, y: z", B: 2', {"steps": "1", "a": "x, y: z", "b": "2"}),
        (r'Steps: 1, A: "say \"hi\"\nthere", B: 2', {"steps": "1", "a": 'say "hi"\nthere', "b": "2"}),
        ("Steps: 1, A: , B: 2", {"steps": "1", "a": "", "b": "2"}),
        ("Steps: 1, A: x\ny, B: 2", {"steps": "1", "a": "x, y", "b": "2"}),
        ('Steps: 1, A: {"x": [1, {"y": "}"}]}, B: 2', {"steps": "1", "a": '{"x": [1, {"y": "}"}]}', "b": "2"}),
        ('Steps: 1, A: [{"n": "]"},\n{"m": 1}], B: 2', {"steps": "1", "a": '[{"n": "]"},\n{"m": 1}]', "b": "2"}),
        ("Steps: 1 | Seed: 2 | CFG scale: 3", {"steps": "1", "seed": "2", "cfg scale": "3"}),
        ('Steps: 1, A: "open, B: 2', {"steps": "1", "a": '"open', "b": "2"}),
        ("Steps: 1, Model: first, model: second", {"steps": "1", "model": "first"}),
        ("Steps: 1, When: 2024-05-06T07:08:09.1Z, B: 2", {"steps": "1", "when": "2024-05-06T07:08:09.1Z", "b": "2"}),
    ],
)
def test_settings_are_tokens_not_commas(settings, pairs):
    """Quoted values, JSON values, empty ones and raw newlines each stay with their key."""
    assert read_pairs(settings) == pairs


def test_json_writers_and_the_scanner_agree():
    """What json.dumps quotes, the scanner gives back."""
    for value in ('a, "b": c', "tab\tnew\nline", "逗号, 冒号: 对", "back\\slash, "):
        assert read_pairs(f"Steps: 1, A: {json.dumps(value, ensure_ascii=False)}, B: 2")["a"] == value


def test_every_plain_setting_has_its_field():
    """Each key that matters lands in its field, and nothing is a default."""
    draft = a1111.parse(
        "p\nSteps: 30, Sampler: DPM++ 2M, Schedule type: Karras, CFG scale: 6.5, Distilled CFG Scale: 3.5, Seed: 9, "
        "Size: 640x960, Clip skip: 2, VAE: v.pt, VAE hash: 0123456789, Model: m, Model hash: abcdef0123"
    )
    assert (draft.sampler, draft.scheduler, draft.cfg_scale, draft.guidance) == ("DPM++ 2M", "Karras", 6.5, 3.5)
    assert (draft.width, draft.height, draft.clip_skip) == (640, 960, 2)
    assert (draft.vae.name, draft.vae.hash) == ("v.pt", "0123456789")
    assert (draft.denoise, draft.negative_prompt, draft.hires, draft.loras) == (None, None, {}, ())


def test_hires_fields_are_kept_apart_from_the_first_pass():
    """Denoising of a hires pass is not that of the first one, and its models are never the base."""
    draft = a1111.parse(
        f"p\n{SETTINGS}, Denoising strength: 0.4, Hires upscale: 1.5, Hires steps: 12, Hires upscaler: 4x-Ultra, "
        'Hires checkpoint: other [0123456789], Hires prompt: "sharp, very", Hires negative prompt: , '
        "Refiner: fine [abcdef0123], Refiner switch at: 0.8"
    )
    assert draft.hires == {"upscale": 1.5, "steps": 12, "denoise": 0.4, "upscaler": "4x-Ultra", "prompt": "sharp, very",
                           "checkpoint": "other [0123456789]"}  # fmt: skip
    assert draft.denoise is None
    assert draft.checkpoint.name == "base"
    roles = {one.role: (one.name, one.hash) for one in draft.other_models}
    assert roles["hires"] == ("other", "0123456789")
    assert roles["refiner"] == ("fine", "abcdef0123")
    assert roles["upscaler"] == ("4x-Ultra", None)


def test_img2img_strength_is_the_first_pass():
    """Without hires fields, denoising is the image's own."""
    assert a1111.parse(f"p\n{SETTINGS}, Denoising strength: 0.4").denoise == 0.4


def test_a_seed_of_minus_one_is_unknown():
    """Random is not a number."""
    assert a1111.parse(f"p\n{SETTINGS.replace('Seed: 1', 'Seed: -1')}").seed is None


@pytest.mark.parametrize("seed", [2**53 + 1, 2**64 - 1])
def test_large_seeds_keep_every_digit(seed):
    """Seeds are whole numbers of 64 bits, never floats."""
    assert a1111.parse(f"p\n{SETTINGS.replace('Seed: 1', f'Seed: {seed}')}").seed == seed


@pytest.mark.parametrize(
    ("sampler", "scheduler"),
    [("DPM++ 2M Karras", "Karras"), ("euler_ancestral_karras", "karras"), ("Euler Ancestral Karras", "Karras"),
     ("Euler a Normal", "Normal"), ("DPM++ 2M SDE SGM Uniform", "SGM Uniform"), ("Euler a", None), ("UniPC", None)],
)  # fmt: skip
def test_a_scheduler_inside_the_sampler_is_told_by_a_table(sampler, scheduler):
    """The sampler stays as written; only known words at its end are a scheduler."""
    draft = a1111.parse(f"p\n{SETTINGS.replace('Euler a', sampler)}")
    assert (draft.sampler, draft.scheduler) == (sampler, scheduler)


@pytest.mark.parametrize(
    ("version", "name"),
    [("v1.10.1", "A1111"), ("f2.0.1v1.10.1-previous-669", "Forge"), ("f1.3.0-v1.10.1RC-latest", "EasyReforge"),
     ("f0.0.17-v1.8.0rc", "reForge"), ("classic", "Forge Classic"), ("neo-2.28", "Forge Neo"), ("ComfyUI", "ComfyUI"),
     ("Fooocus v2.5.5", "Fooocus")],
)  # fmt: skip
def test_the_program_is_told_by_its_version(version, name):
    """Version counts as a whole key: an extension's own version does not."""
    assert a1111.parse(f"p\n{SETTINGS}, ADetailer Version: neo, Version: {version}").generator == name


def test_sd_next_names_itself():
    """SD.Next has another order of keys and an App."""
    draft = a1111.parse(
        "p\nNegative prompt: n\nSteps: 20, Size: 8x16, Sampler: Euler a, Seed: 5, CFG scale: 6, App: SD.Next, "
        "Version: 7ab, Pipeline: X, Operations: txt2img; upscale, Model: m, Model hash: 45a21ea00a, Hires scale: 2"
    )
    assert (draft.generator, draft.width, draft.height, draft.hires) == ("SD.Next", 8, 16, {"upscale": 2.0})


# --- tags ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tag", "name", "model", "clip"),
    [
        ("<lora:a:0.5>", "a", 0.5, 0.5),
        ("<lora:a:0.5:0.9>", "a", 0.9, 0.5),
        ("<lora:a:.5>", "a", 0.5, 0.5),
        ("<lora:a:-1>", "a", -1.0, -1.0),
        ("<lora:a>", "a", 1.0, 1.0),
        ("<lora:a:te=0.5:unet=1:dyn=32>", "a", 1.0, 0.5),
        ("<lora:a:0.5:0.9:32>", "a", 0.9, 0.5),
        ("<lora:a:1:lbw=OUTALL>", "a", 1.0, 1.0),
        ("<lora:a:1:1,0,0,0.5>", "a", 1.0, 1.0),
        ("<lora:a:0.5@10>", "a", 0.5, 0.5),
        ("<lyco:a:0.7>", "a", 0.7, 0.7),
        ("<LoRA:a:0.7>", "a", 0.7, 0.7),
        ("<lora:sub\\dir\\a name (v1.2):0.8>", "sub\\dir\\a name (v1.2)", 0.8, 0.8),
        ("<lora:수묵화_No2:0.8>", "수묵화_No2", 0.8, 0.8),
        ("<lora:- SDXL - x_V3.5:0.8>", "- SDXL - x_V3.5", 0.8, 0.8),
    ],
)
def test_tags_of_every_shape_give_both_strengths(tag, name, model, clip):
    """The text encoder stands first, the model second and equal where it is missing."""
    (use,), _ = loras_of(f"a {tag} b")
    assert (use.name, use.strength_model, use.strength_clip) == (name, model, clip)


def test_a_repeated_tag_is_listed_once_and_said():
    """One LoRA, its first weight, and a note."""
    (use,), notes = loras_of("<lora:a:0.5> <lora:a:0.7>")
    assert (use.strength_model, bool(notes)) == (0.5, True)


def test_tags_in_the_negative_prompt_are_not_applied():
    """A1111 applies tags of the prompt alone."""
    assert a1111.parse(f"a\nNegative prompt: <lora:b:1>\n{SETTINGS}").loras == ()


def test_tags_between_region_words_are_ordinary():
    """Regional words around a tag change nothing."""
    assert lora(f"a ADDBASE\nb <lora:c:0.3> BREAK ADDCOL\nd\n{SETTINGS}").strength_model == 0.3


def test_hypernets_are_no_loras():
    """They have a role of their own."""
    draft = a1111.parse(f"a <hypernet:h:0.4>\n{SETTINGS}")
    assert (draft.loras, [(one.role, one.name) for one in draft.other_models]) == ((), [("hypernet", "h")])


def test_tags_can_be_taken_out():
    """The rest of the prompt stays as it is."""
    assert without_tags("a <lora:b:1>, c") == "a , c"
    assert list(find_tags("1 < 2 and <b>")) == []


# --- hashes and resources -----------------------------------------------------------------------------------------


def test_hash_list_and_tags_are_one_lora_each():
    """A tag finds its hash by name; a hash without a tag and a tag without a hash are LoRAs too."""
    draft = a1111.parse(
        f'x <lora:dir/One:0.5> <lora:two:0.6>\n{SETTINGS}, Lora hashes: "one: 0123456789AB, three: abcdef0123, four: "'
    )
    found = [(use.name, use.hash, use.hash_type, use.strength_model) for use in draft.loras]
    assert found == [
        ("dir/One", "0123456789ab", "autov3", 0.5),
        ("two", None, None, 0.6),
        ("three", "abcdef0123", "autov2", None),
        ("four", None, None, None),
    ]


def test_two_kinds_of_hash_are_aliases_of_one_lora():
    """Lora hashes and Hashes name the same file in two ways."""
    draft = a1111.parse(
        f'x <lora:a:1>\n{SETTINGS}, Lora hashes: "a: 62064ee0c3ba", Hashes: {{"lora:a": "458cc11561", "model": "45a21ea00a", '
        '"vae": "", "embed:e": "0123456789"}'
    )
    (use,) = draft.loras
    assert ({use.hash_type: use.hash} | use.aliases) == {"autov3": "62064ee0c3ba", "autov2": "458cc11561"}
    assert (draft.checkpoint.hash, draft.vae) == ("45a21ea00a", None)
    assert [(one.name, one.hash) for one in draft.embeddings] == [("e", "0123456789")]


def test_names_lose_colons_and_commas_in_the_hash_list():
    """A1111's writer takes them out, so names are compared without."""
    draft = a1111.parse(f'x <lora:a,b:1>\n{SETTINGS}, Lora hashes: "ab: 0123456789ab"')
    assert [(use.name, use.hash) for use in draft.loras] == [("a,b", "0123456789ab")]


def test_civitai_resources_join_by_weight_where_names_differ():
    """The site's title and the file's name are one LoRA; the join is said."""
    resources = [
        {"type": "checkpoint", "modelVersionId": 11, "modelName": "Base", "modelVersionName": "v1"},
        {"type": "lora", "weight": 0.3, "modelVersionId": 22, "modelName": "Title ] } One", "modelVersionName": "v2"},
        {"type": "lora", "weight": 0.6, "modelVersionId": 33, "modelName": "Title Two"},
    ]
    draft = a1111.parse(
        f"x <lora:one:0.6> <lora:two:0.3>\n{SETTINGS}, Civitai resources: {json.dumps(resources)}, Z: 1"
    )
    assert [(use.name, use.model_version_id, use.strength_model) for use in draft.loras] == [
        ("one", 33, 0.6),
        ("two", 22, 0.3),
    ]
    assert draft.checkpoint.model_version_id == 11
    assert any("weights" in note for note in draft.notes)


def test_civitai_resources_alone_are_the_models():
    """On-site images name models by version alone, with titles."""
    resources = '[{"type":"checkpoint","modelVersionId":11,"modelName":"Base"},\n{"type":"lora","weight":0.3,"modelVersionId":22,"modelName":"L"},{"type":"embed","modelVersionId":33,"modelName":"E"}]'
    draft = a1111.parse(
        f"x\n{SETTINGS.replace(', Model: base', '')}, Civitai resources: {resources}, Civitai metadata: {{}}"
    )
    assert (draft.generator, draft.checkpoint.name, draft.checkpoint.model_version_id) == ("CivitAI", "Base", 11)
    assert [(use.name, use.strength_model, use.strength_clip) for use in draft.loras] == [("L", 0.3, 0.3)]
    assert [one.model_version_id for one in draft.embeddings] == [33]


def test_civitai_resources_may_be_urns():
    """An air has type, model and version in one word."""
    resources = '[{"air":"urn:air:sdxl:lora:civitai:5@22","weight":0.5}]'
    draft = a1111.parse(f"x\n{SETTINGS}, Civitai resources: {resources}")
    (use,) = draft.loras
    assert (use.model_id, use.model_version_id, use.strength_model) == (5, 22, 0.5)


def test_nested_civitai_metadata_is_decoded_whole():
    """Objects in lists in objects, with braces in texts."""
    metadata = {
        "prompt": "} x",
        "resources": [{"modelVersionId": 22, "strength": 0.4, "type": "lora"}],
        "aspect": {"a": 1},
    }
    draft = a1111.parse(f"x\n{SETTINGS}, Civitai metadata: {json.dumps(metadata)}, Clip skip: 2")
    assert [(use.model_version_id, use.strength_model) for use in draft.loras] == [(22, 0.4)]
    assert draft.clip_skip == 2


def test_numbered_fields_need_not_be_complete():
    """A loader for the model alone has no clip strength."""
    draft = a1111.parse(
        f"x\n{SETTINGS}, Lora_0 Model name: a.safetensors, Lora_0 Model hash: 0123456789, Lora_0 Strength model: 0.5, "
        "Lora_1 Model name: b.safetensors, Lora_1 Strength model: 0.7, Lora_1 Strength clip: 0.2, "
        "Embedding_0 name: e, Embedding_0 hash: abcdef0123, CLIP_1 Model name: t5"
    )
    found = [(use.name, use.hash, use.strength_model, use.strength_clip) for use in draft.loras]
    assert found == [("a.safetensors", "0123456789", 0.5, None), ("b.safetensors", None, 0.7, 0.2)]
    assert [(one.name, one.hash) for one in draft.embeddings] == [("e", "abcdef0123")]
    assert [(one.role, one.name) for one in draft.other_models] == [("text_encoder", "t5")]


def test_additional_networks_are_loras():
    """The old extension writes name and hash in one field, and two weights."""
    draft = a1111.parse(
        f"x\n{SETTINGS}, AddNet Enabled: True, AddNet Module 1: LoRA, AddNet Model 1: old(0123456789ab), "
        "AddNet Weight A 1: 0.6, AddNet Weight B 1: 0.2"
    )
    (use,) = draft.loras
    assert (use.name, use.hash, use.strength_model, use.strength_clip) == ("old", "0123456789ab", 0.6, 0.2)


def test_fooocus_weights_are_read_old_and_new():
    """Lora weights beside Lora hashes, or a third part inside Lora hashes."""
    new = lora(f'x\n{SETTINGS}, Lora hashes: "a: 0123456789", Lora weights: "a: 0.4"')
    old = lora(f'x\n{SETTINGS}, Lora hashes: "a: 0123456789: 0.4"')
    for use in (new, old):
        assert (use.name, use.hash, use.strength_model, use.strength_clip) == ("a", "0123456789", 0.4, 0.4)


def test_modules_and_controlnets_have_roles():
    """A Forge module is no checkpoint, and a control model is inside a quoted block."""
    draft = a1111.parse(
        f'x\n{SETTINGS}, Module 1: ae, Module 2: t5, ControlNet 0: "preprocessor: canny, model: control_x [0123456789], '
        'weight: 0.6, starting/ending: (0.1, 0.8)"'
    )
    assert draft.checkpoint.name == "base"
    assert [(one.role, one.name, one.hash) for one in draft.other_models] == [
        ("text_encoder", "ae", None), ("text_encoder", "t5", None), ("controlnet", "control_x", "0123456789")]  # fmt: skip


@pytest.mark.parametrize(
    ("digits", "kind"), [("a" * 8, "autov1"), ("A" * 10, "autov2"), ("b" * 12, "autov3"), ("C" * 64, "sha256")]
)
def test_hash_kinds_are_told_by_length(digits, kind):
    """Eight, ten, twelve and sixty-four digits, of any case."""
    use = a1111.parse(f"x\n{SETTINGS}, Model hash: {digits}").checkpoint
    assert (use.hash, use.hash_type) == (digits.lower(), kind)


def test_a_savers_placeholders_are_recognised():
    """Twenty steps at eight with seed zero is what a saver writes when it knows nothing."""
    known = a1111.parse("x\nSteps: 20, CFG scale: 8.0, Seed: 0, Size: 512x512, Sampler: euler")
    assert a1111.is_placeholder(known)
    assert not a1111.is_placeholder(a1111.parse(f"x\n{SETTINGS}"))


@pytest.mark.parametrize("name", ["Latent", "Latent (nearest-exact)", "Lanczos", "Nearest", "None"])
def test_a_way_to_enlarge_is_no_model(name):
    """The hires pass says it, and the list of models does not."""
    draft = a1111.parse(f"p\n{SETTINGS}, Hires upscale: 2, Hires upscaler: {name}")
    assert draft.other_models == ()
    assert draft.hires.get("upscaler") == (None if name == "None" else name)
