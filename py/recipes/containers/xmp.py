"""Take the few texts out of an XMP packet that image generators write there."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from itertools import islice

from ..carrier import Harvest

# Only these properties are looked for, so an XML parser, with its entity traps, is not needed.
_PROPERTIES = {
    "exif:UserComment": "UserComment",
    "dc:description": "Description",
    "xmp:CreatorTool": "CreatorTool",
    "tiff:Software": "Software",
}
# ComfyUI's savers have not settled on a prefix; a JSON object under one of these names is told by itself.
_GRAPHS = re.compile(r"[<\s]([\w\-]{1,40}:(prompt|workflow|parameters))[\s=>]")
_MOST_GRAPHS = 16


def read_xmp(packet: str, harvest: Harvest) -> None:
    """Add the packet's known properties, whether written as attributes or as elements."""
    for name, key in _PROPERTIES.items():
        if text := _property(packet, name):
            harvest.add(f"xmp:{name}", key, text)
    for name, key in dict.fromkeys(_graph_names(packet)):
        text = _property(packet, name)
        if text.lstrip().startswith("{") or key == "parameters":
            harvest.add(f"xmp:{name}", key, text)


def _graph_names(packet: str) -> Iterator[tuple[str, str]]:
    for match in islice(_GRAPHS.finditer(packet), _MOST_GRAPHS):
        yield match[1], match[2]


def _property(packet: str, name: str) -> str:
    for quote in "\"'":
        start = packet.find(f"{name}={quote}")
        if start >= 0:
            start += len(name) + 2
            end = packet.find(quote, start)
            return html.unescape(packet[start : end if end >= 0 else start])
    start, end = packet.find(f"<{name}"), packet.find(f"</{name}>")
    if start < 0 or end < start:
        return ""
    inner = packet[packet.find(">", start) + 1 : end]
    return html.unescape(_first_item(inner)).strip()


def _first_item(inner: str) -> str:
    """Return the text of the first ``rdf:li``, or all of it where there is no list."""
    opened = inner.find("<rdf:li")
    start, end = inner.find(">", opened), inner.find("</rdf:li>", opened)
    return inner[start + 1 : end] if 0 <= opened < start < end else inner
