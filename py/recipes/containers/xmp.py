"""Take the few texts out of an XMP packet that image generators write there."""

from __future__ import annotations

import html
import re

from ..carrier import Harvest

# Only these properties are looked for, so an XML parser, with its entity traps, is not needed.
_PROPERTIES = {
    "exif:UserComment": "UserComment",
    "dc:description": "Description",
    "xmp:CreatorTool": "CreatorTool",
    "tiff:Software": "Software",
    "comfy:prompt": "prompt",
    "comfy:workflow": "workflow",
    "comfyui:prompt": "prompt",
    "comfyui:workflow": "workflow",
    "parameters": "parameters",
}
_ITEM = re.compile(r"<rdf:li[^>]*>(.*?)</rdf:li>", re.DOTALL)


def read_xmp(packet: str, harvest: Harvest) -> None:
    """Add the packet's known properties, whether written as attributes or as elements."""
    for name, key in _PROPERTIES.items():
        text = _property(packet, name)
        if text:
            harvest.add(f"xmp:{name}", key, text)


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
    item = _ITEM.search(inner)
    return html.unescape(item[1] if item else inner).strip()
