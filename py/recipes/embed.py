"""Write Pantry's block into the bytes of an image, leaving its pixels and its other texts as they are.

PNG gets a text chunk behind the header, JPEG a comment, WebP a chunk of our own behind the picture. A block that is
already there is replaced. The reader finds it in all three before anything else.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

from ..core.errors import InvalidRequestError
from . import block
from .containers import jpeg, png, webp
from .draft import Draft
from .source import Source

WEBP_CHUNK = b"PTRY"
_COMMENT = 0xFE
_MOST_IN_JPEG = 65_533
_HAS_ALPHA = 0x10


def with_block(image: bytes, draft: Draft) -> bytes:
    """Return the image with the draft inside; raise `InvalidRequestError` where that is not possible."""
    text = block.encode(draft).encode("ascii")
    if image.startswith(png.SIGNATURE):
        return _in_png(image, text)
    if image.startswith(jpeg.SIGNATURE):
        return _in_jpeg(image, text)
    if webp.is_webp(image[:12]):
        return _in_webp(image, text)
    raise InvalidRequestError("Only PNG, JPEG and WebP images can carry a recipe.")


def _in_png(image: bytes, text: bytes) -> bytes:
    key = block.KEY.encode() + b"\0"
    body = b"tEXt" + key + text
    own = struct.pack(">I", len(key) + len(text)) + body + struct.pack(">I", zlib.crc32(body))
    out = [png.SIGNATURE]
    for kind, chunk in _png_chunks(image):
        if kind in (b"tEXt", b"iTXt", b"zTXt") and chunk[8:].startswith(key):
            continue
        out.append(chunk)
        if kind == b"IHDR":
            out.append(own)
    return b"".join(out)


def _png_chunks(image: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(png.SIGNATURE)
    while at + 8 <= len(image):
        length = int.from_bytes(image[at : at + 4], "big")
        yield image[at + 4 : at + 8], image[at : at + 12 + length]
        at += 12 + length


def _in_jpeg(image: bytes, text: bytes) -> bytes:
    if len(text) > _MOST_IN_JPEG:
        raise InvalidRequestError("This recipe is too long for a JPEG; export the image as PNG.")
    own = bytes([0xFF, _COMMENT]) + struct.pack(">H", len(text) + 2) + text
    out, at = [image[:2]], 2
    while at + 4 <= len(image) and image[at] == 0xFF and 0xE0 <= image[at + 1] <= _COMMENT:  # noqa: PLR2004 - APPn and COM
        end = at + 2 + max(int.from_bytes(image[at + 2 : at + 4], "big"), 2)
        if not (image[at + 1] == _COMMENT and block.decode(image[at + 4 : end].decode("utf-8", "replace"))):
            out.append(image[at:end])
        at = end
    return b"".join([*out, own, image[at:]])


def _in_webp(image: bytes, text: bytes) -> bytes:
    chunks = [(kind, chunk) for kind, chunk in _webp_chunks(image) if kind != WEBP_CHUNK]
    if not any(kind == b"VP8X" for kind, _ in chunks):
        chunks.insert(0, (b"VP8X", _webp_chunk(b"VP8X", _extended_header(image))))
    body = b"WEBP" + b"".join(chunk for _, chunk in chunks) + _webp_chunk(WEBP_CHUNK, text)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def _webp_chunks(image: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 12
    while at + 8 <= len(image):
        length = int.from_bytes(image[at + 4 : at + 8], "little")
        yield image[at : at + 4], _webp_chunk(image[at : at + 4], image[at + 8 : at + 8 + length])
        at += 8 + length + (length & 1)


def _webp_chunk(kind: bytes, data: bytes) -> bytes:
    return kind + struct.pack("<I", len(data)) + data + b"\0" * (len(data) & 1)


def _extended_header(image: bytes) -> bytes:
    """A simple WebP may hold nothing but its picture, so it becomes an extended one (RFC 9649, section 2.7)."""
    harvest = webp.read_webp(Source(image))
    width, height = harvest.width or 1, harvest.height or 1
    alpha = image[12:16] == b"VP8L" and image[24] >> 4 & 1
    size = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return bytes([_HAS_ALPHA if alpha else 0, 0, 0, 0]) + size
