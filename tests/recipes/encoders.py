"""Write small image files by hand, byte by byte, so that fixtures need no image library and no binary files."""

from __future__ import annotations

import json
import struct
import zlib
from dataclasses import dataclass


def png_chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png_text(key: str, text: str | bytes) -> bytes:
    raw = text if isinstance(text, bytes) else text.encode("utf-8")
    return png_chunk(b"tEXt", key.encode("latin-1") + b"\0" + raw)


def png_ztxt(key: str, text: str) -> bytes:
    return png_chunk(b"zTXt", key.encode("latin-1") + b"\0\0" + zlib.compress(text.encode("utf-8")))


def png_itxt(key: str, text: str, *, compressed: bool = False, language: str = "", translated: str = "") -> bytes:
    raw = text.encode("utf-8")
    head = key.encode("latin-1") + b"\0" + bytes([compressed, 0]) + language.encode() + b"\0" + translated.encode()
    return png_chunk(b"iTXt", head + b"\0" + (zlib.compress(raw) if compressed else raw))


def png(*chunks: bytes, after: tuple[bytes, ...] = (), width: int = 4, height: int = 4) -> bytes:
    header = png_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    pixels = png_chunk(b"IDAT", zlib.compress((b"\0" + bytes(3 * width)) * height))
    return b"\x89PNG\r\n\x1a\n" + header + b"".join(chunks) + pixels + b"".join(after) + png_chunk(b"IEND", b"")


@dataclass(frozen=True)
class Tag:
    """One TIFF entry: 2 is ASCII, 7 is undefined."""

    number: int
    value: bytes
    kind: int = 7


def user_comment(text: str, how: str = "utf-16-be") -> bytes:
    if how == "ascii":
        return b"ASCII\0\0\0" + text.encode("utf-8")
    if how == "bare":
        return text.encode("utf-8")
    if how == "undefined":
        return bytes(8) + text.encode("utf-8")
    return b"UNICODE\0" + text.encode(how)


def tiff(ifd0: list[Tag], exif: list[Tag] | None = None, order: str = ">") -> bytes:
    """Write IFD0, with an Exif IFD behind it where there are entries for one."""
    head = (b"MM" if order == ">" else b"II") + struct.pack(order + "HI", 42, 8)
    pointer = [Tag(0x8769, b"", 4)] if exif else []
    first = _ifd([*ifd0, *pointer], 8, order)
    if not exif:
        return head + first
    start = 8 + len(first)
    first = _ifd([*ifd0, Tag(0x8769, struct.pack(order + "I", start), 4)], 8, order)
    return head + first + _ifd(exif, start, order)


def _ifd(tags: list[Tag], start: int, order: str) -> bytes:
    entries, values = b"", b""
    at = start + 2 + 12 * len(tags) + 4
    for tag in sorted(tags, key=lambda one: one.number):
        count = len(tag.value) // 4 if tag.kind == 4 else len(tag.value)
        if len(tag.value) <= 4:
            place = tag.value.ljust(4, b"\0")
        else:
            place = struct.pack(order + "I", at + len(values))
            values += tag.value
        entries += struct.pack(order + "HHI", tag.number, tag.kind, max(count, 1 if tag.kind == 4 else count)) + place
    return struct.pack(order + "H", len(tags)) + entries + bytes(4) + values


def comment_tiff(text: str, how: str = "utf-16-be", order: str = ">") -> bytes:
    return tiff([], [Tag(0x9286, user_comment(text, how))], order)


def jpeg_segment(marker: int, data: bytes) -> bytes:
    return bytes([0xFF, marker]) + struct.pack(">H", len(data) + 2) + data


def jpeg(*segments: bytes, width: int = 4, height: int = 4) -> bytes:
    frame = jpeg_segment(0xC0, struct.pack(">BHHB", 8, height, width, 1) + b"\1\x11\0")
    return b"\xff\xd8" + b"".join(segments) + frame + jpeg_segment(0xDA, bytes(6)) + b"\0\xff\xd9"


def jpeg_exif(block: bytes) -> bytes:
    return jpeg_segment(0xE1, b"Exif\0\0" + block)


def jpeg_xmp(packet: str) -> bytes:
    return jpeg_segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0" + packet.encode())


def riff_chunk(kind: bytes, data: bytes) -> bytes:
    return kind + struct.pack("<I", len(data)) + data + b"\0" * (len(data) & 1)


def webp(*chunks: bytes, width: int = 4, height: int = 4) -> bytes:
    size = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    body = b"WEBP" + riff_chunk(b"VP8X", b"\x08\0\0\0" + size) + b"".join(chunks)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def graph_text(graph: dict) -> str:
    """Write a graph as ComfyUI does."""
    return json.dumps(graph)
