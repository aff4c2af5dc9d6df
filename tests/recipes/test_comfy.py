"""ComfyUI's executed form: everything is found by following links from this image's own output."""

from __future__ import annotations

import json

import pytest

from py.recipes.carrier import Carrier
from py.recipes.parsers.comfy.outputs import Origin
from py.recipes.parsers.dispatch import parse
from py.recipes.reader import read_bytes

from . import encoders as write
from .graphs import node, plain, read, with_inputs, with_model

FLUX = {
    "unet": node("UNETLoader", unet_name="flux.safetensors", weight_dtype="default"),
    "clip": node("DualCLIPLoader", clip_name1="l.safetensors", clip_name2="t5.safetensors", type="flux"),
    "vae": node("VAELoader", vae_name="ae.safetensors"),
    "text": node("CLIPTextEncode", text="a pond", clip=["clip", 0]),
    "guidance": node("FluxGuidance", guidance=3.5, conditioning=["text", 0]),
    "guider": node("BasicGuider", model=["unet", 0], conditioning=["guidance", 0]),
    "noise": node("RandomNoise", noise_seed=["seeder", 0]),
    "seeder": node("Seed (rgthree)", seed=99),
    "select": node("KSamplerSelect", sampler_name="euler"),
    "sigmas": node("BasicScheduler", scheduler="simple", steps=["steps", 0], denoise=0.9, model=["unet", 0]),
    "steps": node("PrimitiveInt", value=25),
    "latent": node("EmptySD3LatentImage", width=832, height=1216, batch_size=1),
    "sampler": node("SamplerCustomAdvanced", noise=["noise", 0], guider=["guider", 0], sampler=["select", 0],
                    sigmas=["sigmas", 0], latent_image=["latent", 0]),
    "decode": node("VAEDecode", samples=["sampler", 0], vae=["vae", 0]),
    "save": node("SaveImage", filename_prefix="flux", images=["decode", 0]),
}  # fmt: skip


# --- samplers -----------------------------------------------------------------------------------------------------


def test_a_custom_sampler_is_followed_into_its_parts():
    """Noise, guider, sampler and sigmas are nodes of their own; guidance is not cfg."""
    draft = read(FLUX)
    assert (draft.seed, draft.steps, draft.sampler, draft.scheduler, draft.denoise) == (99, 25, "euler", "simple", 0.9)
    assert (draft.guidance, draft.cfg_scale) == (3.5, None)
    assert (draft.prompt, draft.negative_prompt, draft.width, draft.height) == ("a pond", None, 832, 1216)
    assert (draft.checkpoint.name, draft.vae.name) == ("flux.safetensors", "ae.safetensors")
    assert [(one.role, one.name) for one in draft.other_models] == [
        ("text_encoder", "l.safetensors"), ("text_encoder", "t5.safetensors")]  # fmt: skip


def test_a_guider_with_cfg_has_both_prompts():
    """CFGGuider holds positive, negative and cfg."""
    graph = {**FLUX, "neg": node("CLIPTextEncode", text="mud", clip=["clip", 0]),
             "guider": node("CFGGuider", model=["unet", 0], positive=["guidance", 0], negative=["neg", 0], cfg=2.5)}  # fmt: skip
    draft = read(graph)
    assert (draft.prompt, draft.negative_prompt, draft.cfg_scale, draft.guidance) == ("a pond", "mud", 2.5, 3.5)


@pytest.mark.parametrize(
    ("sigmas", "scheduler", "steps"),
    [
        (node("KarrasScheduler", steps=12, sigma_max=14, sigma_min=0.1, rho=7), "karras", 12),
        (node("BetaSamplingScheduler", steps=12, alpha=0.6, beta=0.6, model=["unet", 0]), "beta", 12),
        (node("AlignYourStepsScheduler", model_type="SDXL", steps=12, denoise=1), "align_your_steps", 12),
        (node("SplitSigmas", sigmas=["steps_of", 0], step=3), "simple", 25),
    ],
)
def test_schedulers_without_a_name_are_named_by_their_class(sigmas, scheduler, steps):
    """And a splitter is looked through."""
    draft = read({**FLUX, "steps_of": FLUX["sigmas"], "sigmas": sigmas})
    assert (draft.scheduler, draft.steps) == (scheduler, steps)


@pytest.mark.parametrize(
    ("select", "name"),
    [
        (node("SamplerEulerAncestral", eta=1, s_noise=1), "euler_ancestral"),
        (node("ODESamplerSelect", solver="dopri5"), "dopri5"),
    ],
)
def test_samplers_without_a_name_are_named_too(select, name):
    """By their class, or by what they call it."""
    assert read({**FLUX, "select": select}).sampler == name


@pytest.mark.parametrize(
    "sampler",
    [
        node("KSamplerAdvanced", noise_seed=7, steps=20, cfg=6.5, sampler_name="euler", scheduler="normal", start_at_step=0,
             end_at_step=99, add_noise="enable"),
        node("KSampler (Efficient)", seed=7, steps=20, cfg=6.5, sampler_name="euler", scheduler="normal", denoise=1),
        node("KSampler //Inspire", seed=7, steps=20, cfg=6.5, sampler_name="euler", scheduler="normal", denoise=1),
        node("ClownsharKSampler_Beta", seed=7, steps=20, cfg=6.5, sampler_name="euler", scheduler="normal", eta=0.5),
        node("A Sampler Nobody Knows", noise_seed=7, steps=20, cfg=6.5, sampler_name="euler", scheduler="normal"),
    ],
    ids=lambda one: one["class_type"],
)  # fmt: skip
def test_samplers_are_told_by_their_inputs(sampler):
    """The class name does not matter, nor the node's number."""
    ways = {"model": ["base", 0], "positive": ["pos", 0], "negative": ["neg", 0], "latent_image": ["latent", 0]}
    draft = read(plain(sampler={**sampler, "inputs": {**sampler["inputs"], **ways}}))
    assert (draft.seed, draft.steps, draft.cfg_scale, draft.sampler, draft.scheduler) == (7, 20, 6.5, "euler", "normal")
    assert (draft.prompt, draft.negative_prompt, draft.width) == ("a pond", "mud", 640)


def test_a_video_sampler_calls_its_sampler_a_scheduler():
    """WanVideoSampler has one field for what others keep in two."""
    graph = {
        "loader": node("WanVideoModelLoader", model="dir\\wan.safetensors"),
        "text": node("WanVideoTextEncode", positive_prompt="a pond", negative_prompt="mud"),
        "sampler": node("WanVideoSampler", steps=30, cfg=6.0, shift=5, seed=7, scheduler="unipc", denoise_strength=1,
                        model=["loader", 0], text_embeds=["text", 0]),
        "save": node("VHS_VideoCombine", images=["sampler", 0], filename_prefix="w"),
    }  # fmt: skip
    draft = read(graph)
    assert (draft.sampler, draft.scheduler, draft.seed, draft.prompt, draft.negative_prompt) == (
        "unipc", None, 7, "a pond", "mud")  # fmt: skip
    assert draft.checkpoint.name == "dir\\wan.safetensors"


def test_efficient_sdxl_goes_through_one_tuple():
    """Model, prompts and size hang on a single link."""
    graph = {
        "loader": node("Eff. Loader SDXL", base_ckpt_name="base.safetensors", refiner_ckpt_name="ref.safetensors",
                       positive="a pond", negative="mud", empty_latent_width=1024, empty_latent_height=512),
        "sampler": node("KSampler SDXL (Eff.)", noise_seed=7, steps=20, cfg=6.5, sampler_name="euler", scheduler="normal",
                        sdxl_tuple=["loader", 0], latent_image=["loader", 1]),
        "save": node("SaveImage", images=["sampler", 3], filename_prefix="x"),
    }  # fmt: skip
    draft = read(graph)
    assert (draft.prompt, draft.negative_prompt, draft.width, draft.height) == ("a pond", "mud", 1024, 512)
    assert draft.checkpoint.name == "base.safetensors"
    assert [(one.role, one.name) for one in draft.other_models] == [("refiner", "ref.safetensors")]


def test_easy_use_goes_through_a_pipe():
    """Settings, prompts and the loader follow one pipe, and the sampler is the output."""
    graph = {
        "loader": node("easy fullLoader", ckpt_name="base.safetensors", positive="a pond", negative="mud",
                       empty_latent_width=640, empty_latent_height=480, clip_skip=-2),
        "pre": node("easy preSampling", steps=20, cfg=6.5, sampler_name="euler", scheduler="normal", denoise=1, seed=7,
                    pipe=["loader", 0]),
        "run": node("easy kSampler", pipe=["pre", 0], image_output="Save", save_prefix="x"),
    }  # fmt: skip
    draft = read(graph)
    assert (draft.seed, draft.steps, draft.prompt, draft.negative_prompt) == (7, 20, "a pond", "mud")
    assert (draft.width, draft.height, draft.checkpoint.name) == (640, 480, "base.safetensors")


def hires() -> dict:
    graph = plain(
        up=node("LatentUpscaleBy", samples=["sampler", 0], upscale_method="nearest", scale_by=2),
        second=node("KSampler", seed=8, steps=9, cfg=4, sampler_name="dpmpp_2m", scheduler="karras", denoise=0.5,
                    model=["base", 0], positive=["pos", 0], negative=["neg", 0], latent_image=["up", 0]),
    )  # fmt: skip
    return with_inputs(graph, "decode", samples=["second", 0])


def test_of_a_chain_the_first_sampler_counts():
    """Later ones are hires passes."""
    draft = read(hires())
    assert (draft.seed, draft.steps, draft.sampler, draft.width) == (7, 20, "euler", 640)


def test_a_chain_through_pixels_is_followed():
    """Decoded, enlarged and encoded again is still one chain."""
    graph = {
        **hires(),
        "mid": node("VAEDecode", samples=["sampler", 0], vae=["base", 2]),
        "big": node("ImageUpscaleWithModel", image=["mid", 0], upscale_model=["um", 0]),
        "um": node("UpscaleModelLoader", model_name="4x.pth"),
        "up": node("VAEEncode", pixels=["big", 0], vae=["base", 2]),
    }
    draft = read(graph)
    assert (draft.seed, draft.checkpoint.name) == (7, "base.safetensors")


def test_a_detailer_is_never_the_main_sampler():
    """A face that was repaired does not make the picture."""
    face = node("FaceDetailer", image=["decode", 0], seed=1, steps=5, cfg=2, sampler_name="ddim", scheduler="simple",
                positive=["pos", 0], negative=["neg", 0], model=["base", 0], guide_size=512)  # fmt: skip
    draft = read(with_inputs(plain(face=face), "save", images=["face", 0]))
    assert (draft.seed, draft.sampler) == (7, "euler")


def test_a_detailer_alone_is_better_than_nothing():
    """Where a loaded picture was only repaired, its sampler is the only one."""
    graph = {
        "base": node("CheckpointLoaderSimple", ckpt_name="base.safetensors"),
        "image": node("LoadImage", image="x.png"),
        "pos": node("CLIPTextEncode", text="a face", clip=["base", 1]),
        "face": node("FaceDetailer", image=["image", 0], seed=1, steps=5, cfg=2, sampler_name="ddim", scheduler="simple",
                     positive=["pos", 0], negative=["pos", 0], model=["base", 0]),
        "save": node("SaveImage", images=["face", 0]),
    }  # fmt: skip
    assert (read(graph).seed, read(graph).prompt) == (1, "a face")


# --- values -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "source",
    [node("Seed (rgthree)", seed=5), node("CR Seed", seed=5), node("easy seed", seed=5), node("PrimitiveInt", value=5),
     node("Seed Everywhere", seed=5), node("INTConstant", value=5)],
    ids=lambda one: one["class_type"],
)  # fmt: skip
def test_a_seed_may_be_a_node(source):
    """The value is where the link leads."""
    assert read(with_inputs(plain(source=source), "sampler", seed=["source", 0])).seed == 5


@pytest.mark.parametrize(
    "source",
    [node("OllamaGenerate", prompt="describe"), node("Florence2Run", text_input="x", image=["image", 0]),
     node("RandomPrompt", text="a|b"), node("LoadTextFile", text="x")],
    ids=lambda one: one["class_type"],
)  # fmt: skip
def test_what_only_a_run_knows_stays_unknown(source):
    """A question to a language model is not the answer."""
    draft = read(with_inputs(plain(source=source), "pos", text=["source", 0]))
    assert (draft.prompt, draft.negative_prompt, draft.seed) == (None, "mud", 7)


@pytest.mark.parametrize("field", ["seed", "steps", "cfg"])
def test_a_link_to_nowhere_is_unknown(field):
    """No default is put in its place."""
    draft = read(with_inputs(plain(), "sampler", **{field: ["gone", 0]}))
    assert getattr(draft, "cfg_scale" if field == "cfg" else field) is None


def test_a_size_may_be_a_word():
    """A latent node with one list of sizes."""
    latent = node("SDXL Empty Latent Image (rgthree)", dimensions="1152 x 896  (landscape)", clip_scale=2)
    assert (read(plain(latent=latent)).width, read(plain(latent=latent)).height) == (1152, 896)


def test_a_list_of_two_is_not_always_a_link():
    """It is one only where its first entry is a node."""
    graph = with_inputs(plain(), "pos", extra=["cinematic", 2])
    assert read(graph).prompt == "a pond"


def test_old_files_number_their_links():
    """Links of old files hold numbers, nodes have texts."""
    graph = {
        "1": node("CheckpointLoaderSimple", ckpt_name="a"),
        "2": node("CLIPTextEncode", text="a pond", clip=[1, 1]),
        "3": node("KSampler", seed=7, steps=2, cfg=1, sampler_name="e", model=[1, 0], positive=[2, 0], negative=[2, 0]),
        "4": node("SaveImage", images=[3, 0]),
    }
    assert (read(graph).prompt, read(graph).seed) == ("a pond", 7)


# --- prompts ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("encoder", "text"),
    [
        (node("CLIPTextEncodeSDXL", text_g="big", text_l="small", width=1), "big\nsmall"),
        (node("CLIPTextEncodeSDXL", text_g="same", text_l="same", width=1), "same"),
        (node("CLIPTextEncodeSDXLRefiner", text="r", ascore=6), "r"),
        (node("CLIPTextEncodeFlux", clip_l="", t5xxl="long", guidance=4), "long"),
        (node("CLIPTextEncodeSD3", clip_l="a", clip_g="a", t5xxl="b"), "b\na"),
        (node("CLIPTextEncodeHunyuanDiT", bert="a", mt5xl="a"), "a"),
        (node("TextEncodeQwenImageEditPlus", prompt="make it blue"), "make it blue"),
        (node("smZ CLIPTextEncode", text="w", parser="A1111"), "w"),
        (node("BNK_CLIPTextEncodeAdvanced", text="w"), "w"),
        (node("CLIPTextEncode (NSP)", text="w", noodle_key="__", seed=3), "w"),
        (node("PCLazyTextEncode", text="w"), "w"),
        (node("ImpactWildcardEncode", wildcard_text="{a|b}", populated_text="b"), "b"),
        (node("Power Prompt (rgthree)", prompt="w", insert_lora="CHOOSE"), "w"),
        (node("easy positive", positive="w"), "w"),
        (node("Prompt (LoraManager)", text="w"), "w"),
    ],
    ids=lambda one: one["class_type"] if isinstance(one, dict) else None,
)
def test_encoders_of_every_kind_give_their_text(encoder, text):
    """Two encoders usually get the same words; different ones are both kept."""
    one = {**encoder, "inputs": {**encoder["inputs"], "clip": ["base", 1]}}
    assert read(plain(pos=one)).prompt == text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (node("StringConcatenate", string_a="a", string_b=["more", 0], delimiter=", "), "a, b"),
        (node("JoinStringMulti", inputcount=3, string_1="a", string_2=["more", 0], string_3="c", delimiter=" "), "a b c"),
        (node("CR Combine Prompt", part1="a", part2="b", separator="; "), "a; b"),
        (node("Text Concatenate", text_a="a", text_b="b", delimiter="\\n"), "a\nb"),
        (node("ShowText|pysssss", text=["gone", 0], text_0="shown"), "shown"),
        (node("ShowText|pysssss", text=["gone", 0], text_1="shown"), "shown"),
        (node("Text Multiline", text="w"), "w"),
        (node("String Literal", string="w"), "w"),
        (node("PrimitiveStringMultiline", value="w"), "w"),
        (node("PreviewAny", source=["more", 0]), "b"),
        (node("ImpactWildcardProcessor", wildcard_text="{a|b}", populated_text="a"), "a"),
        (node("SDXLPromptStyler", text_positive="w", text_negative="n", style="base"), "w"),
        (node("SDXLPromptStyler", text_positive="w", text_negative="n", style="sai-anime"), None),
        (node("ComfySwitchNode", switch=True, on_true="w", on_false="x"), "w"),
        (node("easy ifElse", boolean=False, on_true="w", on_false=["more", 0]), "b"),
        (node("TriggerWord Toggle (LoraManager)", toggle_trigger_words={"__value__": [
            {"text": "w", "active": True}, {"text": "x", "active": False}, {"text": "y", "active": True}]}), "w, y"),
    ],
    ids=lambda one: one["class_type"] if isinstance(one, dict) else None,
)  # fmt: skip
def test_prompts_are_followed_through_what_builds_them(source, text):
    """Joined, shown, switched or stored: the text that went in is found, or unknown."""
    graph = plain(source=source, more=node("PrimitiveString", value="b"))
    assert read(with_inputs(graph, "pos", text=["source", 0])).prompt == text


@pytest.mark.parametrize(
    "way",
    [
        node("ConditioningSetArea", conditioning=["pos", 0], width=64, height=64, x=0, y=0, strength=1),
        node("ConditioningSetTimestepRange", conditioning=["pos", 0], start=0, end=1),
        node("ConditioningSetMask", conditioning=["pos", 0], mask=["image", 0], strength=1),
        node("ControlNetApply", conditioning=["pos", 0], control_net=["cn", 0], image=["image", 0], strength=1),
        node(
            "ControlNetApplyAdvanced",
            positive=["pos", 0],
            negative=["neg", 0],
            control_net=["cn", 0],
            image=["image", 0],
        ),
        node("FluxGuidance", conditioning=["pos", 0], guidance=3.5),
        node("ReferenceLatent", conditioning=["pos", 0], latent=["latent", 0]),
        node(
            "InpaintModelConditioning", positive=["pos", 0], negative=["neg", 0], vae=["base", 2], pixels=["image", 0]
        ),
        node("unCLIPConditioning", conditioning=["pos", 0], clip_vision_output=["image", 0], strength=1),
        node("StyleModelApply", conditioning=["pos", 0], style_model=["cn", 0], clip_vision_output=["image", 0]),
        node("ConditioningCombine", conditioning_1=["pos", 0], conditioning_2=["pos", 0]),
        node("Reroute Something", anything=["pos", 0]),
    ],
    ids=lambda one: one["class_type"],
)
def test_conditioning_is_followed_through_what_changes_it(way):
    """Area, time, control, guidance, reference: the words stay the same."""
    graph = plain(way=way, cn=node("ControlNetLoader", control_net_name="c"), image=node("LoadImage", image="x.png"))
    assert read(with_inputs(graph, "sampler", positive=["way", 0])).prompt == "a pond"


def test_both_ends_of_a_control_node_keep_their_roles():
    """Its first output is positive and its second negative."""
    way = node("ControlNetApplyAdvanced", positive=["pos", 0], negative=["neg", 0], image=["decode", 0])
    draft = read(with_inputs(plain(way=way), "sampler", positive=["way", 0], negative=["way", 1]))
    assert (draft.prompt, draft.negative_prompt) == ("a pond", "mud")


def test_combined_prompts_are_kept_in_order():
    """Each text once, one under the other."""
    graph = plain(
        second=node("CLIPTextEncode", text="a duck", clip=["base", 1]),
        both=node("ConditioningCombine", conditioning_1=["pos", 0], conditioning_2=["second", 0]),
    )
    assert read(with_inputs(graph, "sampler", positive=["both", 0])).prompt == "a pond\na duck"


def test_a_zeroed_conditioning_is_an_empty_negative():
    """Not the positive text that it was made from."""
    draft = read(
        with_inputs(plain(zero=node("ConditioningZeroOut", conditioning=["pos", 0])), "sampler", negative=["zero", 0])
    )
    assert draft.negative_prompt == ""


def test_an_empty_text_is_a_value():
    """It is not replaced by what the editor remembers."""
    graph = with_inputs(plain(), "pos", text="")
    editor = {"nodes": [{"id": 1, "type": "CLIPTextEncode", "widgets_values": ["stale"]}], "links": []}
    carriers = [
        Carrier("png:prompt", "prompt", json.dumps(graph)),
        Carrier("png:workflow", "workflow", json.dumps(editor)),
    ]
    (only,) = parse(carriers, Origin()).candidates
    assert only.draft.prompt == ""


# --- models -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("loader", "name"),
    [
        (node("CheckpointLoader", config_name="x.yaml", ckpt_name="a.ckpt"), "a.ckpt"),
        (node("UNETLoader", unet_name="a.safetensors"), "a.safetensors"),
        (node("UnetLoaderGGUF", unet_name="a.gguf"), "a.gguf"),
        (node("LoaderGGUF", gguf_name="a.gguf"), "a.gguf"),
        (node("DiffusersLoader", model_path="dir/a"), "dir/a"),
        (node("NunchakuFluxDiTLoader", model_path="a"), "a"),
        (node("CheckpointLoader|pysssss", ckpt_name={"content": "a.safetensors"}), "a.safetensors"),
        (node("Checkpoint Loader (LoraManager)", ckpt_name="a.safetensors"), "a.safetensors"),
        (node("ECHOCheckpointLoaderSimple", ckpt_name="EMS-1-EMS.safetensors"), "EMS-1-EMS.safetensors"),
        (node("CheckpointLoaderSimple", ckpt_name=["pick", 0]), "urn:air:sdxl:checkpoint:civitai:5@11"),
    ],
    ids=lambda one: one["class_type"] if isinstance(one, dict) else None,
)
def test_loaders_of_every_kind_name_the_model(loader, name):
    """Whatever the field is called, or where it leads."""
    pick = node("CivitaiModelSelector", air="urn:air:sdxl:lora:civitai:1@2",
                resources_json=json.dumps({"bySlot": {"0": "urn:air:sdxl:checkpoint:civitai:5@11"}}))  # fmt: skip
    assert read(plain(base=loader, pick=pick)).checkpoint.name == name


def test_a_merge_has_several_base_models():
    """The first is the checkpoint and the others are said to be merged in."""
    graph = with_model({
        "other": node("CheckpointLoaderSimple", ckpt_name="other.safetensors"),
        "top": node("ModelMergeSimple", model1=["base", 0], model2=["other", 0], ratio=0.5),
    })  # fmt: skip
    draft = read(graph)
    assert draft.checkpoint.name == "base.safetensors"
    assert [(one.role, one.name) for one in draft.other_models] == [("merged", "other.safetensors")]


def test_models_for_other_purposes_are_not_the_base():
    """An upscaler's or control net's loader may sit on the way, and is not what was sampled."""
    graph = with_model({
        "cn": node("ControlNetLoader", control_net_name="c.safetensors"),
        "ip": node("IPAdapterModelLoader", model_name="ip.safetensors"),
        "top": node("IPAdapterApply", model=["base", 0], ipadapter=["ip", 0]),
    })  # fmt: skip
    assert read(graph).checkpoint.name == "base.safetensors"


def test_clip_skip_counts_as_a1111_does():
    """The last layer but one is skip 2."""
    graph = plain(skip=node("CLIPSetLastLayer", stop_at_clip_layer=-2, clip=["base", 1]))
    assert read(with_inputs(graph, "pos", clip=["skip", 0])).clip_skip == 2


# --- outputs ------------------------------------------------------------------------------------------------------


def two_outputs() -> dict:
    other = plain()
    return plain(
        **{f"{key}2": one for key, one in other.items() if key in ("latent", "save")},
        sampler2=node("KSampler", seed=8, steps=9, cfg=4, sampler_name="ddim", scheduler="karras", denoise=1,
                      model=["base", 0], positive=["pos", 0], negative=["neg", 0], latent_image=["latent2", 0]),
        decode2=node("VAEDecode", samples=["sampler2", 0], vae=["base", 2]),
    )  # fmt: skip


def test_the_file_name_tells_which_output_an_image_is():
    """The saver's prefix begins the name, the longest one winning."""
    graph = two_outputs()
    graph = with_inputs(graph, "save2", images=["decode2", 0], filename_prefix="dir/out_b%date%")
    assert read(graph, "out_00001_.png").seed == 7
    assert read(graph, "out_b2024_00001_.png").seed == 8


def test_the_size_tells_which_output_an_image_is():
    """Where names do not help, the size in pixels does."""
    graph = with_inputs(two_outputs(), "save2", images=["decode2", 0])
    graph = with_inputs(graph, "latent2", width=100, height=50)
    assert read(graph, "renamed.png", (100, 50)).seed == 8


def test_outputs_that_nothing_tells_apart_are_said_to_be_so():
    """What they disagree about is unknown; what they share is kept."""
    graph = with_inputs(two_outputs(), "save2", images=["decode2", 0])
    draft = read(graph, "renamed.png", (640, 480))
    assert (draft.seed, draft.steps, draft.sampler) == (None, None, None)
    assert (draft.prompt, draft.width, draft.checkpoint.name) == ("a pond", 640, "base.safetensors")
    assert any("2 outputs" in note for note in draft.notes)


def test_a_saver_is_preferred_to_a_preview():
    """A preview of another stage writes no file."""
    graph = plain(peek=node("PreviewImage", images=["decode2", 0]), decode2=node("VAEDecode", samples=["second", 0]),
                  second=node("KSampler", seed=8, steps=1, cfg=1, sampler_name="x", positive=["pos", 0], model=["base", 0]))  # fmt: skip
    assert read(graph).seed == 7


def test_a_graph_without_output_uses_its_only_sampler():
    """A cut graph of a client still says what it can."""
    graph = {key: one for key, one in plain().items() if key not in ("decode", "save")}
    assert (read(graph).seed, read(graph).prompt) == (7, "a pond")


def test_a_service_node_gives_its_prompt():
    """A picture from a paid service has a prompt and a seed and no sampler."""
    graph = {
        "call": node("FluxProUltraImageNode", prompt="a pond", prompt_upsampling=False, seed=5, aspect_ratio="16:9"),
        "save": node("SaveImage", images=["call", 0], filename_prefix="x"),
    }
    assert (read(graph).prompt, read(graph).seed, read(graph).steps) == ("a pond", 5, None)


# --- the whole file -----------------------------------------------------------------------------------------------


def test_bare_nan_does_not_hide_a_graph():
    """ComfyUI writes is_changed: [NaN], and prompts may speak of NaN."""
    graph = with_inputs(plain(), "pos", text="NaN bread, Infinity pool")
    text = json.dumps({**graph, "x": {**node("Random", a=float("nan")), "is_changed": [float("nan")]}})
    assert "[NaN]" in text
    assert read_bytes(write.png(write.png_text("prompt", text))).draft.prompt == "NaN bread, Infinity pool"


def test_entries_that_are_no_nodes_are_passed_over():
    """CivitAI puts its own records among the nodes."""
    extra = {"prompt": "site", "seed": 5, "cfgScale": 3, "resources": [{"modelVersionId": 22, "strength": 0.5}]}
    record = {**plain(), "extra": {"airs": ["urn:air:sdxl:lora:civitai:7@22"]}, "extraMetadata": json.dumps(extra)}
    draft = read_bytes(write.png(write.png_text("prompt", json.dumps(record)))).draft
    assert (draft.prompt, draft.seed, draft.cfg_scale, draft.steps) == ("site", 5, 3.0, 20)
    (use,) = draft.loras
    assert (use.model_version_id, use.model_id, use.strength_model) == (22, 7, 0.5)
    assert (draft.origins["prompt"], draft.generator) == ("png:prompt", "CivitAI")


# --- what else a graph tells --------------------------------------------------------------------------------------


def test_a_second_pass_is_the_hires_of_the_first():
    """Its settings are kept apart."""
    assert read(hires()).hires == {
        "denoise": 0.5,
        "steps": 9,
        "cfg_scale": 4.0,
        "sampler": "dpmpp_2m",
        "scheduler": "karras",
    }


def test_the_size_tells_before_from_behind_a_hires_pass():
    """Both pictures of one chain carry the same graph."""
    graph = {**hires(), "early": node("VAEDecode", samples=["sampler", 0], vae=["base", 2])}
    graph["save1"] = node("SaveImage", images=["early", 0], filename_prefix="out")
    assert read(graph, "x.png", (640, 480)).hires == {}
    assert read(graph, "x.png", (1280, 960)).hires["steps"] == 9


def test_another_base_model_in_a_later_pass_is_a_refiner():
    """And the first stays the checkpoint."""
    graph = {**hires(), "ref": node("CheckpointLoaderSimple", ckpt_name="refiner.safetensors")}
    draft = read(with_inputs(graph, "second", model=["ref", 0]))
    assert draft.checkpoint.name == "base.safetensors"
    assert [(one.role, one.name) for one in draft.other_models] == [("refiner", "refiner.safetensors")]


def test_models_that_helped_have_their_roles():
    """Control nets and upscalers on the way to the output are listed, others in the graph are not."""
    graph = plain(
        cn=node("ControlNetLoader", control_net_name="depth.safetensors"),
        way=node("ControlNetApply", conditioning=["pos", 0], control_net=["cn", 0], image=["image", 0], strength=1),
        image=node("LoadImage", image="x.png"),
        um=node("UpscaleModelLoader", model_name="4x.pth"),
        big=node("ImageUpscaleWithModel", image=["decode", 0], upscale_model=["um", 0]),
        aside=node("UpscaleModelLoader", model_name="unused.pth"),
    )
    draft = read(with_inputs(with_inputs(graph, "sampler", positive=["way", 0]), "save", images=["big", 0]))
    assert sorted((one.role, one.name) for one in draft.other_models) == [
        ("controlnet", "depth.safetensors"),
        ("upscaler", "4x.pth"),
    ]


def test_embeddings_are_named_in_the_prompts():
    """With a weight around them, a folder in front, or at the end."""
    graph = with_inputs(plain(), "pos", text="a (embedding:style/ink.pt:1.2) pond")
    draft = read(with_inputs(graph, "neg", text="embedding:bad-hands, mud embedding:bad-hands"))
    assert [one.name for one in draft.embeddings] == ["style/ink.pt", "bad-hands"]


def test_a_cfg_of_zero_is_a_value():
    """It is not replaced by a guider's."""
    assert read(with_inputs(plain(), "sampler", cfg=0.0)).cfg_scale == 0.0


def test_inputs_that_name_the_other_role_are_not_followed():
    """A node may call its ends base_positive and base_negative."""
    way = node("CR Apply ControlNet", base_positive=["pos", 0], base_negative=["neg", 0], image=["image", 0])
    graph = with_inputs(
        plain(way=way, image=node("LoadImage", image="x")), "sampler", positive=["way", 0], negative=["way", 1]
    )
    assert (read(graph).prompt, read(graph).negative_prompt) == ("a pond", "mud")


def test_a_chosen_picture_counts_alone():
    """A switch in front of the saver lets one sampler through."""
    graph = with_inputs(two_outputs(), "save2", images=["decode2", 0])
    graph["pick"] = node("ImpactSwitch", select=2, input1=["decode", 0], input2=["decode2", 0])
    del graph["save2"]
    assert read(with_inputs(graph, "save", images=["pick", 0])).seed == 8


def test_a_stage_inside_the_conditioning_comes_first():
    """Stable Cascade's second sampler gets the first one's picture by its conditioning."""
    graph = plain(
        stage=node("StableCascade_StageB_Conditioning", conditioning=["pos", 0], stage_c=["sampler", 0]),
        b=node("CheckpointLoaderSimple", ckpt_name="stage_b.safetensors"),
        second=node("KSampler", seed=8, steps=10, cfg=1.1, sampler_name="euler", scheduler="simple", denoise=1,
                    model=["b", 0], positive=["stage", 0], negative=["neg", 0], latent_image=["latent", 1]),
    )  # fmt: skip
    draft = read(with_inputs(graph, "decode", samples=["second", 0]))
    assert (draft.seed, draft.checkpoint.name, draft.prompt) == (7, "base.safetensors", "a pond")
    assert [(one.role, one.name) for one in draft.other_models] == [("refiner", "stage_b.safetensors")]


def test_a_vision_encoder_is_no_text_encoder():
    """Its loader has a clip_name too."""
    graph = plain(
        vision=node("CLIPVisionLoader", clip_name="vision.safetensors"),
        seen=node("CLIPVisionEncode", clip_vision=["vision", 0], image=["image", 0]),
        image=node("LoadImage", image="x.png"),
        way=node("unCLIPConditioning", conditioning=["pos", 0], clip_vision_output=["seen", 0], strength=1),
    )
    assert read(with_inputs(graph, "sampler", positive=["way", 0])).other_models == ()
