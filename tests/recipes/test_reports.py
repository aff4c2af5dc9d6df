"""One case for each public report about image metadata that a reader can get right or wrong.

The id of a case is the report; the case is made by hand from what the report describes.
"""

from __future__ import annotations

import json
import zlib

import pytest

from py.recipes.draft import Draft
from py.recipes.reader import read_bytes

from . import encoders as write
from .graphs import Editor, drawn, node, plain, with_inputs, with_model
from .test_generators import FOOOCUS, NOVEL, SWARM

TEXT = "a pond\nNegative prompt: mud\nSteps: 9, Sampler: Euler, CFG scale: 4, Seed: 77, Size: 64x48"
WIDE = TEXT.replace("a pond", "睡蓮の池")


def comment(text: str, how: str, order: str) -> bytes:
    return write.jpeg(write.jpeg_exif(write.comment_tiff(text, how, order)))


def text_png(text: str) -> bytes:
    return write.png(write.png_text("parameters", text))


def graph_png(graph: dict) -> bytes:
    return write.png(write.png_text("prompt", json.dumps(graph)))


def labelled(make: str, model: str) -> bytes:
    return write.tiff([write.Tag(0x010F, make.encode() + b"\0", 2), write.Tag(0x0110, model.encode() + b"\0", 2)])


def sdxl() -> dict:
    return plain(pos=node("CLIPTextEncodeSDXL", text_g="a pond", text_l="a pond", width=1024, clip=["base", 1]))


def custom() -> dict:
    return plain(
        seeder=node("Seed (rgthree)", seed=7),
        noise=node("RandomNoise", noise_seed=["seeder", 0]),
        guider=node("CFGGuider", model=["base", 0], positive=["pos", 0], negative=["neg", 0], cfg=6.5),
        pick=node("KSamplerSelect", sampler_name="euler"),
        sigmas=node("BasicScheduler", scheduler="normal", steps=20, denoise=1, model=["base", 0]),
        sampler=node("SamplerCustomAdvanced", noise=["noise", 0], guider=["guider", 0], sampler=["pick", 0], sigmas=["sigmas", 0],
                     latent_image=["latent", 0]),
    )  # fmt: skip


def stack(one: dict) -> dict:
    return with_model({"top": node("CR Apply LoRA Stack", model=["base", 0], lora_stack=["stack", 0]), "stack": one})


def power() -> dict:
    rows = {
        f"lora_{index}": {"on": True, "lora": f"{name}.safetensors", "strength": 0.5}
        for index, name in enumerate("ABCD")
    }
    return with_model({"top": node("Power Lora Loader (rgthree)", model=["base", 0], **rows)})


def colliding() -> Editor:
    """Inner and outer nodes have the same number."""
    from .test_comfy_editor import subgraph

    one = subgraph()
    one.add("CLIPTextEncode", ["outer node 1"], clip=(101, 1), outputs="CONDITIONING", id_=1)
    return one


def api_with_prefixed_ids() -> dict:
    return json.loads(json.dumps(plain()).replace('"sampler"', '"98:17"').replace('"pos"', '"98:3:4"'))


def big_inflated() -> bytes:
    fat = zlib.compress(b"x" * (64 * 1024 * 1024), 9)
    return write.png(write.png_chunk(b"zTXt", b"comment\0\0" + fat), write.png_text("parameters", TEXT))


def animated(graph: dict) -> bytes:
    return write.webp(write.riff_chunk(b"EXIF", b"Exif\0\0" + labelled("workflow:{}", "prompt:" + json.dumps(graph))))


def two_mib_workflow() -> bytes:
    graph = {**plain(), **{f"note{index}": node("Text", text="x" * 1000) for index in range(2100)}}
    return write.png(write.png_ztxt("prompt", json.dumps(graph)))


def tensor(draft: Draft) -> bool:
    return draft.checkpoint.hash_type == "autov3" and len(draft.checkpoint.hash) == 12


def names(draft: Draft) -> list[str]:
    return [one.name for one in draft.loras]


def strengths(draft: Draft) -> list[tuple]:
    return [(one.name, one.strength_model, one.strength_clip) for one in draft.loras]


LM_GRAPH = with_model({
    "top": node("Lora Loader (LoraManager)", model=["base", 0], text="<lora:A:0.8>",
                loras={"__value__": [{"name": "A", "strength": 0.8, "active": True}, {"name": "B", "strength": 0.2, "active": True},
                                     {"name": "C", "strength": "0.4", "clipStrength": "0.1", "active": True},
                                     {"name": "D", "strength": 1, "active": True}]}),
})  # fmt: skip
ALIASES = (
    f"{TEXT} <lora:A:1>".replace(" <lora:A:1>", "")
    + ', Lora hashes: "A: 62064ee0c3ba", Hashes: {"lora:A": "458cc11561"}'
)

# report: (file, what has to be true of its draft)
REPORTS = {
    "civitai/civitai#2424 byte order": (comment(WIDE, "utf-16-be", "<"), lambda d: d.prompt == "睡蓮の池"),
    "civitai/civitai#2424 one line": (
        text_png("Parameters   : a pond .Negative prompt: mud.Steps: 9, Seed: 77, Sampler: Euler, CFG scale: 4"),
        lambda d: (d.prompt, d.negative_prompt, d.seed) == ("a pond", "mud", 77),
    ),
    "AsuraAce/ambit#195 UTF-8 behind UNICODE": (comment(WIDE, "utf-8", ">"), lambda d: d.prompt == "睡蓮の池"),
    "StigNygaard/xIFr#19 Latin text shown as Chinese": (comment(TEXT, "utf-16-le", ">"), lambda d: d.prompt == "a pond"),
    "Exiv2/exiv2#3271 order of CivitAI": (comment(TEXT, "utf-16-be", "<"), lambda d: d.seed == 77),
    "drewnoakes/metadata-extractor#699 always little": (comment(TEXT, "utf-16-be", ">"), lambda d: d.seed == 77),
    "drewnoakes/metadata-extractor-dotnet#173 last letter": (comment(TEXT, "utf-16-be", ">"), lambda d: d.height == 48),
    "RupertAvery/DiffusionToolkit#323 animated WebP": (animated(plain()), lambda d: d.seed == 7),
    "RupertAvery/DiffusionToolkit#316 graph in a JPEG comment": (
        comment(json.dumps({"prompt": plain(), "workflow": {}}), "bare", ">"), lambda d: d.seed == 7),
    "zanllp/infinite-image-browsing#798 WebP": (animated(plain()), lambda d: d.prompt == "a pond"),
    "AUTOMATIC1111/stable-diffusion-webui#12128 newline in a value": (
        text_png(TEXT + ", Script: first\nsecond, Version: v1.6.0"), lambda d: (d.negative_prompt, d.seed) == ("mud", 77)),
    "adieyal/sd-dynamic-prompts#177 template": (
        text_png(TEXT + ", Version: v1\nTemplate: a {pond|lake}, 2::x\nNegative Template: {mud|dirt}"),
        lambda d: (d.prompt, d.negative_prompt) == ("a pond", "mud")),
    "zanllp/infinite-image-browsing#662 quoted template": (
        text_png(TEXT + ', Template: "a {pond|lake},\\nSteps: x", Negative Template: mud'),
        lambda d: (d.prompt, d.negative_prompt, d.steps) == ("a pond", "mud", 9)),
    "d3x-at/sd-parsers#3 negative and settings on one line": (
        text_png(TEXT.replace("\nSteps", " Steps")), lambda d: (d.negative_prompt, d.seed) == ("mud", 77)),
    "zanllp/infinite-image-browsing#612 two weights": (
        text_png(TEXT.replace("a pond", "a <lora:x:0.5:0.9>")), lambda d: strengths(d) == [("x", 0.9, 0.5)]),
    "Jelosus2/ImgMetadataConverter#5 Swarm weights": (
        write.png(write.png_text("parameters", json.dumps(SWARM))), lambda d: [one.strength_model for one in d.loras] == [0.8, 0.5]),
    "edelvarden/comfyui_image_metadata_extension#37 backslash": (
        text_png(TEXT.replace("a pond", "<lora:sub\\x y:-0.5>")), lambda d: strengths(d) == [("sub\\x y", -0.5, -0.5)]),
    "lllyasviel/stable-diffusion-webui-forge#2878 two kinds of hash": (
        text_png(ALIASES), lambda d: {d.loras[0].hash, *d.loras[0].aliases.values()} == {"62064ee0c3ba", "458cc11561"}),
    "AUTOMATIC1111/stable-diffusion-webui#13752 kinds stay apart": (
        text_png(ALIASES), lambda d: d.loras[0].hash_type != "sha256" and "sha256" not in d.loras[0].aliases),
    "Comfy-Org/ComfyUI#8548 is_changed NaN": (
        write.png(write.png_text("prompt", json.dumps({**plain(), "x": {**node("Y"), "is_changed": [float("nan")]}}))),
        lambda d: d.seed == 7),
    "Comfy-Org/ComfyUI#6915 NaN in a value": (graph_png(plain(x=node("Y", a=float("nan"), b=float("inf")))), lambda d: d.seed == 7),
    "RupertAvery/DiffusionToolkit#148 the word NaN in a prompt": (
        graph_png(with_inputs(plain(), "pos", text="NaN: bread")), lambda d: d.prompt == "NaN: bread"),
    "python-pillow/Pillow#2908 text behind the pixels": (write.png(after=(write.png_text("parameters", TEXT),)), lambda d: d.seed == 77),
    "lvandeve/lodepng#64 compressed behind the pixels": (write.png(after=(write.png_ztxt("parameters", TEXT),)), lambda d: d.seed == 77),
    "Comfy-Org/ComfyUI_frontend#8530 iTXt fields": (
        write.png(write.png_itxt("parameters", TEXT, language="en-GB", translated="settings")), lambda d: d.prompt == "a pond"),
    "python-pillow/Pillow#8363 two MiB compressed": (two_mib_workflow(), lambda d: d.seed == 7),
    "libvips/libvips#1903 one chunk too large": (big_inflated(), lambda d: d.seed == 77),
    "RupertAvery/DiffusionToolkit#279 NovelAI in iTXt": (
        write.png(write.png_itxt("Description", "a pond"), write.png_text("Software", "NovelAI"),
                  write.png_text("Source", "NovelAI Diffusion V4 37442FCA"), write.png_itxt("Comment", json.dumps(NOVEL))),
        lambda d: (d.generator, d.seed) == ("NovelAI", 5)),
    "receyuki/stable-diffusion-prompt-reader#73 hidden NovelAI": (
        write.stealth_png(json.dumps({"Software": "NovelAI", "Source": "NovelAI Diffusion V3 1", "Comment": json.dumps(NOVEL)}), width=120),
        lambda d: d.seed == 5),
    "RupertAvery/DiffusionToolkit#205 SDXL encoder": (graph_png(sdxl()), lambda d: d.prompt == "a pond"),
    "audioscavenger/save-image-extended-comfyui#43 EXIF without the graph": (
        write.jpeg(write.jpeg_exif(labelled("Prompt: " + json.dumps(plain()), "x"))), lambda d: d.seed == 7),
    "ltdrdata/was-node-suite-comfyui#25 graph dropped": (comment(TEXT, "utf-16-be", ">"), lambda d: d.seed == 77),
    "alexopus/ComfyUI-Image-Saver#62 half a graph": (
        write.webp(write.riff_chunk(b"EXIF", write.tiff(
            [write.Tag(0x010F, ("workflow:" + json.dumps(plain())[:300]).encode(), 2)],
            [write.Tag(0x9286, write.user_comment(TEXT))]))),
        lambda d: (d.seed, d.prompt) == (77, "a pond")),
    "lllyasviel/Fooocus#3301 JPEG": (
        write.jpeg(write.jpeg_exif(write.tiff([write.Tag(0x9286, json.dumps(FOOOCUS).encode())]))), lambda d: d.generator == "Fooocus"),
    "zanllp/infinite-image-browsing#394 Fooocus-MRE": (
        write.png(write.png_text("Comment", json.dumps({"prompt": "a", "real_prompt": ["a"], "l1": "A", "w1": 0.4, "seed": 5, "steps": 3}))),
        lambda d: strengths(d) == [("A", 0.4, 0.4)]),
    "Kosinkadink/ComfyUI-VideoHelperSuite#282 NaN in a video": (
        write.mp4({}, comment=json.dumps({"prompt": json.dumps(plain(x=node("Y", a=float("nan")))), "workflow": {}})), lambda d: d.seed == 7),
    "zanllp/infinite-image-browsing#355 no node called 3": (graph_png(plain()), lambda d: d.seed == 7),
    "zanllp/infinite-image-browsing#962 custom sampler": (
        graph_png(plain(sampler=node("ClownsharKSampler_Beta", seed=7, steps=20, cfg=1, sampler_name="linear/euler", scheduler="beta57",
                                     model=["base", 0], positive=["pos", 0], negative=["neg", 0], latent_image=["latent", 0]))),
        lambda d: (d.sampler, d.prompt) == ("linear/euler", "a pond")),
    "civitai/civitai#4623 seed node": (graph_png(custom()), lambda d: (d.seed, d.cfg_scale) == (7, 6.5)),
    "receyuki/stable-diffusion-prompt-reader#25 SDXL": (graph_png(sdxl()), lambda d: d.negative_prompt == "mud"),
    "zanllp/infinite-image-browsing#853 newer graphs": (graph_png(custom()), lambda d: d.steps == 20),
    "xxmjskxx/ComfyUI_SaveImageWithMetaDataUniversal#79 Power Lora": (
        graph_png(power()), lambda d: len(d.loras) == 4 and strengths(d)[0] == ("A.safetensors", 0.5, 0.5)),
    "xxmjskxx/ComfyUI_SaveImageWithMetaDataUniversal#83 stack": (
        graph_png(with_model({"top": node("Lora Loader Stack (rgthree)", model=["base", 0], lora_01="A", strength_01=0.3)})),
        lambda d: strengths(d) == [("A", 0.3, 0.3)]),
    "edelvarden/comfyui_image_metadata_extension#33 easy stack": (
        graph_png(stack(node("easy loraStack", toggle=True, mode="simple", num_loras=2, lora_1_name="A", lora_1_strength=0.3,
                             lora_1_model_strength=1, lora_1_clip_strength=1, lora_2_name="None", lora_2_strength=1))),
        lambda d: strengths(d) == [("A", 0.3, 0.3)]),
    "willmiao/ComfyUI-Lora-Manager#158 kinds of hash": (text_png(ALIASES), lambda d: d.loras[0].hash_type == "autov3"),
    "Comfy-Org/ComfyUI_frontend#8137 numbers collide": (
        write.png(write.png_text("workflow", json.dumps(colliding().form()))), lambda d: d.prompt == "inside"),
    "Comfy-Org/ComfyUI#11947 nodes inside subgraphs": (
        write.png(write.png_text("workflow", json.dumps(colliding().form()))), lambda d: d.seed == 77),
    "LuqP2/Image-MetaHub#359 prefixed numbers": (
        graph_png(api_with_prefixed_ids()), lambda d: (d.seed, d.prompt) == (7, "a pond")),
    "mcmonkeyprojects/SwarmUI#500 commas left over": (
        write.png(write.png_text("parameters", json.dumps(SWARM))), lambda d: d.prompt == "a pond, , ,"),
    "civitai/civitai#1392 Swarm negative": (
        write.png(write.png_text("parameters", json.dumps(SWARM))), lambda d: d.negative_prompt == "mud"),
    "mcmonkeyprojects/SwarmUI#378 0x hashes": (write.png(write.png_text("parameters", json.dumps(SWARM))), tensor),
    "RupertAvery/DiffusionToolkit#108 prompt as a list": (
        write.png(write.png_text("sd-metadata", json.dumps({"app_id": "x", "image": {"prompt": [{"prompt": "a pond", "weight": 1}], "seed": 5}}))),
        lambda d: d.prompt == "a pond"),
    "receyuki/stable-diffusion-prompt-reader#81 model key": (
        write.png(write.png_text("invokeai_metadata", json.dumps({"positive_prompt": "a", "model": {"name": "M"}, "seed": 5}))),
        lambda d: d.checkpoint.name == "M"),
    "receyuki/stable-diffusion-prompt-reader#46 Invoke 3": (
        write.png(write.png_text("invokeai_metadata", json.dumps({"positive_prompt": "a", "model": {"model_name": "M"}, "seed": 5}))),
        lambda d: (d.prompt, d.checkpoint.name) == ("a", "M")),
    "invoke-ai/InvokeAI#8511 LoRAs": (
        write.png(write.png_text("invokeai_metadata", json.dumps(
            {"positive_prompt": "a", "loras": [{"model": {"name": "A", "hash": "blake3:" + "a" * 64}, "weight": 0.75}]}))),
        lambda d: strengths(d) == [("A", 0.75, 0.75)]),
    "lllyasviel/Fooocus#2615 LoRAs in A1111 words": (
        text_png(TEXT + ', Lora hashes: "A: 0123456789", Lora weights: "A: 0.25", Version: Fooocus v2.4.1'),
        lambda d: strengths(d) == [("A", 0.25, 0.25)]),
    "RupertAvery/DiffusionToolkit#230 two schemes": (
        write.png(write.png_text("parameters", json.dumps(FOOOCUS)), write.png_text("fooocus_scheme", "fooocus")), lambda d: d.width == 768),
    "RupertAvery/DiffusionToolkit#274 hidden text": (write.stealth_png(TEXT), lambda d: d.seed == 77),
    "willmiao/ComfyUI-Lora-Manager#981 AVIF and JPEG XL": (
        write.jxl(write.box(b"Exif", bytes(4) + write.comment_tiff(TEXT))), lambda d: d.seed == 77),
    "Comfy-Org/ComfyUI_frontend#13757 XMP items": (
        write.avif(xmp=write.xmp(comfy__prompt=json.dumps(plain())).encode()), lambda d: d.seed == 7),
    "LuqP2/Image-MetaHub#479 two copies that differ": (
        write.avif(write.comment_tiff(TEXT), write.xmp(comfy__prompt=json.dumps(plain())).encode()), lambda d: (d.seed, d.origins["seed"]) == (
            7, "xmp:comfy:prompt")),
    "receyuki/comfyui-prompt-reader-node#68 None as a number": (
        text_png(TEXT.replace("Seed: 77", "Seed: None")), lambda d: (d.seed, d.steps) == (None, 9)),
    "willmiao/ComfyUI-Lora-Manager#63 its own loader": (graph_png(LM_GRAPH), lambda d: names(d) == ["A", "B", "C", "D"]),
    "willmiao/ComfyUI-Lora-Manager#104 no LoRA at all": (text_png(TEXT), lambda d: (d.loras, d.seed) == ((), 77)),
    "willmiao/ComfyUI-Lora-Manager#322 Image-Saver": (
        comment(TEXT + ', Model: base, Model hash: 45a21ea00a, Hashes: {"model": "45a21ea00a", "lora:A": "458cc11561"}, Version: ComfyUI',
                "utf-16-be", ">"),
        lambda d: (d.generator, names(d)) == ("ComfyUI", ["A"])),
    "willmiao/ComfyUI-Lora-Manager#492 four of four": (graph_png(LM_GRAPH), lambda d: strengths(d)[2] == ("C", 0.4, 0.1)),
    "willmiao/ComfyUI-Lora-Manager#920 easy-use and detailer": (
        graph_png({
            "loader": node("easy fullLoader", ckpt_name="base", positive="a pond", negative="mud", lora_name="A", lora_model_strength=0.8,
                           lora_clip_strength=0.8, empty_latent_width=640, empty_latent_height=480),
            "pre": node("easy preSampling", steps=20, cfg=6.5, sampler_name="euler", scheduler="normal", seed=7, pipe=["loader", 0]),
            "run": node("easy kSampler", pipe=["pre", 0]),
            "face": node("FaceDetailerPipe", image=["run", 1], seed=1, steps=5, cfg=2, sampler_name="ddim", scheduler="simple", basic_pipe=["run", 0]),
            "save": node("SaveImage", images=["face", 0]),
        }),
        lambda d: (d.seed, d.steps, d.width, names(d)) == (7, 20, 640, ["A"])),
    "willmiao/ComfyUI-Lora-Manager#553 two encoders": (
        graph_png(plain(pos=node("CLIPTextEncodeFlux", clip_l="a pond", t5xxl="a wide pond", guidance=3.5, clip=["base", 1]))),
        lambda d: "a wide pond" in d.prompt and "a pond" in d.prompt.splitlines() and d.guidance == 3.5),
    "AsuraAce/ambit#189 placeholders": (
        write.png(write.png_text("prompt", json.dumps(plain())),
                  write.png_text("parameters", "unknown\nSteps: 20, CFG scale: 8.0, Seed: 0, Size: 512x512, Sampler: euler")),
        lambda d: (d.prompt, d.seed, d.width) == ("a pond", 7, 640)),
    "vladmandic/sdnext#1864 pipes": (
        text_png("prompt: a pond\nNegative prompt: mud\nSteps: 9 | Seed: 77 | CFG scale: 4 | Sampler: Euler"),
        lambda d: (d.prompt, d.seed, d.sampler) == ("a pond", 77, "Euler")),
    "LuqP2/Image-MetaHub#329 unknown nodes on the way": (
        graph_png(with_model({
            "cache": node("TeaCache", model=["lora", 0], rel_l1_thresh=0.4),
            "lora": node("Some New Lora Applier", model=["base", 0], file_name="A.safetensors", strength=0.6),
            "top": node("Patch Something", model=["cache", 0]),
        })),
        lambda d: (d.prompt, strengths(d), d.checkpoint.name) == ("a pond", [("A.safetensors", 0.6, None)], "base.safetensors")),
    "edelvarden/comfyui_image_metadata_extension#66 only sampler and seed": (
        write.png(write.png_text("parameters", "Steps: 20, Sampler: Euler, Seed: 7"), write.png_text("workflow", json.dumps(drawn().form()))),
        lambda d: (d.prompt, d.checkpoint.name, d.seed) == ("a pond", "base.safetensors", 7)),
}  # fmt: skip


@pytest.mark.parametrize(("data", "is_right"), REPORTS.values(), ids=REPORTS)
def test_a_reported_case_is_read_right(data, is_right):
    """What a user once lost in another program is not lost here."""
    draft = read_bytes(data).draft
    assert draft is not None
    assert is_right(draft), draft


@pytest.mark.parametrize("data", [write.png(), write.jpeg(), write.webp()], ids=["png", "jpeg", "webp"])
def test_an_image_without_metadata_raises_nothing(data):
    """receyuki/comfyui-prompt-reader-node#58: no prompt is no error."""
    assert read_bytes(data).draft is None
