"""Hold the example workflows to the nodes that exist."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from py.nodes.catalogue import node_classes

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "example_workflows").glob("*.json"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_fits_the_nodes(comfy, shelf, path):
    """Our nodes in it have the inputs and outputs that the classes have, and every link has both ends."""
    workflow = json.loads(path.read_text(encoding="utf-8"))
    nodes = {node["id"]: node for node in workflow["nodes"]}
    classes = node_classes(shelf)
    ours = [node for node in nodes.values() if node["type"] in classes]
    assert ours
    for node in ours:
        made = classes[node["type"]]
        inputs = {name for part in ("required", "optional") for name in made.INPUT_TYPES().get(part, {})}
        assert {one["name"] for one in node["inputs"]} <= inputs
        assert [one["name"] for one in node["outputs"]] == list(getattr(made, "RETURN_NAMES", made.RETURN_TYPES))
    for number, source, slot, target, place, _kind in workflow["links"]:
        assert number in nodes[source]["outputs"][slot]["links"]
        assert nodes[target]["inputs"][place]["link"] == number


def test_there_are_examples():
    """ComfyUI's template browser offers them under the pack's name."""
    assert len(EXAMPLES) >= 2
