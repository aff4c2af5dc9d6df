"""Count what recipes have in common, for filters that show numbers."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

from ..storage.database import Row
from .store_filter import Condition, Query, numbers_of

SHOWN = 50
_MARKS = """SELECT base_model, ifnull(nsfw_level, 1) AS nsfw_level, missing > 0 AS missing, favourite, COUNT(*) AS count
    FROM recipes r INDEXED BY recipes_by_marks WHERE 1 {within} GROUP BY base_model, nsfw_level, missing, favourite"""
_TAGS = "SELECT tag AS value, COUNT(*) AS count FROM recipe_tags r WHERE 1 {within} GROUP BY 1"
# Recipes are counted for each way of naming a model before ways are put together, which takes half the time.
_MODELS = """SELECT m.role, CASE WHEN m.vendor_name = '' THEN m.name ELSE m.vendor_name END AS value, SUM(n) AS count
    FROM (SELECT r.model, COUNT(*) AS n FROM recipe_uses r WHERE 1 {within} GROUP BY r.model) u
    CROSS JOIN recipe_models m ON m.number = u.model WHERE m.role IN ('checkpoint', 'loras') GROUP BY m.role, value"""
_ROLES = (("checkpoints", "checkpoint"), ("loras", "loras"))


def facets(connection: sqlite3.Connection, conditions: Sequence[Condition]) -> dict[str, Any]:
    """Return the `SHOWN` commonest values of each kind as ``{"value", "count"}``, and three totals."""
    chosen = numbers_of(connection, conditions) if conditions else None
    models = _rows(connection, _MODELS, "r.recipe", chosen)
    marks = _rows(connection, _MARKS, "r.number", chosen)
    return {
        **{name: _told((row["value"], row["count"]) for row in models if row["role"] == role) for name, role in _ROLES},
        "base_models": _told((row["base_model"], row["count"]) for row in marks),
        "nsfw_levels": _told((row["nsfw_level"], row["count"]) for row in marks),
        "tags": _told((row["value"], row["count"]) for row in _rows(connection, _TAGS, "r.recipe", chosen)),
        "total": sum(row["count"] for row in marks),
        "missing": sum(row["count"] for row in marks if row["missing"]),
        "favourites": sum(row["count"] for row in marks if row["favourite"]),
    }


def _rows(connection: sqlite3.Connection, question: str, number: str, chosen: Query | None) -> list[Row]:
    """Ask within what is chosen; the plus keeps SQLite from looking up each of many thousand recipes in turn."""
    within = "" if chosen is None else f"AND +{number} IN ({chosen.sql})"
    return connection.execute(question.replace("{within}", within), chosen.values if chosen else ()).fetchall()


def _told(pairs: Iterable[tuple[Any, int]]) -> list[dict[str, Any]]:
    """Add up the counts of each value, and return the commonest values that are not empty."""
    sums: dict[Any, int] = {}
    for value, count in pairs:
        sums[value] = sums.get(value, 0) + count
    named = [{"value": value, "count": count} for value, count in sums.items() if value]
    return sorted(named, key=lambda one: (-one["count"], one["value"]))[:SHOWN]
