"""List the image files of folders, in batches, without holding a folder of 100,000 in memory."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterator
from pathlib import Path

from .request import ImportRequest

# What py/recipes/containers can open.
IMAGE_SUFFIXES = frozenset(
    {".png", ".jpg", ".jpeg", ".jfif", ".webp", ".avif", ".heic", ".jxl", ".gif", ".mp4", ".webm"}
)


def list_files(request: ImportRequest) -> Iterator[Path]:
    """Yield the absolute paths to import, each once; a folder that cannot be read is passed over.

    Links to folders are not followed, since they may lead in circles.
    """
    yield from request.files
    for directory in request.directories:
        yield from _walk(directory, directory, request)


def _walk(root: Path, folder: Path, request: ImportRequest) -> Iterator[Path]:
    folders = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                path = Path(entry.path)
                below = path.relative_to(root).as_posix()
                if _matches(below, request.exclude):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    folders.append(path)
                elif _is_wanted(path, below, request):
                    yield path
    except OSError:
        return
    if request.recursive:
        for one in sorted(folders):
            yield from _walk(root, one, request)


def _is_wanted(path: Path, below: str, request: ImportRequest) -> bool:
    if path.suffix.lower() not in IMAGE_SUFFIXES or path.name.startswith("."):
        return False
    return not request.include or _matches(below, request.include)


def _matches(below: str, globs: tuple[str, ...]) -> bool:
    """Whether a glob fits the path below the root or its last part; ``*`` also stands for ``/``."""
    name = below.rsplit("/", 1)[-1]
    return any(fnmatch.fnmatch(below, glob) or fnmatch.fnmatch(name, glob) for glob in globs)
