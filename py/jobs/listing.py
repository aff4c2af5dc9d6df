"""List the image files of folders, in batches, without holding a folder of 100,000 in memory."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterable, Iterator

from .request import ImportRequest

# What py/recipes/containers can open.
IMAGE_SUFFIXES = frozenset(
    {".png", ".jpg", ".jpeg", ".jfif", ".webp", ".avif", ".heic", ".jxl", ".gif", ".mp4", ".webm"}
)

RECIPE_ENDING = ".recipe.json"  # LoRA Manager's


def list_files(request: ImportRequest) -> Iterator[str]:
    """Yield the absolute paths to import, each once; a folder that cannot be read is passed over.

    Links to folders are not followed, since they may lead in circles. The names of a folder are held as plain text:
    a hundred thousand objects would make Python's collector stop the world.
    """
    yield from _without_told(list(map(str, request.files)))
    for directory in request.directories:
        yield from _walk(str(directory), "", request)


def _walk(folder: str, below: str, request: ImportRequest) -> Iterator[str]:
    """Yield what a folder holds that lies `below` (with ``/`` between, and at the end) the directory asked for."""
    try:
        with os.scandir(folder) as entries:
            inner, files = _sorted_out(below, entries, request)
    except OSError:
        return
    yield from (os.path.join(folder, name) for name in _without_told(files))  # noqa: PTH118 - see above
    if request.recursive:
        for name in inner:
            yield from _walk(os.path.join(folder, name), f"{below}{name}/", request)  # noqa: PTH118 - see above


def _without_told(files: list[str]) -> Iterator[str]:
    """Leave out pictures beside a recipe of LoRA Manager of the same name, which says more than they do."""
    told = {name.removesuffix(RECIPE_ENDING) for name in files if name.endswith(RECIPE_ENDING)}
    return (name for name in files if _stem(name) not in told)


def _sorted_out(below: str, entries: Iterable[os.DirEntry[str]], request: ImportRequest) -> tuple[list[str], list[str]]:
    """Return the names of the folders inside and of the files to import, each in order."""
    inner, files = [], []
    for entry in entries:
        path = below + entry.name
        if _matches(path, request.exclude):
            continue
        if entry.is_dir(follow_symlinks=False):
            inner.append(entry.name)
        elif _is_wanted(entry.name, path, request):
            files.append(entry.name)
    return sorted(inner), sorted(files)


def _is_wanted(name: str, path: str, request: ImportRequest) -> bool:
    ending = os.path.splitext(name)[1]  # noqa: PTH122 - see above
    known = ending.lower() in IMAGE_SUFFIXES or name.endswith(RECIPE_ENDING)
    return known and not name.startswith(".") and (not request.include or _matches(path, request.include))


def _stem(name: str) -> str:
    return os.path.splitext(name)[0]  # noqa: PTH122 - see above


def _matches(below: str, globs: tuple[str, ...]) -> bool:
    """Whether a glob fits the path below the directory or its last part; ``*`` also stands for ``/``."""
    name = below.rsplit("/", 1)[-1]
    return any(fnmatch.fnmatch(below, glob) or fnmatch.fnmatch(name, glob) for glob in globs)
