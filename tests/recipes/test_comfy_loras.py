"""Every LoRA node of the table gives its LoRAs with both strengths; what did not act is not listed."""

from __future__ import annotations

import pytest

from .graphs import loras_of, node, plain, read, with_inputs, with_model

ROWS = [
    {"name": "A", "strength": 0.8, "clipStrength": "0.3", "active": True, "expanded": True},
    {"name": "B", "strength": "0.5", "active": False},
    {"name": "", "strength": 1, "active": True, "_isDummy": True},
]
STACKER = {"input_mode": "simple", "lora_count": 2} | {
    key: value
    for index in range(1, 50)
    for key, value in {
        f"lora_name_{index}": {1: "A", 3: "C"}.get(index, "None"),
        f"lora_wt_{index}": 0.6,
        f"model_str_{index}": 0.1,
        f"clip_str_{index}": 0.2,
    }.items()
}
EASY = {"toggle": True, "mode": "simple", "num_loras": 2, "lora_1_name": "A", "lora_1_strength": 0.7,
        "lora_1_model_strength": 0.1, "lora_1_clip_strength": 0.2, "lora_2_name": "None", "lora_2_strength": 1,
        "lora_3_name": "C", "lora_3_strength": 1}  # fmt: skip

CASES = {
    "LoraLoader": (node("LoraLoader", lora_name="A", strength_model=0.8, strength_clip=0.5), [("A", 0.8, 0.5)]),
    "LoraLoader with strength 0": (node("LoraLoader", lora_name="A", strength_model=0, strength_clip=0), []),
    "LoraLoader with model 0": (node("LoraLoader", lora_name="A", strength_model=0, strength_clip=0.5), [("A", 0.0, 0.5)]),
    "LoraLoader without a file": (node("LoraLoader", lora_name="None", strength_model=1, strength_clip=1), []),
    "LoraLoaderModelOnly": (node("LoraLoaderModelOnly", lora_name="A", strength_model=0.8), [("A", 0.8, None)]),
    "Power Lora Loader": (
        node("Power Lora Loader (rgthree)", PowerLoraLoaderHeaderWidget={"type": "PowerLoraLoaderHeaderWidget"},
             lora_1={"on": True, "lora": "A", "strength": 0.8, "strengthTwo": None},
             LORA_2={"on": True, "lora": "B", "strength": 0.4, "strengthTwo": 0.2},
             lora_3={"on": False, "lora": "C", "strength": 1}, lora_4={"on": True, "lora": "None", "strength": 1},
             lora_5={"on": True, "lora": "E", "strength": 0, "strengthTwo": 0}, **{"+ Add Lora": ""}),
        [("A", 0.8, 0.8), ("B", 0.4, 0.2)],
    ),
    "Lora Loader Stack (rgthree)": (
        node("Lora Loader Stack (rgthree)", lora_01="A", strength_01=0.8, lora_02="None", strength_02=1,
             lora_03="C", strength_03=0, lora_04="D", strength_04=-0.5),
        [("A", 0.8, 0.8), ("D", -0.5, -0.5)],
    ),
    "Efficient Loader": (
        node("Efficient Loader", ckpt_name="base.safetensors", lora_name="A", lora_model_strength=0.8,
             lora_clip_strength=0.5),
        [("A", 0.8, 0.5)],
    ),
    "easy fullLoader": (
        node("easy fullLoader", ckpt_name="base.safetensors", lora_name="A", lora_model_strength=0.8,
             lora_clip_strength=0.5),
        [("A", 0.8, 0.5)],
    ),
    "Lora Loader (LoraManager)": (node("Lora Loader (LoraManager)", text="<lora:A:0.8:0.3>", loras=ROWS), [("A", 0.8, 0.3)]),
    "LoraManager rows in an object": (node("Lora Loader (LoraManager)", loras={"__value__": ROWS}), [("A", 0.8, 0.3)]),
    "LoraManager rows in a list": (node("Lora Loader (LoraManager)", loras=[ROWS]), [("A", 0.8, 0.3)]),
    "WanVideo Lora Select (LoraManager)": (node("WanVideo Lora Select (LoraManager)", loras=ROWS), [("A", 0.8, 0.3)]),
    "LoRA Text Loader (LoraManager)": (node("LoRA Text Loader (LoraManager)", lora_syntax="<lora:A:0.5:0.9>"), [("A", 0.9, 0.5)]),
    "PCLazyLoraLoader": (node("PCLazyLoraLoader", text="a <lora:A:0.5>"), [("A", 0.5, 0.5)]),
    "LoraTagLoader": (node("LoraTagLoader", text="a <lora:A:0.5>"), [("A", 0.5, 0.5)]),
    "ImpactWildcardEncode": (
        node("ImpactWildcardEncode", wildcard_text="<lora:X:1>", populated_text="a <lora:A:0.5>"), [("A", 0.5, 0.5)]),
    "Power Prompt on the model's way": (node("Power Prompt (rgthree)", prompt="a <lora:A:0.5>"), [("A", 0.5, 0.5)]),
    "LoraLoader|pysssss": (
        node("LoraLoader|pysssss", lora_name={"content": "A", "image": None}, strength_model=0.8, strength_clip=0.5),
        [("A", 0.8, 0.5)],
    ),
    "block weight": (
        node("LoraLoaderBlockWeight //Inspire", lora_name="A", strength_model=0.8, strength_clip=0.5, preset="x"),
        [("A", 0.8, 0.5)],
    ),
    "Nunchaku": (node("NunchakuFluxLoraLoader", lora_name="A", lora_strength=0.8), [("A", 0.8, None)]),
    "an unknown LoRA node": (node("My Lora Thing", file="dir/A.safetensors", strength=0.8), [("dir/A.safetensors", 0.8, None)]),
    "a node of another kind": (node("ModelSamplingFlux", max_shift=1.15), []),
}  # fmt: skip


@pytest.mark.parametrize(("one", "wanted"), CASES.values(), ids=CASES)
def test_a_lora_node_on_the_models_way_is_read(one, wanted):
    """Each node's own spelling, with the model going through it."""
    top = {**one, "inputs": {**one["inputs"], "model": ["base", 0]}}
    assert loras_of(with_model({"top": top})) == wanted


STACKS = {
    "LoRA Stacker": (node("LoRA Stacker", **STACKER), [("A", 0.6, 0.6)]),
    "LoRA Stacker advanced": (node("LoRA Stacker", **{**STACKER, "input_mode": "advanced"}), [("A", 0.1, 0.2)]),
    "CR LoRA Stack": (
        node("CR LoRA Stack", switch_1="On", lora_name_1="A", model_weight_1=0.8, clip_weight_1=0.5,
             switch_2="Off", lora_name_2="B", model_weight_2=1, clip_weight_2=1,
             switch_3="On", lora_name_3="None", model_weight_3=1, clip_weight_3=1),
        [("A", 0.8, 0.5)],
    ),
    "easy loraStack": (node("easy loraStack", **EASY), [("A", 0.7, 0.7)]),
    "easy loraStack advanced": (node("easy loraStack", **{**EASY, "mode": "advanced"}), [("A", 0.1, 0.2)]),
    "easy loraStack off": (node("easy loraStack", **{**EASY, "toggle": False}), []),
    "Lora Stacker (LoraManager)": (node("Lora Stacker (LoraManager)", loras=ROWS), [("A", 0.8, 0.3)]),
}  # fmt: skip


@pytest.mark.parametrize(("one", "wanted"), STACKS.values(), ids=STACKS)
@pytest.mark.parametrize("field", ["lora_stack", "optional_lora_stack"])
def test_a_stack_is_read_through_what_applies_it(one, wanted, field):
    """A stack is beside the model's way, and counts through the node that it feeds."""
    top = node("CR Apply LoRA Stack", model=["base", 0], **{field: ["stack", 0]})
    assert loras_of(with_model({"top": top, "stack": one})) == wanted


def test_stacks_may_be_chained():
    """A stack adds to the one that is linked into it, the earlier first."""
    first = node("Lora Stacker (LoraManager)", loras=[{"name": "A", "strength": 1, "active": True}])
    second = node(
        "Lora Stacker (LoraManager)", loras=[{"name": "B", "strength": 0.5, "active": True}], lora_stack=["s1", 0]
    )
    top = node("Lora Loader (LoraManager)", model=["base", 0], lora_stack=["s2", 0], loras=[])
    assert loras_of(with_model({"top": top, "s1": first, "s2": second})) == [("A", 1.0, 1.0), ("B", 0.5, 0.5)]


def test_wan_loras_hang_on_the_loader():
    """A video loader takes its LoRAs as an input of their own."""
    lora = node("WanVideoLoraSelect", lora="A.safetensors", strength=0.8, prev_lora=["older", 0])
    older = node("WanVideoLoraSelect", lora="B.safetensors", strength=0.5)
    loader = node("WanVideoModelLoader", model="wan.safetensors", lora=["lora", 0])
    graph = with_model({"loader": loader, "lora": lora, "older": older}, model="loader")
    assert loras_of(graph) == [("B.safetensors", 0.5, None), ("A.safetensors", 0.8, None)]
    assert read(graph).checkpoint.name == "wan.safetensors"


def test_a_lora_beside_the_way_is_not_used():
    """Only what the sampled model passes counts, however many loaders the graph holds."""
    aside = node("LoraLoader", lora_name="unused", strength_model=1, strength_clip=1, model=["base", 0])
    assert loras_of(plain(aside=aside)) == []


def test_loras_stand_in_the_order_in_which_they_are_applied():
    """The one nearest to the checkpoint is first."""
    first = node("LoraLoader", lora_name="A", strength_model=1, strength_clip=1, model=["base", 0], clip=["base", 1])
    second = node("LoraLoaderModelOnly", lora_name="B", strength_model=0.5, model=["first", 0])
    assert [name for name, _, _ in loras_of(with_model({"first": first, "second": second}, model="second"))] == [
        "A",
        "B",
    ]


def test_a_lora_applied_twice_is_listed_once_and_said():
    """Which strength counts is not for us to add up."""
    first = node("LoraLoader", lora_name="A", strength_model=1, strength_clip=1, model=["base", 0], clip=["base", 1])
    second = node("LoraLoaderModelOnly", lora_name="A", strength_model=0.5, model=["first", 0])
    draft = read(with_model({"first": first, "second": second}, model="second"))
    assert [(use.name, use.strength_model) for use in draft.loras] == [("A", 1.0)]
    assert any("more than once" in note for note in draft.notes)


def test_a_strength_may_be_a_link():
    """A primitive in front of a strength is followed."""
    top = node("LoraLoader", lora_name=["name", 0], strength_model=["number", 0], strength_clip=0.5, model=["base", 0])
    extra = {"top": top, "number": node("PrimitiveFloat", value=0.75), "name": node("PrimitiveString", value="A")}
    assert loras_of(with_model(extra)) == [("A", 0.75, 0.5)]


@pytest.mark.parametrize("kind", ["Lora Cycler (LoraManager)", "Lora Randomizer (LoraManager)"])
def test_a_choice_at_run_time_is_said_and_not_guessed(kind):
    """The pool in the graph is not what was used."""
    pool = node(kind, loras=[{"name": "A", "strength": 1, "active": True}])
    top = node("Lora Loader (LoraManager)", model=["base", 0], lora_stack=["pool", 0], loras=[])
    draft = read(with_model({"top": top, "pool": pool}))
    assert draft.loras == ()
    assert any("run time" in note for note in draft.notes)


def test_a_lora_named_by_urn_carries_its_ids():
    """On-site graphs name models by AIR."""
    top = node(
        "LoraLoader", lora_name="urn:air:sdxl:lora:civitai:5@22", strength_model=0.5, strength_clip=1, model=["base", 0]
    )
    (use,) = read(with_model({"top": top})).loras
    assert (use.model_id, use.model_version_id, use.strength_model) == (5, 22, 0.5)


def test_a_hook_lora_counts_through_the_conditioning():
    """Hooks hang on the conditioning, not on the model."""
    graph = plain(
        hook=node("CreateHookLora", lora_name="A", strength_model=0.5, strength_clip=0.4),
        hooked=node("ConditioningSetProperties", cond_NEW=["pos", 0], hooks=["hook", 0], strength=1),
    )
    graph = with_inputs(graph, "sampler", positive=["hooked", 0])
    assert loras_of(graph) == [("A", 0.5, 0.4)]
    assert read(graph).prompt == "a pond"


def test_a_chosen_branch_of_the_model_counts_alone():
    """A switch whose choice is in the graph lets one model through."""
    extra = {
        "a": node("LoraLoaderModelOnly", lora_name="A", strength_model=1, model=["base", 0]),
        "b": node("LoraLoaderModelOnly", lora_name="B", strength_model=1, model=["base", 0]),
        "yes": node("PrimitiveBoolean", value=True),
        "top": node("ComfySwitchNode", switch=["yes", 0], on_true=["a", 0], on_false=["b", 0]),
    }
    assert [name for name, _, _ in loras_of(with_model(extra))] == ["A"]
    extra["top"] = node("ImpactSwitch", select=2, sel_mode=True, input1=["a", 0], input2=["b", 0])
    assert [name for name, _, _ in loras_of(with_model(extra))] == ["B"]
