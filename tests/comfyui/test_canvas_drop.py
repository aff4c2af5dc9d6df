"""A recipe's card is dragged from the sidebar onto ComfyUI's canvas, with a real mouse."""

from __future__ import annotations

import json

import pytest

from tests.standalone.pictures import png

pytestmark = [pytest.mark.browser, pytest.mark.in_comfyui]
NODE = {"id": 1, "type": "EmptyLatentImage", "pos": [40, 40], "size": [300, 110], "flags": {}, "order": 0, "mode": 0}
WORKFLOW = {
    "nodes": [{**NODE, "inputs": [], "outputs": [], "properties": {}, "widgets_values": [640, 384]}],
    "links": [],
    "groups": [],
    "config": {},
    "extra": {},
    "version": 0.4,
    "last_node_id": 1,
    "last_link_id": 0,
}
PROMPT = {"1": {"class_type": "EmptyLatentImage", "inputs": {"width": 640, "height": 384}}}
TEXT = "seaside\nSteps: 20, Sampler: Euler a, CFG scale: 7, Seed: 5, Size: 640x384, Version: v1.10.1"
LOADED = """() => window.app.graph.nodes.length === 1
  && window.app.graph.nodes[0].widgets.map((widget) => widget.value).join() === "640,384" """


def test_a_card_that_is_dropped_on_the_canvas_loads_its_workflow(sitting):
    """ComfyUI takes the picture from the card's address and puts the workflow inside it onto the canvas."""
    folder = sitting.folder / "seaside"
    folder.mkdir()
    told = {"parameters": TEXT, "workflow": json.dumps(WORKFLOW), "prompt": json.dumps(PROMPT)}
    (folder / "seaside.png").write_bytes(png(77, told))
    sitting.load(folder)
    card = sitting.tab.find("seaside")
    canvas = sitting.page.locator("#graph-canvas")
    box = canvas.bounding_box()
    card.drag_to(canvas, target_position={"x": box["width"] * 0.75, "y": box["height"] * 0.6})
    sitting.page.wait_for_function(LOADED)
