"""The native records of every other program."""

from __future__ import annotations

import json

import pytest

from py.recipes.draft import Draft
from py.recipes.reader import read_bytes

from . import encoders as write


def from_png(**texts: object) -> Draft:
    """Read a PNG whose texts are given by key; objects are written as JSON."""
    rows = {key.replace("__", "-"): one if isinstance(one, str) else json.dumps(one) for key, one in texts.items()}
    return read_bytes(write.png(*(write.png_text(key, text) for key, text in rows.items()))).draft


def from_comment(data: object, how: str = "utf-16-le", order: str = "<") -> Draft:
    return read_bytes(write.jpeg(write.jpeg_exif(write.comment_tiff(json.dumps(data), how, order)))).draft


def loras(draft: Draft) -> list[tuple]:
    return [(one.name, one.hash, one.strength_model, one.strength_clip) for one in draft.loras]


# --- SwarmUI ------------------------------------------------------------------------------------------------------

TENSORS = "0x" + "ab" * 32
SWARM = {
    "sui_image_params": {
        "prompt": "a pond, , ,", "negativeprompt": "mud", "model": "dir/GENESIS_MK0.2", "seed": 7, "steps": 20, "cfgscale": 6.5,
        "width": 640, "height": 480, "sampler": "euler", "scheduler": "karras", "vae": "Automatic",
        "loras": ["x/A", "B"], "loraweights": ["0.8", "0.5"], "loratencweights": ["0.3", "0.5"],
        "refinermodel": "ref", "clipstopatlayer": -2, "swarm_version": "0.9",
    },
    "sui_extra_data": {"original_prompt": "a pond <lora:A>"},
    "sui_models": [{"name": "dir/GENESIS_MK0.2.safetensors", "param": "model", "hash": TENSORS},
                   {"name": "x/A.safetensors", "param": "loras", "hash": "0x" + "cd" * 32}],
}  # fmt: skip


def test_swarm_weights_are_taken_by_place_and_hashes_by_path():
    """A name may hold a dot; a tensor hash is AutoV3 by its first twelve digits, not a file's SHA256."""
    draft = from_comment(SWARM)
    assert (draft.prompt, draft.negative_prompt, draft.seed, draft.clip_skip) == ("a pond, , ,", "mud", 7, 2)
    assert (draft.checkpoint.name, draft.checkpoint.hash, draft.checkpoint.hash_type) == (
        "dir/GENESIS_MK0.2", "ab" * 6, "autov3")  # fmt: skip
    assert loras(draft) == [("x/A", "cd" * 6, 0.8, 0.3), ("B", None, 0.5, 0.5)]
    assert (draft.vae, draft.other_models[0].role) == (None, "refiner")


def test_old_swarm_wrote_lists_as_words_and_used_another_tag():
    """Comma strings, and the object in EXIF Model."""
    params = {
        **SWARM["sui_image_params"],
        "loras": "A,B",
        "loraweights": "0.8,0.5",
        "loratencweights": None,
        "seed": "7",
    }
    text = json.dumps({"sui_image_params": params}).encode() + b"\0"
    draft = read_bytes(write.jpeg(write.jpeg_exif(write.tiff([write.Tag(0x0110, text, 2)])))).draft
    assert (draft.seed, loras(draft)) == (7, [("A", None, 0.8, 0.8), ("B", None, 0.5, 0.5)])


# --- Fooocus and relatives ----------------------------------------------------------------------------------------

FOOOCUS = {
    "prompt": "a pond", "negative_prompt": "", "full_prompt": ["x"], "base_model": "base", "base_model_hash": "0123456789",
    "guidance_scale": 4, "resolution": "(768, 1280)", "sampler": "dpmpp_2m", "scheduler": "karras", "seed": "6952411511246973023",
    "steps": 30, "loras": [["A", 0.4, "abcdef0123"]], "lora_combined_1": "B.safetensors : 0.2", "refiner_model": "None",
    "vae": "Default (model)", "metadata_scheme": "fooocus", "version": "Fooocus v2.5.5",
}  # fmt: skip


def test_fooocus_json_is_read_from_png_and_from_the_first_directory():
    """The same object is a PNG text, or a UserComment in IFD0 with the scheme beside it."""
    tags = [
        write.Tag(0x9286, json.dumps(FOOOCUS).encode()),
        write.Tag(0x927C, b"fooocus"),
        write.Tag(0x0131, b"Fooocus v2.5.5\0", 2),
    ]
    jpeg = read_bytes(write.jpeg(write.jpeg_exif(write.tiff(tags)))).draft
    for draft in (from_png(parameters=FOOOCUS, fooocus_scheme="fooocus"), jpeg):
        assert (draft.prompt, draft.negative_prompt, draft.seed, draft.width) == (
            "a pond",
            "",
            6952411511246973023,
            768,
        )
        assert loras(draft) == [("A", "abcdef0123", 0.4, 0.4), ("B.safetensors", None, 0.2, 0.2)]
        assert (draft.checkpoint.hash, draft.vae, draft.other_models) == ("0123456789", None, ())


def test_fooocus_in_a1111_words_is_read():
    """Its other scheme is A1111 text with weights of its own."""
    text = ("a pond\nNegative prompt: mud\nSteps: 30, Sampler: DPM++ 2M SDE Karras, Seed: 5, Size: 768x1280, CFG scale: 4, "
            'Model: base, Model hash: 0123456789, Lora hashes: "A: abcdef0123", Lora weights: "A: 0.4", Version: Fooocus v2.5.5')  # fmt: skip
    draft = from_png(parameters=text, fooocus_scheme="a1111")
    assert (draft.generator, draft.scheduler, loras(draft)) == ("Fooocus", "Karras", [("A", "abcdef0123", 0.4, 0.4)])


def test_fooocus_mre_numbers_its_loras():
    """l1 with w1 and so on, in a comment."""
    data = {"prompt": "a pond", "negative_prompt": "mud", "real_prompt": ["x"], "cfg": 7, "base_model": "base.safetensors",
            "l1": "A.safetensors", "w1": 0.4, "l2": "None", "w2": 1.0, "seed": 5, "steps": 30, "width": 640, "height": 480}  # fmt: skip
    jpeg = read_bytes(write.jpeg(write.jpeg_segment(0xFE, json.dumps(data).encode()))).draft
    for draft in (from_png(Comment=data), jpeg):
        assert (draft.generator, loras(draft), draft.width) == ("Fooocus-MRE", [("A.safetensors", None, 0.4, 0.4)], 640)


@pytest.mark.parametrize(
    ("items", "wanted"),
    [
        ([["ABCDEF0123", "0.1 - name.safetensors"]], [("name.safetensors", "abcdef0123", 0.1, 0.1)]),
        ("Loras:<A:0.5>,<B:-1>", [("A", None, 0.5, 0.5), ("B", None, -1.0, -1.0)]),
        ([], []),
    ],
)
def test_ruined_fooocus_writes_loras_in_three_ways(items, wanted):
    """Hash and label, tags in a text, or none."""
    data = {"Prompt": "a pond", "Negative": "mud", "steps": 30, "cfg": 8, "seed": 5, "sampler_name": "euler", "scheduler": "karras",
            "base_model_name": "b.safetensors", "base_model_hash": "A" * 64, "loras": items, "software": "RuinedFooocus"}  # fmt: skip
    assert loras(from_png(parameters=data)) == wanted


# --- InvokeAI -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "lora"),
    [
        ({"key": "k", "name": "base", "hash": "blake3:" + "a" * 64, "base": "sdxl", "type": "main"},
         {"model": {"name": "A", "hash": "blake3:" + "b" * 64, "base": "sdxl"}, "weight": 0.8}),
        ({"model_name": "base", "base_model": "sdxl", "model_type": "main"},
         {"lora": {"model_name": "A", "base_model": "sdxl"}, "weight": 0.8}),
    ],
    ids=["version 4", "version 3"],
)  # fmt: skip
def test_invoke_models_have_two_spellings(model, lora):
    """`name` or `model_name`, `model` or `lora`; hashes are BLAKE3."""
    data = {"generation_mode": "sdxl_txt2img", "positive_prompt": "a pond", "negative_prompt": "mud", "seed": 5, "steps": 30,
            "cfg_scale": 7.5, "scheduler": "euler", "width": 640, "height": 480, "model": model, "loras": [lora],
            "controlnets": [{"control_model": {"name": "cn"}}]}  # fmt: skip
    draft = from_png(invokeai_metadata=data, invokeai_graph={"nodes": {}})
    assert (draft.checkpoint.name, draft.checkpoint.base_model, draft.sampler) == ("base", "sdxl", "euler")
    (use,) = draft.loras
    assert (use.name, use.strength_model, use.strength_clip) == ("A", 0.8, 0.8)
    assert draft.checkpoint.hash_type == ("blake3" if "hash" in model else None)
    assert [(one.role, one.name) for one in draft.other_models] == [("controlnet", "cn")]


@pytest.mark.parametrize("wrap", [lambda text: text, lambda text: [{"prompt": text, "weight": 1.0}]])
def test_older_invoke_keeps_the_negative_in_brackets(wrap):
    """The prompt is a text or a list of weighted texts, and LoRAs are calls in it."""
    data = {"model_weights": "base", "model_hash": "a" * 64, "app_id": "invoke-ai/InvokeAI",
            "image": {"prompt": wrap("a pond withLora(A,0.8) [mud, dirt]"), "steps": 30, "cfg_scale": 7, "seed": 5, "sampler": "k_lms"}}  # fmt: skip
    draft = from_png(sd__metadata=data)
    assert (draft.prompt, draft.negative_prompt, loras(draft)) == (
        "a pond withLora(A,0.8)",
        "mud, dirt",
        [("A", None, 0.8, 0.8)],
    )


def test_the_oldest_invoke_is_a_command():
    """Dream is a quoted prompt with switches."""
    draft = from_png(Dream='"a "big" pond [mud]" -s 50 -S 123 -W 512 -H 768 -C 7.5 -A k_lms -G 0.9')
    assert (draft.prompt, draft.negative_prompt, draft.seed, draft.steps) == ('a "big" pond', "mud", 123, 50)
    assert (draft.width, draft.height, draft.cfg_scale, draft.sampler) == (512, 768, 7.5, "k_lms")


# --- NovelAI ------------------------------------------------------------------------------------------------------

NOVEL = {"prompt": "a pond, -0.8::feet::, {x}", "uc": "mud", "steps": 28, "scale": 5.0, "sampler": "k_euler", "noise_schedule": "karras",
         "seed": 5, "width": 640, "height": 480,
         "v4_prompt": {"caption": {"base_caption": "a pond, -0.8::feet::, {x}", "char_captions": [{"char_caption": "a duck"}]}},
         "v4_negative_prompt": {"caption": {"base_caption": "mud"}}}  # fmt: skip


@pytest.mark.parametrize("chunk", [write.png_text, write.png_itxt])
def test_novelai_texts_are_read_together(chunk):
    """Settings in Comment, the model in Source; weight words stay; the last eight digits are no public hash."""
    texts = {"Title": "NovelAI generated image", "Description": "a pond", "Software": "NovelAI",
             "Source": "NovelAI Diffusion V4.5 4BDE2A90", "Comment": json.dumps(NOVEL)}  # fmt: skip
    draft = read_bytes(write.png(*(chunk(key, text) for key, text in texts.items()))).draft
    assert (draft.prompt, draft.negative_prompt, draft.scheduler) == ("a pond, -0.8::feet::, {x}", "mud", "karras")
    assert (draft.checkpoint.name, draft.checkpoint.hash, draft.checkpoint.hash_type) == (
        "NovelAI Diffusion V4.5",
        "4bde2a90",
        None,
    )
    assert "Character 1: a duck" in draft.notes


def test_old_novelai_has_its_prompt_in_the_description():
    """Nothing but the description holds it."""
    draft = from_png(
        Software="NovelAI",
        Source="Stable Diffusion 81274D13",
        Description="a pond",
        Comment={"steps": 28, "seed": 5, "uc": "mud", "scale": 11},
    )
    assert (draft.prompt, draft.negative_prompt, draft.checkpoint.name) == ("a pond", "mud", "Stable Diffusion")


def test_novelai_in_webp_wraps_its_settings_once_more():
    """EXIF Software names the model, and the comment holds JSON in JSON."""
    wrapped = json.dumps({"Comment": json.dumps(NOVEL)})
    block = write.tiff(
        [write.Tag(0x0131, b"NovelAI Diffusion V4.5 4BDE2A90\0", 2), write.Tag(0x010E, b"\0\0\0\0a pond\0", 2)],
        [write.Tag(0x9286, write.user_comment(wrapped, "ascii"))],
    )
    draft = read_bytes(write.webp(write.riff_chunk(b"EXIF", block))).draft
    assert (draft.seed, draft.checkpoint.name) == (5, "NovelAI Diffusion V4.5")


def test_novelai_in_hidden_pixels_is_read():
    """A copy that lost its texts still has them in the alpha channel."""
    data = {
        "Description": "a pond",
        "Software": "NovelAI",
        "Source": "NovelAI Diffusion V3 4BDE2A90",
        "Comment": json.dumps(NOVEL),
    }
    draft = read_bytes(write.stealth_png(json.dumps(data), width=120)).draft
    assert (draft.seed, draft.generator) == (5, "NovelAI")


# --- services and small programs ----------------------------------------------------------------------------------


def test_tensor_art_takes_the_graphs_seed_for_minus_one():
    """The site's record wins, and what it does not know comes from the graph, trailing NUL and all."""
    from .graphs import plain

    record = {"prompt": "a pond", "negativePrompt": "mud", "width": 640, "height": 480, "steps": 25, "cfgScale": 7, "seed": "-1",
              "clipSkip": 2, "baseModel": {"modelFileName": "Site-Name", "hash": "A" * 64, "baseModel": "Illustrious", "label": "v1"},
              "models": [{"type": "LORA", "modelFileName": "A", "weight": 0.8, "hash": "B" * 64}], "ksamplerName": "euler", "schedule": "karras"}  # fmt: skip
    draft = from_png(generation_data=json.dumps(record) + "\0", prompt=plain())
    assert (draft.seed, draft.steps, draft.checkpoint.name, draft.checkpoint.base_model) == (
        7,
        25,
        "Site-Name",
        "Illustrious",
    )
    assert loras(draft) == [("A", "b" * 64, 0.8, 0.8)]
    assert draft.has_workflow


def test_stability_matrix_keeps_words_of_its_own():
    """The written prompt is in its record, the sampler in the graph."""
    from .graphs import plain

    record = {"PositivePrompt": "a pond #note", "NegativePrompt": "mud", "Steps": 20, "CfgScale": 5, "Seed": 7, "Width": 640, "Height": 480,
              "ModelHash": "A" * 64, "ModelName": "base.safetensors", "ModelVersionId": 11, "Sampler": "Euler Ancestral Karras"}  # fmt: skip
    draft = from_png(parameters__json=record, prompt=plain())
    assert (draft.prompt, draft.sampler, draft.checkpoint.model_version_id) == ("a pond #note", "euler", 11)


def test_a_hugging_face_space_is_read():
    """Diffusers' words, a size as text, and a hash in capitals."""
    data = {"prompt": "a pond", "negative_prompt": "mud", "resolution": "1024 x 1024", "guidance_scale": 5.5, "num_inference_steps": 24,
            "seed": 5, "sampler": "DPM++ 2M Karras", "Model": "M", "Model hash": "A" * 64,
            "use_upscaler": {"upscale_method": "nearest", "upscale_factor": 1.5, "strength": 0.5, "new_resolution": "1536 x 1536"}}  # fmt: skip
    draft = from_png(parameters=data)
    assert (draft.width, draft.steps, draft.checkpoint.hash) == (1024, 24, "a" * 64)
    assert draft.hires == {"upscaler": "nearest", "upscale": 1.5, "denoise": 0.5, "width": 1536, "height": 1536}


EASY = {"prompt": "a pond", "negative_prompt": "mud", "seed": "5", "use_stable_diffusion_model": "dir/base", "sampler_name": "euler",
        "width": "640", "height": "480", "num_inference_steps": "25", "guidance_scale": "7.5"}  # fmt: skip


def test_easy_diffusion_writes_one_text_for_each_setting():
    """Lists are Python's own notation."""
    draft = from_png(**EASY, use_lora_model="['A', 'B']", lora_alpha="[0.5, 0.7]")
    assert (draft.seed, draft.steps, draft.checkpoint.name, draft.width) == (5, 25, "dir/base", 640)
    assert loras(draft) == [("A", None, 0.5, 0.5), ("B", None, 0.7, 0.7)]


def test_easy_diffusion_in_exif_is_one_object():
    """One LoRA may stand without a list."""
    draft = from_comment({**EASY, "use_lora_model": "A", "lora_alpha": 0.5}, "utf-16-be", ">")
    assert (draft.generator, loras(draft)) == ("Easy Diffusion", [("A", None, 0.5, 0.5)])


def test_draw_things_believes_its_list_and_not_its_prompt():
    """A tag left in the prompt was not applied."""
    data = {"c": "a pond <lora:stale:1>", "uc": "mud", "model": "base.ckpt", "sampler": "DPM++ 2M Karras", "scale": 7, "seed": 5, "steps": 20,
            "strength": 1, "size": "512x768", "lora": [{"model": "A.ckpt", "weight": 0.6}], "v2": {"refinerModel": "ref.ckpt"}}  # fmt: skip
    described = "a pond <lora:stale:1>\nNegative prompt: mud\nSteps: 20, Sampler: DPM++ 2M Karras, Guidance Scale: 7.0, Seed: 5, Size: 512x768, LoRA 1 Model: A.ckpt, LoRA 1 Weight: 0.6"
    packet = write.xmp(xmp__CreatorTool="Draw Things", exif__UserComment=json.dumps(data), dc__description=described)
    draft = read_bytes(write.png(write.png_itxt("XML:com.adobe.xmp", packet))).draft
    assert (draft.generator, draft.width, draft.cfg_scale) == ("Draw Things", 512, 7.0)
    assert loras(draft) == [("A.ckpt", None, 0.6, 0.6)]


@pytest.mark.parametrize(
    ("text", "prompt", "negative", "model"),
    [
        (
            "a pond at dawn --ar 3:2 --v 6 Job ID: 01234567-89ab-cdef-0123-456789abcdef",
            "a pond at dawn",
            None,
            "Midjourney 6",
        ),
        ("a pond --no mud, dirt --v 5.2 --seed 5", "a pond", "mud, dirt", "Midjourney 5.2"),
        ("a pond --niji --ar 1:1", "a pond", None, "Niji"),
    ],
)
def test_midjourney_is_a_prompt_with_switches(text, prompt, negative, model):
    """The words, what to leave out, and the version as the model."""
    draft = from_png(Description=text, Author="someone")
    assert (draft.prompt, draft.negative_prompt, draft.checkpoint.name) == (prompt, negative, model)


def test_a_description_with_dashes_is_not_midjourney():
    """One switch may be an accident."""
    assert from_png(Description="a photo -- taken at noon --raw") is None


def test_civitai_api_meta_is_a_draft():
    """What the site's API says about an image, in all its lists."""
    from py.recipes.parsers.civitai import read_meta

    draft = read_meta({
        "prompt": "a pond <lora:A:0.5>", "negativePrompt": "mud", "seed": 5, "steps": 20, "cfgScale": 7, "sampler": "Euler a", "Size": "640x480",
        "Model": "base", "Model hash": "0123456789", "hashes": {"lora:A": "abcdef0123"},
        "civitaiResources": [{"type": "lora", "modelVersionId": 22, "weight": 0.5}],
        "additionalResources": [{"name": "urn:air:sdxl:lora:civitai:7@33", "type": "lora", "strength": 0.4, "strengthClip": 0.2}],
    })  # fmt: skip
    assert (draft.width, draft.checkpoint.name, draft.negative_prompt) == (640, "base", "mud")
    assert [(one.name, one.hash, one.model_version_id, one.strength_model, one.strength_clip) for one in draft.loras] == [
        ("A", "abcdef0123", None, 0.5, 0.5), (None, None, 22, 0.5, 0.5), (None, None, 33, 0.4, 0.2)]  # fmt: skip


def test_easy_diffusions_text_beside_an_image_has_labels():
    """The prompt first, then a label in each line."""
    text = ("a pond\nSeed: 5\nStable Diffusion model: base\nSampler: euler\nSteps: 25\nGuidance Scale: 7.5\nWidth: 640\nHeight: 480\n"
            "Negative Prompt: mud\nLoRA model: A\nLoRA Strength: 0.5")  # fmt: skip
    draft = from_png(parameters=text)
    assert (draft.prompt, draft.negative_prompt, draft.seed, draft.width, loras(draft)) == (
        "a pond",
        "mud",
        5,
        640,
        [("A", None, 0.5, 0.5)],
    )


def test_older_civitai_graphs_list_versions_by_kind():
    """model@version in three lists, with strengths beside."""
    record = {"1": {"class_type": "X", "inputs": {}}, "extra": {"ckpt_airs": ["5@11"], "lora_airs": ["7@22"], "embedding_airs": ["8@33"]},
              "extraMetadata": json.dumps({"prompt": "a pond", "resources": [{"modelVersionId": 22, "strength": 0.6}]})}  # fmt: skip
    draft = from_png(prompt=record)
    assert (draft.checkpoint.model_version_id, draft.embeddings[0].model_version_id) == (11, 33)
    assert [(one.model_id, one.model_version_id, one.strength_model) for one in draft.loras] == [(7, 22, 0.6)]
