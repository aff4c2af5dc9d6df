"""Carry recipes out of the store and back in, as JSON Lines; bringing the same file in twice changes nothing."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..core.errors import InvalidRequestError
from . import store_rows
from .draft import Draft, draft_to_json
from .nsfw import is_level
from .store_rows import NewRecipe

FORMAT = "comfyui-pantry recipes"
VERSION = 1
MAX_LINE = 4 * 1024 * 1024  # characters
# What sqlite3 raises for a value of a kind that it cannot store, by Python version, and for one that must not be.
_MISFITS = (sqlite3.InterfaceError, sqlite3.ProgrammingError, sqlite3.IntegrityError)
_SHAPE: dict[str, Any] = {"id": str, "title": str, "created_at": (int, float), "body": dict}
_EMPTY_BODY: dict[str, Any] = {**draft_to_json(Draft()), "base_model": None, "source": {}}
_EMPTY_BODY |= {"origins": {}, "reader_notes": []}


@dataclass(slots=True)
class Brought:
    """Count what became of the lines of a file."""

    added: int = 0
    known: int = 0
    broken: int = 0


def header() -> str:
    """Return the first line of a file."""
    return json.dumps({"format": FORMAT, "version": VERSION})


def check_header(line: str) -> None:
    """Raise `InvalidRequestError` where the file is not one of ours, or of a newer Pantry."""
    data = _load(line)
    if data is None or data.get("format") != FORMAT:
        raise InvalidRequestError("This file does not hold recipes of Pantry.")
    if data.get("version") != VERSION:
        raise InvalidRequestError("This file was written by a newer Pantry: update Pantry to read it.")


def lines_after(connection: sqlite3.Connection, number: int, limit: int) -> tuple[list[str], int]:
    """Return lines for the next recipes behind a row number, and the number to go on from."""
    sql = "SELECT number, id FROM recipes WHERE number > ? ORDER BY number LIMIT ?"
    rows = connection.execute(sql, (number, limit)).fetchall()
    recipes = (store_rows.read(connection, row["id"]) for row in rows)
    lines = [json.dumps(found[1].to_json(), ensure_ascii=False) for found in recipes if found is not None]
    return lines, rows[-1]["number"] if rows else number


def bring_in(connection: sqlite3.Connection, lines: Sequence[str], permit: Callable[[str], bool]) -> Brought:
    """Store the recipes of lines that are not there yet, by id or by their image's content.

    Where `permit` refuses the place of an image, the recipe comes without it: a file from elsewhere must not make
    us show any file of this machine.
    """
    brought = Brought()
    for line in lines:
        recipe = _recipe(line, permit)
        if recipe is None:
            brought.broken += 1
        elif _is_known(connection, recipe):
            brought.known += 1
        elif _stored(connection, recipe):
            brought.added += 1
        else:
            brought.broken += 1
    return brought


def _stored(connection: sqlite3.Connection, recipe: NewRecipe) -> bool:
    """Store a recipe whole, or nothing of it where its shape is not what it should be."""
    connection.execute("SAVEPOINT line")
    try:
        store_rows.insert(connection, recipe)
    except (TypeError, ValueError, KeyError, AttributeError, *_MISFITS):
        connection.execute("ROLLBACK TO line")
        return False
    finally:
        connection.execute("RELEASE line")
    return True


def _is_known(connection: sqlite3.Connection, recipe: NewRecipe) -> bool:
    sql = "SELECT 1 FROM recipes WHERE id = ? OR (content_hash IS NOT NULL AND content_hash = ?) LIMIT 1"
    return connection.execute(sql, (recipe.id, recipe.content_hash)).fetchone() is not None


def _recipe(line: str, permit: Callable[[str], bool]) -> NewRecipe | None:
    """Return the recipe of a line, or None where it does not hold one."""
    data = _load(line)
    if data is None or not all(isinstance(data.get(name), kind) for name, kind in _SHAPE.items()):
        return None
    if not re.fullmatch(r"[0-9A-Za-z-]{1,64}", data["id"]):
        return None
    body = {**_EMPTY_BODY, **{name: data["body"][name] for name in _EMPTY_BODY.keys() & data["body"].keys()}}
    source = data["source"] if isinstance(data.get("source"), str) and permit(data["source"]) else None
    level = data.get("nsfw_level")
    own = {"body": body, "source": source, "image": None, "nsfw_level": level if is_level(level) else None}
    return NewRecipe.from_json({**data, **own})


def _load(line: str) -> dict[str, Any] | None:
    if len(line) > MAX_LINE:
        return None
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None
