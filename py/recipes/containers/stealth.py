"""Read text that is hidden in the lowest bits of the pixels ("stealth pnginfo").

Only asked where nothing else was found. A probe of the first column decides from a few rows, undoing PNG's filters
for that column alone; whole pixels are decoded (by Pillow) only behind a matching signature.

The bits run column by column, highest bit first: fifteen letters, 32 bits of length (in bits), then the text,
gzipped where the letters say ``comp``. The alpha channel carries one bit a pixel; red, green and blue three.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from io import BytesIO

from ..carrier import MAX_INFLATED, Harvest
from ..source import Source
from .png import SIGNATURE as _PNG

_ALPHA = {b"stealth_pnginfo": False, b"stealth_pngcomp": True}
_RGB = {b"stealth_rgbinfo": False, b"stealth_rgbcomp": True}
_LETTERS = 15
_HEADER_BITS = 8 * _LETTERS + 32
_FEWEST_BITS = 16
_MAX_PIXELS = 48_000_000
_MAX_FILE = 256 * 1024 * 1024
_LOWEST_BIT = bytes(48 + (value & 1) for value in range(256))


def read_stealth(source: Source, harvest: Harvest) -> None:
    """Add the hidden text, if a probe finds one."""
    if harvest.container == "png":
        channels = _probe_png(source)
    elif harvest.container == "webp":
        # Lossless WebP cannot be probed without decoding it; only those with transparency are worth that.
        channels = "A" if _is_lossless_with_alpha(source.head) else None
    else:
        return
    pixels = (harvest.width or 0) * (harvest.height or 0)
    if channels is None or not 0 < pixels <= _MAX_PIXELS or source.size > _MAX_FILE:
        return
    text = _extract(source, channels)
    if text:
        harvest.add(f"stealth:{'alpha' if channels == 'A' else 'rgb'}", "parameters", text)


def _is_lossless_with_alpha(head: bytes) -> bool:
    at = head.find(b"VP8L")
    return at >= 0 and len(head) > at + 13 and bool(int.from_bytes(head[at + 9 : at + 13], "little") >> 28 & 1)


def _probe_png(source: Source) -> str | None:
    """Return the channels that carry a signature, or None; most images are told from after eight rows."""
    width, height, depth, colour, _, _, interlace = struct.unpack(">IIBBBBB", source.read(16, 13).ljust(13, b"\0"))
    size = {2: 3, 6: 4}.get(colour)
    if depth != 8 or interlace or size is None or width * height * (1 if size == 4 else 3) < _HEADER_BITS:  # noqa: PLR2004 - eight bits, four channels
        return None
    alpha, rgb = _Probe(_ALPHA), _Probe(_RGB)
    for pixel in _first_column(source, width, size):
        if alpha.alive:
            alpha.feed(pixel[3] & 1) if size == 4 else alpha.stop()  # noqa: PLR2004
        for value in pixel[:3]:
            if rgb.alive and not rgb.found:
                rgb.feed(value & 1)
        if not (alpha.alive or rgb.alive):
            break
        if alpha.found or rgb.found:
            break
    return "A" if alpha.likely else "RGB" if rgb.likely else None


class _Probe:
    """Compare bits with the signatures as they come."""

    def __init__(self, signatures: dict[bytes, bool]) -> None:
        self._wanted = [int.from_bytes(one, "big") for one in signatures]
        self._value = 0
        self._count = 0
        self.alive = True
        self.found = False

    def feed(self, bit: int) -> None:
        self._value = self._value << 1 | bit
        self._count += 1
        left = 8 * _LETTERS - self._count
        self.alive = any(self._value == one >> left for one in self._wanted) if left >= 0 else self.alive
        self.found = self.alive and left <= 0

    def stop(self) -> None:
        self.alive = False

    @property
    def likely(self) -> bool:
        """In a low image the first column ends before the signature does."""
        return self.alive and self._count >= _FEWEST_BITS


def _first_column(source: Source, width: int, size: int) -> Iterator[bytes]:
    """Yield the first pixel of each row. In column 0 there is no left neighbour, so every filter is simple."""
    above = bytes(size)
    for row in _rows(source, 1 + width * size):
        kind, raw = row[0], row[1 : 1 + size]
        if kind in (2, 4):
            raw = bytes((value + up) & 255 for value, up in zip(raw, above, strict=True))
        elif kind == 3:  # noqa: PLR2004 - the filter that takes the mean
            raw = bytes((value + up // 2) & 255 for value, up in zip(raw, above, strict=True))
        yield raw
        above = raw


def _rows(source: Source, stride: int) -> Iterator[bytes]:
    stream, pending = zlib.decompressobj(), b""
    for data in _pixel_data(source):
        while data:
            try:
                pending += stream.decompress(data, 8 * stride)
            except zlib.error:
                return
            data = stream.unconsumed_tail  # noqa: PLW2901 - what the cap left over
            while len(pending) >= stride:
                yield pending[:stride]
                pending = pending[stride:]


def _pixel_data(source: Source) -> Iterator[bytes]:
    at = len(_PNG)
    while len(header := source.read(at, 8)) == 8:  # noqa: PLR2004 - length and type
        length, kind = struct.unpack(">I4s", header)
        for part in range(0, length, 65_536) if kind == b"IDAT" else ():
            yield source.read(at + 8 + part, min(65_536, length - part))
        if kind == b"IEND":
            return
        at += length + 12


def _extract(source: Source, channels: str) -> str | None:
    try:
        from PIL import Image
    except ImportError:
        return None
    try:
        with Image.open(BytesIO(source.read(0, source.size)), formats=("PNG", "WEBP")) as image:
            picture = image.convert("RGBA").getchannel("A") if channels == "A" else image.convert("RGB")
            turned = picture.transpose(Image.Transpose.TRANSPOSE).tobytes()
    except Exception:  # noqa: BLE001 - Pillow raises whatever its codecs do on damaged pixels; then there is no text
        return None
    return _payload(turned, _ALPHA if channels == "A" else _RGB)


def _payload(values: bytes, signatures: dict[bytes, bool]) -> str | None:
    compressed = signatures.get(_bits(values, 0, 8 * _LETTERS))
    length = int.from_bytes(_bits(values, 8 * _LETTERS, 32), "big")
    if compressed is None or not 0 < length <= min(len(values) - _HEADER_BITS, 8 * MAX_INFLATED):
        return None
    data = _bits(values, _HEADER_BITS, length - length % 8)
    if compressed:
        stream = zlib.decompressobj(31)
        try:
            data = stream.decompress(data, MAX_INFLATED)
        except zlib.error:
            return None
    return data.decode("utf-8", "replace")


def _bits(values: bytes, start: int, count: int) -> bytes:
    """Return `count` lowest bits as bytes; reading a number in base 2 is linear."""
    digits = values[start : start + count].translate(_LOWEST_BIT)
    return int(digits or b"0", 2).to_bytes(count // 8, "big")
