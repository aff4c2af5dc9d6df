"""Build small ComfyUI graphs by hand: a plain one, and the plain one with some nodes changed."""

from __future__ import annotations

from typing import Any

from py.recipes.draft import Draft
from py.recipes.parsers.comfy.draft import read_graph
from py.recipes.parsers.comfy.editor import to_graph
from py.recipes.parsers.comfy.graph import Graph
from py.recipes.parsers.comfy.outputs import Origin


def node(kind: str, **inputs: Any) -> dict[str, Any]:
    return {"class_type": kind, "inputs": inputs}


def plain(**changed: Any) -> dict[str, Any]:
    """Return checkpoint -> encoders -> sampler -> decoder -> saver, with nodes replaced or added by name."""
    graph = {
        "base": node("CheckpointLoaderSimple", ckpt_name="base.safetensors"),
        "pos": node("CLIPTextEncode", text="a pond", clip=["base", 1]),
        "neg": node("CLIPTextEncode", text="mud", clip=["base", 1]),
        "latent": node("EmptyLatentImage", width=640, height=480, batch_size=1),
        "sampler": node("KSampler", seed=7, steps=20, cfg=6.5, sampler_name="euler", scheduler="normal", denoise=1.0,
                        model=["base", 0], positive=["pos", 0], negative=["neg", 0], latent_image=["latent", 0]),
        "decode": node("VAEDecode", samples=["sampler", 0], vae=["base", 2]),
        "save": node("SaveImage", filename_prefix="out", images=["decode", 0]),
    }  # fmt: skip
    return {**graph, **{key: one for key, one in changed.items() if one}}


def with_inputs(graph: dict[str, Any], name: str, **inputs: Any) -> dict[str, Any]:
    """Return the graph with some inputs of one node replaced."""
    one = graph[name]
    return {**graph, name: {**one, "inputs": {**one["inputs"], **inputs}}}


def read(graph: dict[str, Any], name: str = "", size: tuple[int, int] | None = None) -> Draft:
    return read_graph(Graph.from_prompt(graph), Origin(name, *(size or (None, None))))


def with_model(*stages: dict[str, Any], model: str = "top", clip: str = "base") -> dict[str, Any]:
    """Return the plain graph whose sampler takes its model from the node `model`."""
    extra = {key: one for stage in stages for key, one in stage.items()}
    return with_inputs(plain(**extra), "sampler", model=[model, 0])


def loras_of(graph: dict[str, Any]) -> list[tuple]:
    return [(one.name, one.strength_model, one.strength_clip) for one in read(graph).loras]


# --- the editor's form --------------------------------------------------------------------------------------------


class Editor:
    """Draw a graph as the editor saves it: nodes with places for inputs, and numbered links."""

    def __init__(self) -> None:
        self.nodes: list[dict[str, Any]] = []
        self.links: list[list[Any]] = []
        self.more: dict[str, Any] = {}

    def add(
        self, kind: str, values: Any = None, *, mode: int = 0, outputs: str = "*", id_: Any = None, **inputs: Any
    ) -> int:
        """Add a node; each input is (node id, output place) or None."""
        number = id_ if id_ is not None else len(self.nodes) + 1
        rows = []
        for place, (name, source) in enumerate(inputs.items()):
            kind_of = name.upper()
            link = None
            if source is not None:
                link = len(self.links) + 1
                self.links.append([link, source[0], source[1], number, place, kind_of])
            rows.append({"name": name, "type": kind_of, "link": link})
        out = [{"name": one, "type": one, "links": []} for one in outputs.split()]
        self.nodes.append({"id": number, "type": kind, "mode": mode, "inputs": rows, "outputs": out,
                           "properties": {}, "widgets_values": [] if values is None else values})  # fmt: skip
        return number

    def form(self) -> dict[str, Any]:
        return {"last_node_id": len(self.nodes), "nodes": self.nodes, "links": self.links, **self.more}

    def read(self) -> Draft:
        return read_graph(to_graph(self.form()), Origin())


def drawn(*, model: tuple[int, int] | None = None, seed_values: list | None = None) -> Editor:
    """Draw the plain graph; `model` is what the sampler takes its model from."""
    one = Editor()
    base = one.add("CheckpointLoaderSimple", ["base.safetensors"], outputs="MODEL CLIP VAE", id_=101)
    pos = one.add("CLIPTextEncode", ["a pond"], clip=(base, 1), outputs="CONDITIONING", id_=102)
    neg = one.add("CLIPTextEncode", ["mud"], clip=(base, 1), outputs="CONDITIONING", id_=103)
    latent = one.add("EmptyLatentImage", [640, 480, 1], outputs="LATENT", id_=104)
    values = seed_values or [7, "randomize", 20, 6.5, "euler", "normal", 1]
    sampler = one.add("KSampler", values, model=model or (base, 0), positive=(pos, 0), negative=(neg, 0),
                      latent_image=(latent, 0), outputs="LATENT", id_=105)  # fmt: skip
    decode = one.add("VAEDecode", samples=(sampler, 0), vae=(base, 2), outputs="IMAGE", id_=106)
    one.add("SaveImage", ["out"], images=(decode, 0), outputs="", id_=107)
    return one
