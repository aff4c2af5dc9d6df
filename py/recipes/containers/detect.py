"""Choose the container by its first bytes, never by the file's name."""

from __future__ import annotations

from ..carrier import Harvest
from ..source import Source
from . import jpeg, png, webp


def harvest_from(source: Source) -> Harvest | None:
    """Return what the container holds, or None where the first bytes are of no known image."""
    head = source.head[:32]
    if head.startswith(png.SIGNATURE):
        return png.read_png(source)
    if head.startswith(jpeg.SIGNATURE):
        return jpeg.read_jpeg(source)
    if webp.is_webp(head):
        return webp.read_webp(source)
    return None
