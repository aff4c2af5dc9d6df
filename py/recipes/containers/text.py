"""Decode the bytes of a text whose writer may not have kept to the standard."""

from __future__ import annotations

import zlib

_MARKERS = ("Steps: ", '{"', "Negative prompt")


def decode_loose(raw: bytes) -> str:
    """Decode as strict UTF-8, and as Latin-1 where that fails (PNG tEXt is nominally Latin-1)."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def inflate(raw: bytes, limit: int) -> bytes | None:
    """Inflate a zlib stream; None where it is damaged or would grow above `limit` bytes."""
    stream = zlib.decompressobj()
    try:
        found = stream.decompress(raw, limit + 1)
    except zlib.error:
        return None
    return found if len(found) <= limit else None


def decode_user_comment(raw: bytes, *, big_endian: bool) -> str:
    """Decode an EXIF UserComment with its eight bytes of character code.

    `big_endian` is the byte order of the TIFF around it, which decides only where nothing else does: CivitAI
    writes UTF-16BE and SwarmUI UTF-16LE, both inside a little-endian TIFF.
    """
    code, body = raw[:8], raw[8:]
    if code == b"UNICODE\0":
        return _decode_utf16(body, big_endian=big_endian).strip("\0")
    if code == b"ASCII\0\0\0":
        return decode_loose(body).split("\0", 1)[0]
    if code[:4] == b"JIS\0":
        return _decode_jis(body)
    if code == bytes(8):
        return _decode_undefined(body, big_endian=big_endian)
    return _decode_undefined(raw, big_endian=big_endian)


def _decode_undefined(raw: bytes, *, big_endian: bool) -> str:
    raw = raw.strip(b"\0") if raw.count(0) * 4 < len(raw) else raw
    if raw.count(0) * 4 >= len(raw) > 0:
        return _decode_utf16(raw, big_endian=big_endian).strip("\0")
    return decode_loose(raw)


def _decode_jis(body: bytes) -> str:
    try:
        return body.decode("iso2022_jp").strip("\0")
    except UnicodeDecodeError:
        return decode_loose(body).strip("\0")


def _decode_utf16(body: bytes, *, big_endian: bool) -> str:
    """Choose the order by BOM, then by where the zero bytes are, then by known words, then by the TIFF's order."""
    if body[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return body.decode("utf-16", "replace")
    if (text := _as_utf8(body)) is not None:
        return text
    body = body[: len(body) & ~1]
    even, odd = body[0::2].count(0), body[1::2].count(0)
    clear = abs(even - odd) * 20 > len(body) // 2
    big_endian = even > odd if clear else _order_by_words(body, big_endian=big_endian)
    return body.decode("utf-16-be" if big_endian else "utf-16-le", "replace")


def _as_utf8(body: bytes) -> str | None:
    """Some writers put UTF-8 behind ``UNICODE``; real UTF-16 of any length almost always has zero bytes."""
    body = body.rstrip(b"\0")
    if 0 in body:
        return None
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return text if len(body) > 1 else None


def _order_by_words(body: bytes, *, big_endian: bool) -> bool:
    for order, name in ((True, "utf-16-be"), (False, "utf-16-le")):
        try:
            text = body.decode(name)
        except UnicodeDecodeError:
            continue
        if any(marker in text for marker in _MARKERS):
            return order
    return big_endian
