"""Say what images tell, for the command line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ..core.errors import PantryError
from ..recipes.draft import Draft, draft_to_json
from ..recipes.reader import read_image

SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".avif"})


def image_files(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield the files named, and the images of the folders named, in order."""
    for path in paths:
        if path.is_dir():
            yield from sorted(one for one in path.rglob("*") if one.suffix.lower() in SUFFIXES and one.is_file())
        else:
            yield path


def described(path: Path) -> dict[str, Any]:
    """Return what an image says in the shape of a recipe, or ``{"source", "error"}`` where it cannot be read."""
    source: dict[str, Any] = {"path": str(path), "generator": None, "carriers": []}
    try:
        reading = read_image(path)
    except PantryError as error:
        return {"source": source, "error": {"code": error.code, "message": str(error)}}
    draft = reading.draft or Draft()
    source.update(generator=draft.generator, carriers=list(reading.carriers))
    return {"source": source, **draft_to_json(draft)}
