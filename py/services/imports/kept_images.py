"""Read an image that is only in memory, and keep it, so that its recipe has a picture."""

from __future__ import annotations

from pathlib import Path

from ...core.errors import UnreadableImageError
from ...jobs.zips import ZipReader
from ...recipes.reader import read_bytes
from .read_images import Read, ReadImage, Unreadable


def read_and_keep(data: bytes, name: str, folder: Path) -> Read:
    """Return what an image says, with its place in `folder` under a name of our own; raise `UnreadableImageError`."""
    reading = read_bytes(data, name)
    suffix = reading.container if reading.container.isalnum() else "img"
    path = folder / f"{reading.content_hash}.{suffix}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        part.write_bytes(data)
        part.replace(path)
    except OSError as error:
        return Unreadable(
            f"The image cannot be kept: {error.strerror}. See to room on the disk of Pantry's data, then retry."
        )
    return ReadImage(reading, len(data), 0, image=str(path))


def read_zipped(zips: ZipReader, source: str, name: str, folder: Path) -> Read:
    """Return what an image in a zip says; never raises for what is in it."""
    try:
        return read_and_keep(zips.read(source), name, folder)
    except UnreadableImageError as error:
        return Unreadable(str(error))
