"""Keep recipes in SQLite: find them, change them, and know which images already have one."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ..core.errors import InvalidRequestError, NotFoundError
from ..core.ports import Clock
from ..storage.database import Database, Row
from . import store_rows
from .store_filter import MAX_LIMIT, RecipeFilter, condition_of, order_of

__all__ = ["RecipeFilter", "RecipeStore"]

_TAGS = "(SELECT json_group_array(tag) FROM recipe_tags WHERE recipe = r.number) AS tags"
_COLUMNS = f"r.*, {_TAGS}"
_CHUNK = 400  # values in one statement, below SQLite's old limit of 999
_EDITABLE = {"title": str, "tags": list, "favourite": bool, "rating": int, "notes": str}
_MAX_RATING = 5


class RecipeStore:
    """Give recipes as the JSON of docs/reference/recipe.md."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def get(self, recipe_id: str) -> dict[str, Any] | None:
        """Return one recipe, or None."""
        sql = f"SELECT {_COLUMNS} FROM recipes r WHERE r.id = ? AND r.deleted_at IS NULL"
        row = await self._database.fetch_one(sql, (recipe_id,))
        return None if row is None else _to_json(row)

    async def list(self, wish: RecipeFilter) -> dict[str, Any]:
        """Return ``{"items", "next_cursor", "total"}``; raise `InvalidRequestError` on a bad sort or cursor."""
        condition, order, limit = condition_of(wish), order_of(wish.sort), max(1, min(wish.limit, MAX_LIMIT))
        count = f"SELECT COUNT(*) FROM recipes r WHERE {condition.sql}"
        where, values = condition.sql, list(condition.values)
        if wish.cursor:
            after = order.after(wish.cursor)
            where, values = f"{where} AND {after.sql}", values + after.values
        page = f"SELECT {_COLUMNS} FROM recipes r WHERE {where} ORDER BY {order.sql} LIMIT ? OFFSET ?"
        values += [limit + 1, max(0, wish.offset)]

        def both(connection: sqlite3.Connection) -> tuple[list[Row], int]:
            rows = connection.execute(page, values).fetchall()
            return rows, connection.execute(count, condition.values).fetchone()[0]

        rows, total = await self._database.read(both)
        last = rows[limit - 1] if len(rows) > limit else None
        cursor = None if last is None else order.cursor(last[order.column], last["number"])
        return {"items": [_to_json(row) for row in rows[:limit]], "next_cursor": cursor, "total": total}

    async def patch(self, recipe_id: str, changes: Mapping[str, Any]) -> dict[str, Any]:
        """Change title, tags, favourite, rating (0-5) or notes; return the recipe. Raises `NotFoundError`."""
        checked = _checked(changes)
        async with self._database.transaction() as tx:
            await tx.run(lambda connection: _change(connection, recipe_id, checked, self._clock.wall()))
        return await self.get(recipe_id) or {}

    async def delete(self, recipe_id: str) -> bool:
        """Take a recipe out of sight; `restore` brings it back. Return whether there was one."""
        return await self._set_deleted([recipe_id], self._clock.wall()) == 1

    async def restore(self, recipe_ids: Iterable[str]) -> int:
        """Bring deleted recipes back; return how many."""
        return await self._set_deleted(recipe_ids, None)

    async def source_path(self, recipe_id: str) -> Path | None:
        """Return where a recipe's image is, or None where it came from an address or is unknown."""
        sql = "SELECT source FROM recipes WHERE id = ? AND deleted_at IS NULL"
        row = await self._database.fetch_one(sql, (recipe_id,))
        if row is None or not row["source"] or "://" in row["source"]:
            return None
        return Path(row["source"])

    async def known_content(self, hashes: Iterable[str]) -> dict[str, str]:
        """Return the recipe's id for each content hash that has one."""
        return await self._database.read(lambda connection: known_content(connection, hashes))

    async def known_files(self, stamps: Mapping[str, tuple[int, int]]) -> dict[str, str]:
        """Return the recipe's id for each path whose file still has that (size, mtime in ns)."""

        def look(connection: sqlite3.Connection) -> dict[str, str]:
            sql = "SELECT source, source_size, source_mtime_ns, id FROM recipes WHERE deleted_at IS NULL AND source IN"
            rows = _in_chunks(connection, sql, stamps)
            return {source: found for source, size, mtime, found in rows if stamps[source] == (size, mtime)}

        return await self._database.read(look)

    async def known_sources(self, sources: Iterable[str]) -> dict[str, str]:
        """Return the recipe's id for each source (path or address) that has one."""
        sql = "SELECT source, id FROM recipes WHERE deleted_at IS NULL AND source IN"
        return dict(await self._database.read(lambda connection: _in_chunks(connection, sql, sources)))

    async def _set_deleted(self, recipe_ids: Iterable[str], when: float | None) -> int:
        sql = "UPDATE recipes SET deleted_at = ? WHERE id = ? AND (deleted_at IS NULL) = ?"
        rows = [(when, one, when is not None) for one in recipe_ids]
        async with self._database.transaction() as tx:
            return await tx.execute_many(sql, rows)


def known_content(connection: sqlite3.Connection, hashes: Iterable[str]) -> dict[str, str]:
    """Return the recipe's id for each content hash that has one; for use inside a transaction."""
    sql = "SELECT content_hash, id FROM recipes WHERE deleted_at IS NULL AND content_hash IN"
    return dict(_in_chunks(connection, sql, hashes))


def _in_chunks(connection: sqlite3.Connection, sql: str, values: Iterable[str]) -> list[tuple[Any, ...]]:
    listed, found = list(values), []
    for start in range(0, len(listed), _CHUNK):
        chunk = listed[start : start + _CHUNK]
        marks = ", ".join("?" * len(chunk))
        found += [tuple(row) for row in connection.execute(f"{sql} ({marks})", chunk)]
    return found


def _checked(changes: Mapping[str, Any]) -> dict[str, Any]:
    for name, value in changes.items():
        kind = _EDITABLE.get(name)
        if kind is None:
            raise InvalidRequestError(f"A recipe's {name!r} cannot be changed.")
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise InvalidRequestError(f"A recipe's {name} must be a {kind.__name__}.")
    if not all(isinstance(tag, str) for tag in changes.get("tags", ())):
        raise InvalidRequestError("Tags are text.")
    if not 0 <= changes.get("rating", 0) <= _MAX_RATING:
        raise InvalidRequestError(f"A rating is between 0 and {_MAX_RATING}.")
    return dict(changes)


def _change(connection: sqlite3.Connection, recipe_id: str, changes: dict[str, Any], now: float) -> None:
    sql = "SELECT number FROM recipes WHERE id = ? AND deleted_at IS NULL"
    row = connection.execute(sql, (recipe_id,)).fetchone()
    if row is None:
        raise NotFoundError("There is no such recipe.")
    number = row["number"]
    if "tags" in changes:
        store_rows.set_tags(connection, number, changes["tags"])
    columns = {name: value for name, value in changes.items() if name != "tags"} | {"updated_at": now}
    names = ", ".join(f"{name} = :{name}" for name in columns)
    connection.execute(f"UPDATE recipes SET {names} WHERE number = {number:d}", columns)
    store_rows.index(connection, number)


def _to_json(row: Row) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(row["body"])
    own = ("id", "title", "created_at", "updated_at", "rating", "notes", "missing", "same_as")
    return {
        **{name: row[name] for name in own},
        "favourite": bool(row["favourite"]),
        "tags": sorted(json.loads(row["tags"])),
        "thumbnail": f"/pantry/api/recipes/{row['id']}/thumbnail",
        **body,
    }
