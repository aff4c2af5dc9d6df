"""Walk the chunks of a PNG (PNG specification, third edition), seeking past the pixels."""

from __future__ import annotations

import binascii
import re
import struct
from collections.abc import Callable

from ..carrier import MAX_TEXT, Harvest
from ..source import Source
from .exif import read_exif
from .text import decode_loose, inflate
from .xmp import read_xmp

SIGNATURE = b"\x89PNG\r\n\x1a\n"
_MAX_CHUNKS = 200_000
_HEX = re.compile(rb"[^0-9a-fA-F]+")


def read_png(source: Source) -> Harvest:
    """Return the texts of every chunk, also of those behind the pixels."""
    harvest = Harvest("png")
    at = len(SIGNATURE)
    for _ in range(_MAX_CHUNKS):
        header = source.read(at, 8)
        if len(header) < 8:  # noqa: PLR2004 - length and type of a chunk
            harvest.note("The file ends early.")
            return harvest
        length, kind = struct.unpack(">I4s", header)
        if kind == b"IEND":
            return harvest
        harvest.pictured = harvest.pictured or kind == b"IDAT"
        if handler := _CHUNKS.get(kind):
            _handle(handler, source, at + 8, length, harvest)
        at += length + 12
    harvest.note("The file has too many chunks.")
    return harvest


def _handle(handler: Callable[[bytes, Harvest], None], source: Source, at: int, length: int, harvest: Harvest) -> None:
    if length > MAX_TEXT:
        harvest.note("A chunk is too large to read.")
        return
    handler(source.read(at, length), harvest)


def _header(data: bytes, harvest: Harvest) -> None:
    if len(data) >= 8:  # noqa: PLR2004 - two 32-bit numbers
        harvest.width, harvest.height = struct.unpack_from(">II", data)


def _text(data: bytes, harvest: Harvest) -> None:
    key, _, value = data.partition(b"\0")
    _keep(key, decode_loose(value), harvest)


def _compressed_text(data: bytes, harvest: Harvest) -> None:
    key, _, rest = data.partition(b"\0")
    value = _unpacked(rest[1:], harvest)
    if value is None:
        harvest.note(f"png:{decode_loose(key)[:79]} is compressed and could not be unpacked.")
    else:
        _keep(key, decode_loose(value), harvest)


def _unpacked(raw: bytes, harvest: Harvest) -> bytes | None:
    found = inflate(raw, harvest.unpacking_limit())
    harvest.unpacked(len(raw), None if found is None else len(found))
    return found


def _international_text(data: bytes, harvest: Harvest) -> None:
    key, _, rest = data.partition(b"\0")
    flag, rest = rest[:1], rest[2:]
    _, _, rest = rest.partition(b"\0")
    _, _, value = rest.partition(b"\0")
    unpacked = _unpacked(value, harvest) if flag == b"\1" else value
    if unpacked is None:
        harvest.note(f"png:{decode_loose(key)[:79]} is compressed and could not be unpacked.")
    else:
        _keep(key, decode_loose(unpacked), harvest)


def _keep(raw_key: bytes, text: str, harvest: Harvest) -> None:
    key = decode_loose(raw_key)[:79]
    if key.startswith("Raw profile type"):
        _raw_profile(key, text, harvest)
    elif key == "XML:com.adobe.xmp":
        read_xmp(text, harvest)
    else:
        harvest.add(f"png:{key}", key, text)


def _raw_profile(key: str, text: str, harvest: Harvest) -> None:
    """ImageMagick's hex dump: a blank line, the profile's name, its length, then the bytes."""
    lines = text.strip().split("\n", 2)
    if len(lines) == 3 and key.endswith(("exif", "APP1")):  # noqa: PLR2004 - name, length, bytes
        digits = _HEX.sub(b"", lines[2].encode("ascii", "ignore"))
        read_exif(binascii.unhexlify(digits[: len(digits) & ~1]), harvest)
    elif len(lines) == 3 and key.endswith("xmp"):  # noqa: PLR2004
        digits = _HEX.sub(b"", lines[2].encode("ascii", "ignore"))
        read_xmp(decode_loose(binascii.unhexlify(digits[: len(digits) & ~1])), harvest)


def _provenance(data: bytes, harvest: Harvest) -> None:
    harvest.provenance = harvest.provenance or bool(data)


_CHUNKS: dict[bytes, Callable[[bytes, Harvest], None]] = {
    b"IHDR": _header,
    b"tEXt": _text,
    b"zTXt": _compressed_text,
    b"iTXt": _international_text,
    b"eXIf": read_exif,
    b"comf": _text,
    b"caBX": _provenance,
}
