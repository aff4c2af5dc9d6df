"""Walk the chunks of a WebP (RFC 9649)."""

from __future__ import annotations

import struct

from ..carrier import MAX_TEXT, Harvest
from ..source import Source
from .exif import read_exif
from .text import decode_loose
from .xmp import read_xmp

_MAX_CHUNKS = 65_536
# Where Pantry keeps its block (embed.py).
_OURS = b"PTRY"
_VP8X, _VP8L, _VP8 = b"VP8X", b"VP8L", b"VP8 "


def is_webp(head: bytes) -> bool:
    """Tell a RIFF file of the WebP form."""
    return head[:4] == b"RIFF" and head[8:12] == b"WEBP"


def read_webp(source: Source) -> Harvest:
    """Return the EXIF and XMP texts; odd chunks are padded to even length."""
    harvest = Harvest("webp")
    at = 12
    for _ in range(_MAX_CHUNKS):
        header = source.read(at, 8)
        if len(header) < 8:  # noqa: PLR2004 - name and length of a chunk
            return harvest
        kind, length = struct.unpack("<4sI", header)
        harvest.pictured = harvest.pictured or kind in (_VP8L, _VP8, b"ANMF")
        if kind in (_VP8X, _VP8L, _VP8):
            _size(kind, source.read(at + 8, 10), harvest)
        elif kind in (b"EXIF", b"XMP ") and length <= MAX_TEXT:
            data = source.read(at + 8, length)
            read_exif(data, harvest) if kind == b"EXIF" else read_xmp(decode_loose(data), harvest)
        elif kind == _OURS and length <= MAX_TEXT:
            harvest.add("webp:pantry", "pantry", decode_loose(source.read(at + 8, length)))
        elif kind == b"C2PA":
            harvest.provenance = True
        at += 8 + length + (length & 1)
    return harvest


def _size(kind: bytes, data: bytes, harvest: Harvest) -> None:
    if harvest.width is not None or len(data) < 10:  # noqa: PLR2004 - the longest of the three headers
        return
    if kind == _VP8X:
        harvest.width = 1 + int.from_bytes(data[4:7], "little")
        harvest.height = 1 + int.from_bytes(data[7:10], "little")
    elif kind == _VP8L:
        bits = int.from_bytes(data[1:5], "little")
        harvest.width, harvest.height = 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    else:
        width, height = struct.unpack_from("<HH", data, 6)
        harvest.width, harvest.height = width & 0x3FFF, height & 0x3FFF
