"""Choose the container by its first bytes, never by the file's name."""

from __future__ import annotations

from collections.abc import Callable

from ..carrier import Harvest
from ..source import Source
from . import gif, isobmff, jpeg, matroska, png, webp

# A JPEG XL codestream without boxes has no place for texts.
_BARE_JXL = b"\xff\x0a"
_CONTAINERS: tuple[tuple[Callable[[bytes], bool], Callable[[Source], Harvest]], ...] = (
    (lambda head: head.startswith(png.SIGNATURE), png.read_png),
    (lambda head: head.startswith(jpeg.SIGNATURE), jpeg.read_jpeg),
    (webp.is_webp, webp.read_webp),
    (isobmff.is_isobmff, isobmff.read_isobmff),
    (lambda head: head.startswith(_BARE_JXL), lambda _: Harvest("jxl")),
    (lambda head: head.startswith(gif.SIGNATURES), gif.read_gif),
    (lambda head: head.startswith(matroska.SIGNATURE), matroska.read_matroska),
)


def harvest_from(source: Source) -> Harvest | None:
    """Return what the container holds, or None where the first bytes are of no known image."""
    head = source.head[:64]
    return next((read(source) for is_it, read in _CONTAINERS if is_it(head)), None)
