"""Read the ``<id>.recipe.json`` files that LoRA Manager keeps, for people who move to Pantry.

What such a file says about deleted models is not taken over: it may have been written after a refusal. The models are
looked up like those of any image.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath
from typing import Any

from ..core.errors import UnreadableImageError
from .draft import Reading
from .parsers.lora_manager import draft_of
from .values import to_float, to_text

ENDING = ".recipe.json"
MAX_BYTES = 4 * 1024 * 1024
FOREIGN = "This is not a recipe of LoRA Manager, or it is damaged; import its picture instead."


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """Hold what a recipe brings along besides what its image says; `created_at` in seconds since the epoch."""

    title: str | None = None
    tags: tuple[str, ...] = ()
    favourite: bool = False
    created_at: float | None = None
    source: str | None = None


def read_recipe_file(path: Path) -> tuple[Reading, Kept]:
    """Return what the file says and what it brings along; raise `UnreadableImageError` or OSError."""
    content = path.read_bytes() if path.stat().st_size <= MAX_BYTES else b""
    try:
        data = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise UnreadableImageError(FOREIGN) from error
    if not isinstance(data, dict) or not isinstance(data.get("gen_params", {}), dict) or "loras" not in data:
        raise UnreadableImageError(FOREIGN)
    reading = Reading(
        draft=draft_of(data),
        carriers=("file:recipe.json",),
        container="json",
        content_hash=hashlib.blake2b(content, digest_size=16).hexdigest(),
    )
    return reading, _kept(data, path)


def _kept(data: dict[str, Any], path: Path) -> Kept:
    tags = data.get("tags")
    return Kept(
        title=to_text(data.get("title")),
        tags=tuple(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else (),
        favourite=data.get("favorite") is True,
        created_at=to_float(data.get("created_date")),
        source=_picture(data.get("file_path"), path),
    )


def _picture(told: Any, path: Path) -> str | None:
    """Return the picture of the recipe, which LoRA Manager keeps beside the file.

    A picture elsewhere is not taken over, whatever the file names: it would be shown to whoever brought the file.
    """
    name = PureWindowsPath(told).name if isinstance(told, str) else ""  # which knows both slashes
    for picture in (name, path.name.removesuffix(ENDING) + ".webp"):
        if picture and path.with_name(picture).is_file():
            return str(path.with_name(picture))
    return None
