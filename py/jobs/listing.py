"""List the image files of folders, in batches, without holding a folder of 100,000 in memory."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from .request import ImportRequest

# What py/recipes/containers can open.
IMAGE_SUFFIXES = frozenset(
    {".png", ".jpg", ".jpeg", ".jfif", ".webp", ".avif", ".heic", ".jxl", ".gif", ".mp4", ".webm"}
)

RECIPE_ENDING = ".recipe.json"  # LoRA Manager's


def list_files(request: ImportRequest) -> Iterator[Path]:
    """Yield the absolute paths to import, each once; a folder that cannot be read is passed over.

    Links to folders are not followed, since they may lead in circles.
    """
    yield from request.files
    for directory in request.directories:
        yield from _walk(directory, directory, request)


def _walk(root: Path, folder: Path, request: ImportRequest) -> Iterator[Path]:
    try:
        with os.scandir(folder) as entries:
            inner, files = _sorted_out(root, entries, request)
    except OSError:
        return
    # A recipe of LoRA Manager says more than the picture of the same name beside it.
    told = {path.name.removesuffix(RECIPE_ENDING) for path in files if path.name.endswith(RECIPE_ENDING)}
    yield from (path for path in files if path.stem not in told)
    if request.recursive:
        for one in inner:
            yield from _walk(root, one, request)


def _sorted_out(
    root: Path, entries: Iterable[os.DirEntry[str]], request: ImportRequest
) -> tuple[list[Path], list[Path]]:
    """Return the folders inside and the files to import, each in order."""
    inner, files = [], []
    for entry in entries:
        path = Path(entry.path)
        below = path.relative_to(root).as_posix()
        if _matches(below, request.exclude):
            continue
        if entry.is_dir(follow_symlinks=False):
            inner.append(path)
        elif _is_wanted(path, below, request):
            files.append(path)
    return sorted(inner), sorted(files)


def _is_wanted(path: Path, below: str, request: ImportRequest) -> bool:
    known = path.suffix.lower() in IMAGE_SUFFIXES or path.name.endswith(RECIPE_ENDING)
    return known and not path.name.startswith(".") and (not request.include or _matches(below, request.include))


def _matches(below: str, globs: tuple[str, ...]) -> bool:
    """Whether a glob fits the path below the root or its last part; ``*`` also stands for ``/``."""
    name = below.rsplit("/", 1)[-1]
    return any(fnmatch.fnmatch(below, glob) or fnmatch.fnmatch(name, glob) for glob in globs)
