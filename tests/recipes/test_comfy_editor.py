"""ComfyUI's editor form: where only the drawing is left, it says the same as what was executed."""

from __future__ import annotations

import json

import pytest

from py.recipes.reader import read_bytes

from . import encoders as write
from .graphs import Editor, drawn


def lora_names(editor: Editor) -> list[tuple]:
    return [(one.name, one.strength_model, one.strength_clip) for one in editor.read().loras]


@pytest.mark.parametrize("control", ["randomize", "fixed", "increment", "decrement", True, False])
def test_the_drawing_alone_says_everything(control):
    """Values stand in the order of the node's declaration, and the seed is followed by its control."""
    draft = drawn(seed_values=[7, control, 20, 6.5, "euler", "normal", 0.9]).read()
    assert (draft.prompt, draft.negative_prompt, draft.seed, draft.steps) == ("a pond", "mud", 7, 20)
    assert (draft.cfg_scale, draft.sampler, draft.scheduler, draft.denoise) == (6.5, "euler", "normal", 0.9)
    assert (draft.width, draft.height, draft.checkpoint.name) == (640, 480, "base.safetensors")


def test_a_drawing_without_control_entries_is_read():
    """Very old drawings have none."""
    assert drawn(seed_values=[7, 20, 6.5, "euler", "normal", 1]).read().steps == 20


def test_a_workflow_chunk_alone_is_a_recipe():
    """A screenshot or an old image may have nothing else, and its trust is lower."""
    form = drawn().form()
    reading = read_bytes(write.png(write.png_text("workflow", json.dumps(form))))
    assert (reading.draft.seed, reading.workflow) == (7, form)


def test_the_drawing_is_not_asked_where_the_executed_form_speaks():
    """Its widgets may be stale."""
    from .graphs import plain

    texts = {
        "workflow": json.dumps(drawn(seed_values=[1, "fixed", 2, 3, "ddim", "karras", 1]).form()),
        "prompt": json.dumps(plain()),
    }
    draft = read_bytes(write.png(*(write.png_text(key, text) for key, text in texts.items()))).draft
    assert (draft.seed, draft.origins["seed"]) == (7, "png:prompt")


def test_reroutes_and_primitives_are_looked_through():
    """They exist in the editor only."""
    one = drawn()
    model = one.add("Reroute", [""], **{"": (101, 0)}, outputs="*")
    number = one.add("PrimitiveNode", [55, "fixed"], outputs="INT")
    one.nodes[4]["inputs"][0]["link"] = None
    one.links = [link for link in one.links if link[3:5] != [105, 0]]
    one.links.append([90, model, 0, 105, 0, "MODEL"])
    one.nodes[4]["inputs"].append({"name": "seed", "type": "INT", "link": 91, "widget": {"name": "seed"}})
    one.links.append([91, number, 0, 105, 4, "INT"])
    draft = one.read()
    assert (draft.checkpoint.name, draft.seed) == ("base.safetensors", 55)


def test_get_and_set_are_joined_by_name():
    """A value stored under a name comes out wherever the name is read."""
    one = drawn(model=(202, 0))
    one.add("SetNode", ["the model"], MODEL=(101, 0), outputs="*", id_=201)
    one.add("GetNode", ["the model"], outputs="*", id_=202)
    assert one.read().checkpoint.name == "base.safetensors"


def test_use_everywhere_makes_links_that_are_not_drawn():
    """They are kept in the drawing's extras."""
    one = drawn()
    one.nodes[4]["inputs"][0]["link"] = None
    one.links = [link for link in one.links if link[3:5] != [105, 0]]
    one.more["extra"] = {
        "ue_links": [{"downstream": 105, "downstream_slot": 0, "upstream": "101", "upstream_slot": 0, "type": "MODEL"}]
    }
    assert one.read().checkpoint.name == "base.safetensors"


def test_bypassed_nodes_let_the_same_type_through():
    """A bypassed LoRA is not used, and the model behind it is."""
    one = drawn(model=(201, 0))
    one.add("LoraLoader", ["A", 1, 1], mode=4, MODEL=(101, 0), CLIP=(101, 1), outputs="MODEL CLIP", id_=201)
    assert lora_names(one) == []
    assert one.read().checkpoint.name == "base.safetensors"


def test_muted_nodes_are_dead_ends():
    """What hangs on them did not run."""
    one = drawn()
    one.nodes[1]["mode"] = 2
    draft = one.read()
    assert (draft.prompt, draft.negative_prompt) == (None, "mud")


def test_notes_are_never_prompts():
    """Templates hold long ones."""
    one = drawn()
    one.add("Note", ["do not read me"], outputs="")
    one.add("MarkdownNote", ["# nor me"], outputs="")
    assert one.read().prompt == "a pond"


@pytest.mark.parametrize(
    ("kind", "values", "wanted"),
    [
        ("LoraLoader", ["A", 0.8, 0.5], [("A", 0.8, 0.5)]),
        ("LoraLoaderModelOnly", ["A", 0.8], [("A", 0.8, None)]),
        ("Power Lora Loader (rgthree)", [{}, {"type": "Header"}, {"on": True, "lora": "A", "strength": 0.8, "strengthTwo": 0.2},
                                         {"on": False, "lora": "B", "strength": 1}, {}, ""], [("A", 0.8, 0.2)]),
        ("Lora Loader Stack (rgthree)", ["A", 0.8, "None", 1, "None", 1, "None", 1], [("A", 0.8, 0.8)]),
        ("Lora Loader (LoraManager)", ["<lora:A:0.8>", [{"name": "A", "strength": 0.8, "active": True, "clipStrength": 0.4}]],
         [("A", 0.8, 0.4)]),
        ("Efficient Loader", ["base.safetensors", "Baked VAE", -1, "A", 0.8, 0.5, "p", "n"], [("A", 0.8, 0.5)]),
        ("My Lora Node", ["x/A.safetensors", 1.0], [("x/A.safetensors", None, None)]),
    ],
)  # fmt: skip
def test_lora_nodes_are_read_from_their_widgets(kind, values, wanted):
    """By declared order, or by what a value is."""
    one = drawn(model=(201, 0))
    ways = {"model": (101, 0)} if "ModelOnly" in kind else {"model": (101, 0), "clip": (101, 1)}
    one.add(kind, values, **ways, outputs="MODEL CLIP", id_=201)
    assert lora_names(one) == wanted


def test_declared_widgets_name_the_values_of_unknown_nodes():
    """Newer editors list a node's widgets among its inputs."""
    one = drawn(model=(201, 0))
    one.add("My Loader", ["m.safetensors", 3], outputs="MODEL", id_=201)
    one.nodes[-1]["inputs"] = [
        {"name": "unet_name", "type": "COMBO", "link": None, "widget": {"name": "unet_name"}},
        {"name": "shift", "type": "INT", "link": None, "widget": {"name": "shift"}},
    ]
    assert one.read().checkpoint.name == "m.safetensors"


def test_values_may_be_an_object():
    """Some video nodes keep their widgets by name."""
    one = drawn()
    one.nodes[3]["widgets_values"] = {"width": 320, "height": 240}
    assert (one.read().width, one.read().height) == (320, 240)


# --- subgraphs and groups -----------------------------------------------------------------------------------------

INNER = "11111111-2222-3333-4444-555555555555"


def subgraph(*, by_id: bool = False, proxies: bool = False) -> Editor:
    """Draw the prompt and sampler inside a subgraph, whose seed and steps are set on the outside."""
    inner_nodes = [
        {"id": 1, "type": "CLIPTextEncode", "mode": 0, "widgets_values": ["inside"],
         "inputs": [{"name": "clip", "type": "CLIP", "link": 1}], "outputs": [{"type": "CONDITIONING"}]},
        {"id": 2, "type": "KSampler", "mode": 0, "widgets_values": [3, "fixed", 4, 5, "euler", "normal", 1],
         "inputs": [{"name": "model", "type": "MODEL", "link": 2}, {"name": "positive", "type": "CONDITIONING", "link": 3},
                    {"name": "seed", "type": "INT", "link": 5, "widget": {"name": "seed"}}],
         "outputs": [{"type": "LATENT"}]},
    ]  # fmt: skip
    inner_links = [
        {"id": 1, "origin_id": -10, "origin_slot": 1, "target_id": 1, "target_slot": 0, "type": "CLIP"},
        {"id": 2, "origin_id": -10, "origin_slot": 0, "target_id": 2, "target_slot": 0, "type": "MODEL"},
        {"id": 3, "origin_id": 1, "origin_slot": 0, "target_id": 2, "target_slot": 1, "type": "CONDITIONING"},
        {"id": 4, "origin_id": 2, "origin_slot": 0, "target_id": -20, "target_slot": 0, "type": "LATENT"},
        {"id": 5, "origin_id": -10, "origin_slot": 2, "target_id": 2, "target_slot": 2, "type": "INT"},
    ]
    body = {"id": INNER, "nodes": inner_nodes, "links": inner_links,
            "inputs": [{"name": "model", "type": "MODEL"}, {"name": "clip", "type": "CLIP"}, {"name": "seed", "type": "INT"}]}  # fmt: skip
    one = Editor()
    base = one.add("CheckpointLoaderSimple", ["base.safetensors"], outputs="MODEL CLIP VAE", id_=101)
    values = ["outside"] if proxies else [77]
    box = one.add(INNER, values, model=(base, 0), clip=(base, 1), outputs="LATENT", id_=98)
    if proxies:
        one.nodes[-1]["properties"] = {"proxyWidgets": [["1", "text"]]}
    decode = one.add("VAEDecode", samples=(box, 0), vae=(base, 2), outputs="IMAGE", id_=106)
    one.add("SaveImage", ["out"], images=(decode, 0), outputs="", id_=107)
    one.more["definitions"] = {"subgraphs": {INNER: body} if by_id else [body]}
    return one


@pytest.mark.parametrize("by_id", [False, True])
def test_subgraphs_are_laid_out_flat(by_id):
    """Links go in and out through their doors; a value on the outside fills the input inside."""
    draft = subgraph(by_id=by_id).read()
    assert (draft.prompt, draft.seed, draft.steps, draft.checkpoint.name) == ("inside", 77, 4, "base.safetensors")


def test_values_promoted_to_the_outside_override_those_inside():
    """ProxyWidgets names the inner node and widget of each outer value."""
    assert subgraph(proxies=True).read().prompt == "outside"


def test_a_subgraph_in_itself_ends():
    """A definition that contains itself is cut off."""
    one = subgraph()
    one.more["definitions"]["subgraphs"][0]["nodes"].append({"id": 9, "type": INNER, "inputs": [], "outputs": []})
    assert one.read().prompt == "inside"


def test_group_nodes_are_laid_out_flat():
    """The older form: inner nodes by place, values handed in one behind the other."""
    one = Editor()
    one.add(
        "workflow>Base",
        ["group.safetensors", "in the group", "not this"],
        outputs="MODEL VAE CONDITIONING CONDITIONING",
        id_=5,
    )
    sampler = one.add("KSampler", [7, "fixed", 20, 6.5, "euler", "normal", 1], model=(5, 0), positive=(5, 2), negative=(5, 3),
                      outputs="LATENT", id_=6)  # fmt: skip
    decode = one.add("VAEDecode", samples=(sampler, 0), vae=(5, 1), outputs="IMAGE", id_=7)
    one.add("SaveImage", ["out"], images=(decode, 0), outputs="", id_=8)
    clip = {"inputs": [{"name": "clip", "type": "CLIP", "link": None}], "outputs": [{"type": "CONDITIONING"}]}
    body = {
        "nodes": [
            {
                "type": "CheckpointLoaderSimple",
                "widgets_values": ["x"],
                "outputs": [{"type": one} for one in ("MODEL", "CLIP", "VAE")],
            },
            {"type": "CLIPTextEncode", "widgets_values": ["y"], **clip},
            {"type": "CLIPTextEncode", "widgets_values": ["z"], **clip},
        ],
        "links": [[0, 1, 1, 0, "CLIP"], [0, 1, 2, 0, "CLIP"]],
        "external": [],
    }
    one.more["extra"] = {"groupNodes": {"Base": body}}
    draft = one.read()
    assert (draft.checkpoint.name, draft.prompt, draft.negative_prompt) == (
        "group.safetensors",
        "in the group",
        "not this",
    )


@pytest.mark.parametrize(
    "form",
    [
        {"nodes": [None, 3, {"id": None}, {"id": 1}], "links": [None, [], [1, 2], {"id": 1}]},
        {"nodes": [{"id": 1, "type": "KSampler", "inputs": "x", "widgets_values": {}}], "links": []},
        {"nodes": [{"id": 1, "type": "GetNode"}, {"id": 2, "type": "SaveImage", "inputs": [{"name": "images", "link": 1}]}],
         "links": [[1, 1, 0, 2, 0, "IMAGE"]]},
        {"nodes": [{"id": 1, "type": "Reroute", "inputs": [{"name": ""}]}, {"id": 2, "type": "SaveImage", "inputs": [{"name": "images"}]}],
         "links": [[1, 1, 0, 1, 0, "*"], [2, 1, 0, 2, 0, "*"]]},
        {"nodes": [], "links": [], "definitions": {"subgraphs": [None, {}]}, "extra": {"groupNodes": [], "ue_links": [None]}},
    ],
)  # fmt: skip
def test_broken_drawings_say_nothing_and_raise_nothing(form):
    """Whatever is malformed is left out."""
    assert read_bytes(write.png(write.png_text("workflow", json.dumps(form)))).workflow == form
