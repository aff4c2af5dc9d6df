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
    body = b"WEBP" + riff_chunk(b"VP8X", b"\x08\0\0\0" + size) + riff_chunk(b"VP8 ", bytes(10)) + b"".join(chunks)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def graph_text(graph: dict) -> str:
    """Write a graph as ComfyUI does."""
    return json.dumps(graph)


def box(kind: bytes, data: bytes, *, wide: bool = False) -> bytes:
    if wide:
        return struct.pack(">I4sQ", 1, kind, len(data) + 16) + data
    return struct.pack(">I4s", len(data) + 8, kind) + data


def _infe(item: int, kind: bytes, content: bytes = b"") -> bytes:
    return box(b"infe", b"\2\0\0\0" + struct.pack(">HH", item, 0) + kind + b"\0" + content)


def avif(
    exif: bytes = b"", xmp: bytes = b"", *, brand: bytes = b"avif", tail: bytes = b"", split: bool = False
) -> bytes:
    """Write a HEIF file whose Exif and XMP items lie in mdat; with `split` each item has two extents."""
    parts = [(1, b"Exif", struct.pack(">I", 0) + exif if exif else b""), (2, b"mime", xmp)]
    parts = [one for one in parts if one[2]]
    head = box(b"ftyp", brand + bytes(4) + b"mif1" + brand)
    entries = b"".join(
        _infe(item, kind, b"application/rdf+xml\0" if kind == b"mime" else b"") for item, kind, _ in parts
    )
    iinf = box(b"iinf", bytes(4) + struct.pack(">H", len(parts)) + entries)
    size = box(b"ispe", bytes(4) + struct.pack(">II", 64, 48))
    iprp = box(b"iprp", box(b"ipco", size))

    def meta(start: int) -> bytes:
        rows, at = b"", start
        for item, _, data in parts:
            cuts = [len(data) // 2, len(data) - len(data) // 2] if split else [len(data)]
            rows += struct.pack(">HHH", item, 0, len(cuts))
            for length in cuts:
                rows += struct.pack(">II", at, length)
                at += length
        iloc = box(b"iloc", bytes(4) + b"\x44\0" + struct.pack(">H", len(parts)) + rows)
        return box(b"meta", bytes(4) + iinf + iloc + iprp)

    start = len(head) + len(meta(0)) + 8
    return head + meta(start) + box(b"mdat", b"".join(data for _, _, data in parts)) + tail


def jxl(*boxes: bytes) -> bytes:
    return b"\0\0\0\x0cJXL \r\n\x87\n" + box(b"ftyp", b"jxl \0\0\0\0jxl ") + b"".join(boxes)


def mp4(texts: dict[str, str], *, comment: str | None = None) -> bytes:
    """Write named keys as ffmpeg does with use_metadata_tags, or iTunes' comment, behind the frames."""
    keys = b"".join(box(b"mdta", key.encode()) for key in texts)
    values = b"".join(
        box(struct.pack(">I", index), box(b"data", struct.pack(">II", 1, 0) + text.encode()))
        for index, text in enumerate(texts.values(), 1)
    )
    if comment is not None:
        values += box(b"\xa9cmt", box(b"data", struct.pack(">II", 1, 0) + comment.encode()))
    meta = box(b"hdlr", bytes(8) + b"mdta" + bytes(13))
    meta += box(b"keys", bytes(4) + struct.pack(">I", len(texts)) + keys) if texts else b""
    meta += box(b"ilst", values)
    track = box(b"trak", box(b"tkhd", bytes(76) + struct.pack(">II", 640 << 16, 360 << 16)))
    moov = box(b"moov", track + box(b"udta", box(b"meta", bytes(4) + meta)))
    return box(b"ftyp", b"isom" + bytes(8)) + box(b"mdat", bytes(50), wide=True) + moov


def element(kind: int, data: bytes) -> bytes:
    """Write one EBML element with an eight-byte size."""
    return kind.to_bytes((kind.bit_length() + 7) // 8, "big") + (1 << 56 | len(data)).to_bytes(8, "big") + data


def webm(texts: dict[str, str]) -> bytes:
    tags = b"".join(
        element(0x7373, element(0x67C8, element(0x45A3, key.encode()) + element(0x4487, text.encode())))
        for key, text in texts.items()
    )
    video = element(0xE0, element(0xB0, b"\x02\x80") + element(0xBA, b"\x01\x68"))
    tracks = element(0x1654AE6B, element(0xAE, video))
    cluster = element(0x1F43B675, bytes(40))
    return element(0x1A45DFA3, b"") + element(0x18538067, tracks + cluster + element(0x1254C367, tags))


def gif(comment: str) -> bytes:
    raw = comment.encode()
    blocks = b"".join(bytes([len(raw[at : at + 255])]) + raw[at : at + 255] for at in range(0, len(raw), 255))
    table = bytes(6)
    picture = b"\x2c" + bytes(4) + b"\1\0\1\0\0" + b"\2\2\x44\1\0"
    return (
        b"GIF89a"
        b"\1\0\1\0\x80\0\0" + table + b"\x21\xf9\4" + bytes(4) + b"\0" + b"\x21\xfe" + blocks + b"\0" + picture + b";"
    )


def xmp(**properties: str) -> str:
    """Write a packet with elements; ``__`` in a name stands for the colon."""
    from xml.sax.saxutils import escape

    rows = "".join(
        f"<{name.replace('__', ':')}><rdf:Alt><rdf:li xml:lang='x-default'>{escape(text)}</rdf:li></rdf:Alt>"
        f"</{name.replace('__', ':')}>"
        for name, text in properties.items()
    )
    return (
        f"<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF><rdf:Description>{rows}</rdf:Description></rdf:RDF></x:xmpmeta>"
    )


def stealth_png(text: str, *, width: int = 64, height: int = 160, mode: str = "alpha", packed: bool = True) -> bytes:
    """Hide a text in the lowest bits, column by column, every row with another PNG filter."""
    import gzip

    payload = gzip.compress(text.encode()) if packed else text.encode()
    letters = {("alpha", True): b"stealth_pngcomp", ("alpha", False): b"stealth_pnginfo",
               ("rgb", True): b"stealth_rgbcomp", ("rgb", False): b"stealth_rgbinfo"}[mode, packed]  # fmt: skip
    data = letters + struct.pack(">I", 8 * len(payload)) + payload
    bits = [value >> shift & 1 for value in data for shift in range(7, -1, -1)]
    size = 4 if mode == "alpha" else 3
    rows = [bytearray((200 + x + y) & 0xFE for x in range(width) for _ in range(size)) for y in range(height)]
    spots = [(y, x * size + channel) for x in range(width) for y in range(height)
             for channel in ((3,) if size == 4 else (0, 1, 2))]  # fmt: skip
    for (y, at), bit in zip(spots, bits, strict=False):
        rows[y][at] |= bit
    header = png_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6 if size == 4 else 2, 0, 0, 0))
    return (
        b"\x89PNG\r\n\x1a\n"
        + header
        + png_chunk(b"IDAT", zlib.compress(_filtered(rows, size)))
        + png_chunk(b"IEND", b"")
    )


def _filtered(rows: list[bytearray], size: int) -> bytes:
    """Apply each of the five filters in turn (PNG specification, section 9)."""
    out, above = b"", bytearray(len(rows[0]))
    for index, row in enumerate(rows):
        kind, line = index % 5, bytearray(len(row))
        for at, value in enumerate(row):
            left = row[at - size] if at >= size else 0
            corner = above[at - size] if at >= size else 0
            guess = (0, left, above[at], (left + above[at]) // 2, _paeth(left, above[at], corner))[kind]
            line[at] = value - guess & 255
        out += bytes([kind]) + line
        above = row
    return out


def _paeth(left: int, up: int, corner: int) -> int:
    guess = left + up - corner
    return min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
