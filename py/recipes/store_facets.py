"""Count what recipes have in common, for filters that show numbers."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from .store_filter import Condition

SHOWN = 50
_MODELS = """SELECT CASE WHEN m.vendor_name = '' THEN m.name ELSE m.vendor_name END AS value, COUNT(*) AS count
    FROM recipe_models m JOIN recipe_uses u ON u.model = m.number WHERE m.role = '{role}' {within} GROUP BY value"""
_QUESTIONS = {
    "checkpoints": ("u.recipe", _MODELS.replace("{role}", "checkpoint")),
    "loras": ("u.recipe", _MODELS.replace("{role}", "loras")),
    "base_models": (
        "r.number",
        "SELECT base_model AS value, COUNT(*) AS count FROM recipes r WHERE base_model IS NOT NULL {within} GROUP BY 1",
    ),
    "nsfw_levels": (
        "r.number",
        "SELECT ifnull(r.nsfw_level, 1) AS value, COUNT(*) AS count FROM recipes r WHERE 1 {within} GROUP BY 1",
    ),
    "tags": ("t.recipe", "SELECT tag AS value, COUNT(*) AS count FROM recipe_tags t WHERE 1 {within} GROUP BY 1"),
}


def facets(connection: sqlite3.Connection, conditions: Sequence[Condition]) -> dict[str, Any]:
    """Return the `SHOWN` commonest values of each kind as ``{"value", "count"}``, and three totals."""
    chosen, values = _chosen(conditions)
    found: dict[str, Any] = {}
    for name, (number, question) in _QUESTIONS.items():
        sql = question.replace("{within}", f"AND {number} IN ({chosen})" if chosen else "")
        rows = connection.execute(f"{sql} ORDER BY count DESC, value LIMIT {SHOWN}", values)
        found[name] = [{"value": row["value"], "count": row["count"]} for row in rows if row["value"]]
    within = f"r.number IN ({chosen})" if chosen else "1"
    for name, test in (("total", "1"), ("missing", "r.missing > 0"), ("favourites", "r.favourite = 1")):
        sql = f"SELECT COUNT(*) FROM recipes r WHERE {within} AND {test}"
        found[name] = connection.execute(sql, values).fetchone()[0]
    return found


def _chosen(conditions: Sequence[Condition]) -> tuple[str, list[Any]]:
    """Return a query for the numbers of the recipes that fulfil all conditions."""
    rows = " INTERSECT ".join(one.rows for one in conditions)
    return rows, [value for one in conditions for value in one.values]
