"""Walk the segments of a JPEG up to its first scan."""

from __future__ import annotations

import struct

from ..carrier import Harvest
from ..source import Source
from .exif import read_exif
from .text import decode_loose
from .xmp import read_xmp

SIGNATURE = b"\xff\xd8\xff"
_XMP = b"http://ns.adobe.com/xap/1.0/\0"
_APP1, _APP11, _COM, _SOS, _EOI = 0xE1, 0xEB, 0xFE, 0xDA, 0xD9
# Start-of-frame markers; C4, C8 and CC are tables.
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_MAX_SEGMENTS = 4096
_STRAY = 4096


def read_jpeg(source: Source) -> Harvest:
    """Return the EXIF, XMP and comment texts; the entropy-coded data is never touched."""
    harvest = Harvest("jpeg")
    at = 2
    for _ in range(_MAX_SEGMENTS):
        header = source.read(at, 4)
        if len(header) < 4:  # noqa: PLR2004 - a marker and its length
            return harvest
        if header[0] != 0xFF:  # noqa: PLR2004 - the mark of a marker
            # Stray bytes between segments; viewers look for the next marker, and so do we.
            skipped = source.read(at, _STRAY).find(b"\xff")
            if skipped < 0:
                return harvest
            at += skipped
            continue
        marker = header[1]
        if marker == 0xFF:  # noqa: PLR2004 - a fill byte
            at += 1
            continue
        if marker in (_SOS, _EOI):
            harvest.pictured = harvest.pictured or marker == _SOS
            return harvest
        length = struct.unpack(">H", header[2:])[0]
        _segment(marker, source.read(at + 4, max(length - 2, 0)), harvest)
        at += 2 + max(length, 2)
    return harvest


def _segment(marker: int, data: bytes, harvest: Harvest) -> None:
    if marker == _APP1 and data.startswith(b"Exif\0\0"):
        read_exif(data, harvest)
    elif marker == _APP1 and data.startswith(_XMP):
        read_xmp(decode_loose(data[len(_XMP) :]), harvest)
    elif marker == _COM:
        comments = sum(one.where.startswith("jpeg:comment") for one in harvest.carriers)
        harvest.add(f"jpeg:comment:{comments + 1}" if comments else "jpeg:comment", "Comment", decode_loose(data))
    elif marker == _APP11 and b"jumb" in data[:64]:
        harvest.provenance = True
    elif marker in _FRAMES and len(data) >= 5:  # noqa: PLR2004 - precision, height, width
        harvest.height, harvest.width = struct.unpack_from(">HH", data, 1)
        harvest.pictured = True
