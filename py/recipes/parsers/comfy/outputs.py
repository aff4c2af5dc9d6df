"""Choose the output node that wrote this image; every image of a run carries the whole graph."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .graph import Graph, Node

_SAVES = re.compile(r"save|image saver|videocombine|export|sdpromptsaver|send.?image|websocket", re.IGNORECASE)
_PREVIEWS = re.compile(r"preview|comparer|display", re.IGNORECASE)
_PICTURES = frozenset({"images", "image", "samples", "video", "frames", "pixels"})
_LONGEST_NAME = 256
_COUNTER = re.compile(r"[ _\-]*\d+[ _\-]*$")
_VARIABLE = re.compile(r"%[^%]*%")


@dataclass(frozen=True, slots=True)
class Origin:
    """Say what is known about the image file itself: its name, and its size in pixels."""

    name: str = ""
    width: int | None = None
    height: int | None = None


def output_nodes(graph: Graph) -> list[Node]:
    """Return the nodes that may have written the image: savers, else previews, else ends that take a picture."""
    taking = [node for node in graph.nodes.values() if not _PICTURES.isdisjoint(graph.links(node))]
    for test in (_SAVES, _PREVIEWS):
        if found := [node for node in taking if test.search(node.type)]:
            return found
    used = {link.node.id for node in graph.nodes.values() for link in graph.links(node).values()}
    ends = [node for node in graph.nodes.values() if node.id not in used and graph.links(node)]
    return [node for node in taking if node.id not in used] or ends


def by_file_name(nodes: list[Node], origin: Origin) -> list[Node]:
    """Return the nodes whose prefix begins the file's name, the longest prefix winning."""
    stem = origin.name.rsplit(".", 1)[0].casefold()
    best: list[Node] = []
    length = 0
    for node in nodes:
        prefix = _prefix(node)
        if prefix and stem.startswith(prefix) and len(prefix) >= length:
            best = [*best, node] if len(prefix) == length else [node]
            length = len(prefix)
    return best


def _prefix(node: Node) -> str:
    """The fixed beginning of a saver's file name."""
    value = node.inputs.get("filename_prefix", node.inputs.get("filename"))
    if not isinstance(value, str):
        return ""
    base = re.split(r"[\\/]", value)[-1][:_LONGEST_NAME]
    return _COUNTER.sub("", _VARIABLE.split(base)[0]).casefold()
