"""Make small WebP pictures of images, on demand, and keep them.

The size in the header is looked at before any pixel is decoded, so that a bomb costs nothing. Pillow's global limits
are left alone: other packs share them.
"""

from __future__ import annotations

import asyncio
import os
import re
import warnings
from pathlib import Path

from PIL import Image, ImageOps

from ..core.errors import InvalidRequestError, UnreadableImageError

LONG_EDGE = 384
MOST_PIXELS = 120_000_000
_QUALITY = 80
_AT_ONCE = 2
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


class Thumbnails:
    """Keep one WebP per recipe in `folder`; at most two are being made at a time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._slots = asyncio.Semaphore(_AT_ONCE)

    def path(self, recipe_id: str) -> Path:
        """Return where the thumbnail of a recipe is kept."""
        if not _ID.fullmatch(recipe_id):
            raise InvalidRequestError("That is not the id of a recipe.")
        return self._folder / recipe_id[-2:] / f"{recipe_id}.webp"

    async def existing(self, recipe_id: str) -> Path | None:
        """Return the thumbnail if it has been made."""
        path = self.path(recipe_id)
        return path if await asyncio.to_thread(path.is_file) else None

    async def make(self, recipe_id: str, source: Path) -> Path:
        """Make the thumbnail of a recipe from its image; raise `UnreadableImageError` where that cannot be."""
        path = self.path(recipe_id)
        async with self._slots:
            await asyncio.to_thread(_write, source, path)
        return path

    async def remove(self, recipe_id: str) -> None:
        """Forget the thumbnail of a recipe."""
        await asyncio.to_thread(self.path(recipe_id).unlink, missing_ok=True)


def _write(source: Path, target: Path) -> None:
    try:
        picture = _shrunk(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        # Two requests may make the same picture; each has a file of its own until the last moment.
        part = target.with_suffix(f".{os.getpid()}-{id(picture):x}.part")
        try:
            picture.save(part, "WEBP", quality=_QUALITY, method=4)
            _put(part, target)
        finally:
            part.unlink(missing_ok=True)
    except (OSError, ValueError, SyntaxError, MemoryError, Image.DecompressionBombError) as error:
        raise UnreadableImageError(f"No thumbnail can be made of this image ({type(error).__name__}).") from error


def _put(part: Path, target: Path) -> None:
    """Give the picture its name; Windows refuses that while somebody reads the one that another request has made."""
    try:
        part.replace(target)
    except PermissionError:
        if not target.exists():
            raise


def _shrunk(source: Path) -> Image.Image:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about sizes, which are checked here
        with Image.open(source) as opened:
            if opened.width * opened.height > MOST_PIXELS:
                raise ValueError("too many pixels")
            opened.draft("RGB", (LONG_EDGE, LONG_EDGE))  # a JPEG decodes at an eighth of the work
            made = _plain(ImageOps.exif_transpose(_in_eight_bits(opened)))
            made.thumbnail((LONG_EDGE, LONG_EDGE))
    made.info = {}
    return made


def _in_eight_bits(picture: Image.Image) -> Image.Image:
    """Return 16 bits of grey as 8; Pillow would cut them off instead of scaling."""
    if not picture.mode.startswith("I"):
        return picture
    return picture.convert("I").point(lambda value: value * (1 / 256)).convert("L")


def _plain(picture: Image.Image) -> Image.Image:
    """Return the picture in a mode that WebP knows, its transparency kept."""
    has_alpha = "A" in picture.getbands() or "transparency" in picture.info
    return picture.convert("RGBA" if has_alpha else "RGB")
