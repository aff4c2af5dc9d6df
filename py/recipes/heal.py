"""Complete stored recipes when a model turns up that they name; runs on a database thread.

Only uses that nobody could answer change; what the image says, and what a vendor said, stays as it is.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from typing import Any

from ..core.outcomes import LookupKey
from . import store_rows
from .draft import ModelUse
from .references import reference_key
from .store_body import ModelAnswer, absent_models, base_model_of, uses_of
from .store_models import link_models

# Given role, use and the recipe's base model, return what is known now, or None.
Answer = Callable[[str, Mapping[str, Any], "str | None"], "ModelAnswer | None"]
_OPEN = ("absent", "unlisted")


def open_recipes(
    connection: sqlite3.Connection, *, names: Iterable[str] = (), hashes: Iterable[str] = (), ids: Iterable[int] = ()
) -> list[int]:
    """Return the recipes that name such a model and have no answer for it, by row number."""
    wanted = json.dumps([*names]), json.dumps([*hashes]), json.dumps([*ids])
    sql = """SELECT DISTINCT u.recipe FROM recipe_models m JOIN recipe_uses u ON u.model = m.number
        WHERE m.vendor_name = '' AND (m.name IN (SELECT value FROM json_each(?))
            OR (m.hash != '' AND m.hash IN (SELECT value FROM json_each(?)))
            OR (m.version_id != 0 AND m.version_id IN (SELECT value FROM json_each(?))))"""
    return [row[0] for row in connection.execute(sql, wanted)]


def numbers_of(connection: sqlite3.Connection, recipe_ids: Iterable[str]) -> list[int]:
    """Return the row numbers of recipes that have a model without an answer."""
    sql = """SELECT DISTINCT r.number FROM recipes r JOIN recipe_uses u ON u.recipe = r.number
        JOIN recipe_models m ON m.number = u.model
        WHERE m.vendor_name = '' AND r.id IN (SELECT value FROM json_each(?))"""
    return [row[0] for row in connection.execute(sql, (json.dumps([*recipe_ids]),))]


def absent_keys(connection: sqlite3.Connection) -> list[LookupKey]:
    """Return what recipes call absent, as it was looked up."""
    found: dict[LookupKey, None] = {}
    for (text,) in connection.execute("SELECT body FROM recipes WHERE absent > 0"):
        for _, _, use in uses_of(json.loads(text)):
            if use.get("state") == "absent":
                found.update(dict.fromkeys(keys_of_use(use)[:1]))
    return list(found)


def keys_of_use(use: Mapping[str, Any]) -> list[LookupKey]:
    """Return the names under which a vendor may know a use, the one that was looked up first."""
    hashes = {**(use.get("aliases") or {})}
    if use.get("hash") and use.get("hash_type"):
        hashes[use["hash_type"]] = use["hash"]
    best = reference_key(ModelUse(aliases=hashes, model_version_id=use.get("model_version_id")))
    others = [LookupKey(kind, value) for kind, value in hashes.items()]
    return list(dict.fromkeys([*([best] if best else []), *others]))


def heal(connection: sqlite3.Connection, number: int, answer: Answer, now: float) -> str | None:
    """Complete one recipe; return its id where anything has changed."""
    row = connection.execute("SELECT id, body FROM recipes WHERE number = ?", (number,)).fetchone()
    if row is None:
        return None
    body: dict[str, Any] = json.loads(row["body"])
    if not _complete(body, answer):
        return None
    body["base_model"] = body["base_model"] or base_model_of(body)
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    values = (text, body["base_model"], absent_models(body), now, number)
    sql = "UPDATE recipes SET body = ?, base_model = ?, absent = ?, updated_at = ? WHERE number = ?"
    connection.execute(sql, values)
    connection.execute("DELETE FROM recipe_uses WHERE recipe = ?", (number,))
    link_models(connection, number, body)
    store_rows.index(connection, number)
    return str(row["id"])


def _complete(body: dict[str, Any], answer: Answer) -> bool:
    healed = False
    for role, _, use in uses_of(body):
        found = answer(role, use, body["base_model"]) if use.get("state") in _OPEN else None
        if found is not None:
            told = {name: value for name, value in asdict(found).items() if value is not None}
            use.update({name: value for name, value in told.items() if use.get(name) is None})
            use["state"], use["source"] = found.state, found.source
            healed = True
    return healed
