"""Read the metadata of an MP4 as ComfyUI's video savers write it: named keys, or iTunes' comment."""

from __future__ import annotations

from ..carrier import MAX_TEXT, Harvest
from ..source import Source
from .boxes import Box, boxes
from .text import decode_loose

_MAX_KEYS = 1024
_COMMENTS = {b"\xa9cmt": "comment", b"desc": "description", b"\xa9des": "description", b"ldes": "description"}


def read_tags(source: Source, moov: Box, harvest: Harvest) -> None:
    """Add the texts of ``moov/udta/meta`` and ``moov/meta``, and the video's size."""
    for box in boxes(source, moov.start, moov.end):
        if box.kind == b"udta":
            for inner in boxes(source, box.start, box.end):
                if inner.kind == b"meta":
                    _meta(source, inner, harvest)
        elif box.kind == b"meta":
            _meta(source, box, harvest)
        elif box.kind == b"trak":
            _track(source, box, harvest)


def _track(source: Source, track: Box, harvest: Harvest) -> None:
    """The header ends with width and height, as 16.16 numbers."""
    for box in boxes(source, track.start, track.end):
        if box.kind == b"tkhd" and harvest.width is None:
            tail = source.read(max(box.end - 8, box.start), 8)
            width, height = int.from_bytes(tail[:2], "big"), int.from_bytes(tail[4:6], "big")
            if width and height:
                harvest.width, harvest.height = width, height


def _meta(source: Source, meta: Box, harvest: Harvest) -> None:
    """QuickTime's form has no version field in front; MP4's has."""
    start = meta.start if source.read(meta.start + 4, 4) == b"hdlr" else meta.start + 4
    keys: list[str] = []
    for box in boxes(source, start, meta.end):
        if box.kind == b"keys":
            keys = _keys(source.read(box.start, min(box.size, MAX_TEXT)))
        elif box.kind == b"ilst":
            _values(source, box, keys, harvest)


def _keys(data: bytes) -> list[str]:
    found: list[str] = []
    at = 8
    while at + 8 <= len(data) and len(found) < _MAX_KEYS:
        size = int.from_bytes(data[at : at + 4], "big")
        if size < 8:  # noqa: PLR2004 - size and namespace
            break
        found.append(decode_loose(data[at + 8 : at + size]))
        at += size
    return found


def _values(source: Source, values: Box, keys: list[str], harvest: Harvest) -> None:
    for box in boxes(source, values.start, values.end):
        index = int.from_bytes(box.kind, "big") - 1
        key = _COMMENTS.get(box.kind) or (keys[index] if 0 <= index < len(keys) else None)
        for inner in boxes(source, box.start, box.end) if key else ():
            if inner.kind == b"data" and 8 < inner.size <= MAX_TEXT:  # noqa: PLR2004 - type and locale
                text = decode_loose(source.read(inner.start + 8, inner.size - 8))
                harvest.add(f"mp4:{key}", key or "", text)
