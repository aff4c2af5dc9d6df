"""Read the comments of a GIF (GIF89a specification, section 24)."""

from __future__ import annotations

from ..carrier import Harvest
from ..source import Source
from .text import decode_loose
from .xmp import read_xmp

SIGNATURES = (b"GIF87a", b"GIF89a")
# Comments stand in front of the first picture, or soon behind it; more of the file is not looked at.
_LOOK = 1024 * 1024
_EXTENSION, _IMAGE, _COMMENT, _APPLICATION = 0x21, 0x2C, 0xFE, 0xFF


def read_gif(source: Source) -> Harvest:
    """Return the comments of the file's first megabyte."""
    harvest = Harvest("gif")
    data = source.read(0, _LOOK)
    harvest.width, harvest.height = int.from_bytes(data[6:8], "little"), int.from_bytes(data[8:10], "little")
    at = 13 + _table(data, 10)
    while at < len(data):
        kind = data[at]
        if kind == _EXTENSION and at + 1 < len(data):
            label = data[at + 1]
            blocks, at = _blocks(data, at + 2)
            if label == _COMMENT:
                harvest.add("gif:comment", "Comment", decode_loose(blocks))
            elif label == _APPLICATION and blocks.startswith(b"XMP DataXMP"):
                read_xmp(decode_loose(blocks), harvest)
        elif kind == _IMAGE:
            harvest.pictured = True
            _, at = _blocks(data, at + 11 + _table(data, at + 9))
        else:
            break
    return harvest


def _table(data: bytes, at: int) -> int:
    """Return the size of the colour table that the flags at `at` announce."""
    flags = data[at] if at < len(data) else 0
    return 3 << (flags & 7) + 1 if flags & 0x80 else 0


def _blocks(data: bytes, at: int) -> tuple[bytes, int]:
    """Return the joined sub-blocks and the place behind them."""
    parts = []
    while at < len(data) and (size := data[at]):
        parts.append(data[at + 1 : at + 1 + size])
        at += 1 + size
    return b"".join(parts), at + 1
