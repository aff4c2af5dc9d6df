"""Name the images inside a zip, each as ``<path of the zip>!/<name inside>``."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from ..core.paths import path_of
from .listing import IMAGE_SUFFIXES

INSIDE = "!/"
MAX_MEMBERS = 200_000
MAX_BYTES = 64 * 1024 * 1024  # of one image, unpacked


def is_inside(source: str) -> bool:
    """Whether a source names an image in a zip."""
    return f".zip{INSIDE}" in source.lower()


def members(path: Path) -> Iterator[tuple[str, str]]:
    """Yield source and name of every image in a zip; of a file that is no zip, the file itself, which then fails."""
    try:
        with zipfile.ZipFile(path) as archive:
            infos = archive.infolist()[:MAX_MEMBERS]
    except (zipfile.BadZipFile, OSError, ValueError):
        yield str(path), path.name
        return
    for info in infos:
        name = PurePosixPath(info.filename)
        hidden = any(part.startswith((".", "__MACOSX")) for part in name.parts)
        if name.suffix.lower() in IMAGE_SUFFIXES and not hidden and not info.is_dir():
            yield f"{path}{INSIDE}{info.filename}", name.name


def read_member(source: str) -> bytes | None:
    """Return an image's bytes, or None where it is above `MAX_BYTES`; raise OSError, BadZipFile or KeyError.

    Nothing is unpacked to a path that the zip names.
    """
    at = source.lower().index(f".zip{INSIDE}") + len(".zip")
    with zipfile.ZipFile(path_of(source[:at])) as archive, archive.open(source[at + len(INSIDE) :]) as member:
        data = member.read(MAX_BYTES + 1)
    return data if len(data) <= MAX_BYTES else None
