"""Keep which models recipes name, and how many of them are not on this machine; runs on a database thread.

Whether a model is here is written down by the library (py/library/presence.py); here it is only counted and told.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from .store_body import uses_of
from .values import normalised_name

_NAMED = "role = ? AND name = ? AND hash = ? AND version_id = ? AND vendor_name = ?"
_MISSING = """(SELECT COUNT(*) FROM recipe_uses u JOIN recipe_models m ON m.number = u.model
    WHERE u.recipe = recipes.number AND m.here = 0)"""


def link_models(connection: sqlite3.Connection, number: int, body: Mapping[str, Any]) -> None:
    """Make a recipe findable by the models that it names, and count those that are known not to be here."""
    for role, _, use in uses_of(body):
        named = _naming(role, use)
        connection.execute(
            "INSERT OR IGNORE INTO recipe_models (role, name, hash, version_id, vendor_name) VALUES (?, ?, ?, ?, ?)",
            named,
        )
        connection.execute(
            f"INSERT OR IGNORE INTO recipe_uses (model, recipe) SELECT number, ? FROM recipe_models WHERE {_NAMED}",
            (number, *named),
        )
    connection.execute(f"UPDATE recipes SET missing = {_MISSING} WHERE number = ? AND missing != {_MISSING}", (number,))


def count_missing(connection: sqlite3.Connection, models: Sequence[int]) -> list[int]:
    """Count anew in the recipes that name one of the models; return those whose count has changed, by row number."""
    sql = f"""SELECT number FROM recipes WHERE number IN (SELECT recipe FROM recipe_uses
        WHERE model IN (SELECT value FROM json_each(?))) AND missing != {_MISSING}"""
    changed = [number for (number,) in connection.execute(sql, (json.dumps([*models]),))]
    sql = f"UPDATE recipes SET missing = {_MISSING} WHERE number IN (SELECT value FROM json_each(?))"
    connection.execute(sql, (json.dumps(changed),))
    return changed


def ids_of(connection: sqlite3.Connection, numbers: Sequence[int]) -> list[str]:
    """Return the ids of recipes by row number."""
    sql = "SELECT id FROM recipes WHERE number IN (SELECT value FROM json_each(?))"
    return [recipe_id for (recipe_id,) in connection.execute(sql, (json.dumps([*numbers]),))]


def tell_here(connection: sqlite3.Connection, number: int, body: Mapping[str, Any]) -> None:
    """Add `here` to every model of a recipe's body: true, false, or null where nobody can tell."""
    sql = """SELECT m.role, m.name, m.hash, m.version_id, m.vendor_name, m.here FROM recipe_uses u
        JOIN recipe_models m ON m.number = u.model WHERE u.recipe = ?"""
    known = {tuple(row)[:5]: row["here"] for row in connection.execute(sql, (number,))}
    for role, _, use in uses_of(body):
        here = known.get(_naming(role, use))
        use["here"] = None if here is None else bool(here)


def _naming(role: str, use: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what tells one way of naming a model from another."""
    name, version = normalised_name(use.get("name") or ""), use.get("model_version_id") or 0
    return role, name, use.get("hash") or "", version, use.get("vendor_name") or ""
