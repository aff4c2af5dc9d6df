"""Change what a person may change of a recipe; the functions that take a connection run inside a transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from ..core.errors import InvalidRequestError
from . import store_rows
from .nsfw import LEVELS, is_level

MAX_RATING = 5
_EDITABLE: dict[str, tuple[type | tuple[type, ...], str]] = {
    "title": (str, "text"),
    "tags": ((list, tuple), "a list of words"),
    "favourite": (bool, "true or false"),
    "rating": ((int, type(None)), f"between 0 and {MAX_RATING}"),
    "notes": (str, "text"),
    "nsfw_level": ((int, type(None)), f"one of {LEVELS}, or null"),
}


def checked_changes(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the changes; raise `InvalidRequestError` where one is not possible."""
    for name, value in changes.items():
        if name not in _EDITABLE:
            raise InvalidRequestError(f"A recipe's {name!r} cannot be changed.")
        kind, wanted = _EDITABLE[name]
        if not isinstance(value, kind) or (name == "rating" and isinstance(value, bool)):
            raise InvalidRequestError(f"A recipe's {name} must be {wanted}.")
    if not all(isinstance(tag, str) for tag in changes.get("tags", ())):
        raise InvalidRequestError("A recipe's tags must be a list of words.")
    rating = changes.get("rating") or 0  # null takes a rating away
    if not 0 <= rating <= MAX_RATING:
        raise InvalidRequestError(f"A recipe's rating must be between 0 and {MAX_RATING}.")
    if changes.get("nsfw_level") is not None and not is_level(changes["nsfw_level"]):
        raise InvalidRequestError(f"A recipe's nsfw_level must be one of {LEVELS}, or null.")
    return {**changes, **({"rating": rating} if "rating" in changes else {})}


def change(connection: sqlite3.Connection, recipe_id: str, changes: Mapping[str, Any], now: float) -> bool:
    """Write checked changes; return whether there was such a recipe."""
    row = connection.execute("SELECT number FROM recipes WHERE id = ?", (recipe_id,)).fetchone()
    if row is None:
        return False
    number = row["number"]
    if "tags" in changes:
        store_rows.set_tags(connection, number, changes["tags"])
    columns = {name: value for name, value in changes.items() if name != "tags"} | {"updated_at": now}
    names = ", ".join(f"{name} = :{name}" for name in columns)
    connection.execute(f"UPDATE recipes SET {names} WHERE number = {number:d}", columns)
    store_rows.index(connection, number)
    return True


def retag(
    connection: sqlite3.Connection, recipe_id: str, now: float, *, add: Sequence[str] = (), remove: Sequence[str] = ()
) -> bool:
    """Add and remove tags of a recipe, whatever their case; return whether anything changed."""
    row = connection.execute("SELECT number FROM recipes WHERE id = ?", (recipe_id,)).fetchone()
    if row is None:
        return False
    before = store_rows.tags_of(connection, row["number"])
    unwanted = {tag.strip().casefold() for tag in remove}
    after = [tag for tag in before if tag.casefold() not in unwanted]
    present = {tag.casefold() for tag in after}
    after += [tag.strip() for tag in add if tag.strip() and tag.strip().casefold() not in present]
    return after != before and change(connection, recipe_id, {"tags": after}, now)
