"""Choose a model's example picture, and ask for a small one; pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .model_info import ImageInfo

# CivitAI's picture addresses carry the wanted size: /original=true/ is the file as it was uploaded.
_SIZE_IN_PATH = re.compile(r"/(?:original=true|width=\d+)[^/]*/")
_SMALL = "/width=450,optimized=true/"
_WHOLE = "/original=true/"
# CivitAI's mask of levels: what has none may be anything, so it comes last.
_UNRATED = 64


def tamest(images: Sequence[ImageInfo]) -> ImageInfo | None:
    """Return the first of the pictures with the lowest NSFW level, or None where there are only videos."""
    pictures = [one for one in images if one.kind == "image"]
    return min(pictures, key=lambda one: one.nsfw_level or _UNRATED, default=None)


def small_address(url: str) -> str:
    """Return the address of a small rendition where the vendor makes them, else the picture's own."""
    return _SIZE_IN_PATH.sub(_SMALL, url, count=1)


def whole_address(url: str) -> str:
    """Return the address of the picture as it was uploaded, with what the generator wrote into it."""
    return _SIZE_IN_PATH.sub(_WHOLE, url, count=1)
