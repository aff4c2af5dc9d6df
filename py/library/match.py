"""Find the one model file on this machine that a recipe means; runs on a database thread."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any

from ..recipes.values import normalised_name
from .models import ModelFile
from .store import files_of

# Which of ComfyUI's folders can hold what a recipe names in each role.
TYPES: Mapping[str, tuple[str, ...]] = {
    "checkpoint": ("checkpoints", "diffusion_models", "unet", "unet_gguf"),
    "loras": ("loras",),
    "embeddings": ("embeddings",),
    "vae": ("vae",),
}
# Words that tell families of base models apart, in the order in which they are looked for.
_FAMILIES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("flux", ("flux",)),
    ("sdxl", ("sdxl", "sd_xl", "stable-diffusion-xl", "illustrious", "pony", "noobai")),
    ("sd3", ("sd 3", "sd3", "stable-diffusion-v3")),
    ("sd2", ("sd 2", "sd2", "sd_v2", "stable-diffusion-v2")),
    ("sd1", ("sd 1", "sd1", "sd_v1", "sd_1", "stable-diffusion-v1")),
    ("wan", ("wan",)),
    ("hunyuan", ("hunyuan",)),
    ("qwen", ("qwen",)),
)


def find_file(
    connection: sqlite3.Connection, role: str, use: Mapping[str, Any], base_model: str | None
) -> ModelFile | None:
    """Return the file that has the use's hash, else the only one of its name, role and family of base model."""
    hashes = {use["hash_type"]: use["hash"]} if use.get("hash") and use.get("hash_type") else {}
    for kind, value in {**(use.get("aliases") or {}), **hashes}.items():
        found = _by_hash(connection, kind, value)
        if found is not None:
            return found
    # A use that names a hash means that very file; another of the same name will not do.
    return None if hashes or not use.get("name") else _by_name(connection, role, use["name"], base_model)


def family(base_model: str | None) -> str | None:
    """Return the family of a base model as vendors and trainers write it, or None where it is not known."""
    text = (base_model or "").lower()
    return next((name for name, words in _FAMILIES if any(word in text for word in words)), None)


def _by_hash(connection: sqlite3.Connection, kind: str, value: str) -> ModelFile | None:
    sql = "SELECT file FROM model_hashes WHERE kind = ? AND value = ? ORDER BY file LIMIT 1"
    row = connection.execute(sql, (kind, value)).fetchone()
    return files_of(connection, [row[0]])[0] if row else None


def _by_name(connection: sqlite3.Connection, role: str, name: str, base_model: str | None) -> ModelFile | None:
    rows = connection.execute("SELECT number FROM model_files WHERE name = ? LIMIT 20", (normalised_name(name),))
    types = TYPES.get(role)
    named = [one for one in files_of(connection, [row[0] for row in rows]) if types is None or one.type in types]
    fitting = [one for one in named if _may_belong(one, base_model)]
    # Copies of one file are one model.
    distinct = {one.hashes.get("sha256") or one.path: one for one in fitting}
    return fitting[0] if len(distinct) == 1 else None


def _may_belong(file: ModelFile, base_model: str | None) -> bool:
    """Tell whether a file's base model is not another than the recipe's; what is not known may be right."""
    own, wanted = family(file.base_model or file.facts.get("base_model")), family(base_model)
    return own is None or wanted is None or own == wanted
