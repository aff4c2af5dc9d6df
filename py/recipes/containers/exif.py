"""Read the texts of a TIFF block, as EXIF uses it (JPEG APP1, PNG eXIf, WebP EXIF, AVIF Exif items)."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass

from ..carrier import Harvest
from .text import decode_loose, decode_user_comment

_USER_COMMENT, _EXIF_IFD = 0x9286, 0x8769
_NAMES = {
    0x010D: "DocumentName",
    0x010E: "ImageDescription",
    0x010F: "Make",
    0x0110: "Model",
    0x0131: "Software",
    0x013B: "Artist",
    0x927C: "MakerNote",
    0x9C9B: "XPTitle",
    0x9C9C: "XPComment",
    0x9C9E: "XPKeywords",
    _USER_COMMENT: "UserComment",
}
_SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8}
_MAX_ENTRIES = 1024
# ComfyUI's savers name the payload in front of it; the tag that they use differs, and counts down for further ones.
_LABEL = re.compile(r"\s*(prompt|workflow|extra_data|parameters)\s*:\s*(?=[{\[])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Entry:
    tag: int
    raw: bytes


def read_exif(block: bytes, harvest: Harvest) -> None:
    """Add the texts of a TIFF block (with or without ``Exif`` and two NULs in front) from IFD0 and the Exif IFD."""
    block = block.removeprefix(b"Exif\0\0")
    big_endian = block[:2] == b"MM"
    if not big_endian and block[:2] != b"II":
        return
    left = len(block)
    for entry in _entries(block, ">" if big_endian else "<"):
        # Values do not overlap, so together they are no longer than the block.
        left -= len(entry.raw)
        if left < 0:
            harvest.note("The EXIF data is damaged.")
            return
        _add(entry, harvest, big_endian=big_endian)


def _add(entry: _Entry, harvest: Harvest, *, big_endian: bool) -> None:
    name = _NAMES[entry.tag]
    if entry.tag == _USER_COMMENT:
        text = decode_user_comment(entry.raw, big_endian=big_endian)
    elif name.startswith("XP"):
        text = entry.raw.decode("utf-16-le", "replace")
    else:
        text = decode_loose(entry.raw)
    label = _LABEL.match(text)
    if label:
        harvest.add(f"exif:{name}", label[1].lower(), text[label.end() :])
    else:
        harvest.add(f"exif:{name}", name, text)


def _entries(block: bytes, order: str) -> Iterator[_Entry]:
    """Yield the wanted entries of IFD0 and of the Exif IFD that it points to."""
    start = _number(block, 4, order + "I")
    for offset in (start, None):
        at = offset if offset is not None else _exif_ifd(block, order, start)
        if at is not None:
            yield from _ifd(block, order, at)


def _exif_ifd(block: bytes, order: str, start: int | None) -> int | None:
    for at in _entry_offsets(block, order, start):
        if _number(block, at, order + "H") == _EXIF_IFD:
            return _number(block, at + 8, order + "I")
    return None


def _entry_offsets(block: bytes, order: str, start: int | None) -> Iterator[int]:
    count = _number(block, start, order + "H") if start is not None else None
    for index in range(min(count or 0, _MAX_ENTRIES)):
        yield (start or 0) + 2 + 12 * index


def _ifd(block: bytes, order: str, start: int) -> Iterator[_Entry]:
    for at in _entry_offsets(block, order, start):
        tag = _number(block, at, order + "H")
        if tag in _NAMES and (raw := _value(block, order, at)):
            yield _Entry(tag, raw)


def _value(block: bytes, order: str, at: int) -> bytes:
    if at + 12 > len(block):
        return b""
    kind, count, offset = struct.unpack_from(order + "HII", block, at + 2)
    length = count * _SIZES.get(kind, 0)
    if length <= 4:  # noqa: PLR2004 - TIFF keeps values of up to four bytes in the entry itself
        return block[at + 8 : at + 8 + length]
    return block[offset : offset + length]


def _number(block: bytes, at: int | None, form: str) -> int | None:
    if at is None or at + struct.calcsize(form) > len(block):
        return None
    return int(struct.unpack_from(form, block, at)[0])
