"""Keep recipes in SQLite: find them, change them, and know which images already have one."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from ..core.errors import InvalidRequestError, NotFoundError
from ..core.paths import path_of
from ..core.ports import Clock
from ..storage.database import Database, Row
from . import store_rows
from .store_edit import change, checked_changes, retag
from .store_facets import facets
from .store_filter import COUNTED, RecipeFilter, conditions_of, count, page_queries
from .store_models import tell_here
from .store_order import order_of

__all__ = ["RecipeFilter", "RecipeStore"]

T = TypeVar("T")

_TAGS = "(SELECT json_group_array(tag) FROM recipe_tags WHERE recipe = r.number) AS tags"
_COLUMNS = f"r.*, {_TAGS}"
MAX_LIMIT = 500
TRASH_SECONDS = 30 * 86_400
_CHUNK = 400  # values in one statement, below SQLite's old limit of 999


class RecipeStore:
    """Give recipes as the JSON of docs/reference/recipe.md."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def get(self, recipe_id: str) -> dict[str, Any] | None:
        """Return one recipe, each of its models with `here`, or None."""
        return await self._database.read(lambda connection: _one(connection, recipe_id))

    async def list(self, wish: RecipeFilter) -> dict[str, Any]:
        """Return ``{"items", "next_cursor", "total", "total_is_exact"}``; raise `InvalidRequestError`.

        A combination of conditions is counted up to 10,000 only.
        """
        wish = replace(wish, limit=max(1, min(wish.limit, MAX_LIMIT)))
        order, conditions = order_of(wish.sort), conditions_of(wish)

        def look(connection: sqlite3.Connection) -> tuple[list[Row], int]:
            total, each = count(connection, conditions)
            rows: list[Row] = []
            for page in page_queries(wish, _COLUMNS, conditions, each):
                rows = connection.execute(page.sql, page.values).fetchall()
                if len(rows) > wish.limit:
                    break
            return rows, total

        rows, total = await self._database.read(look)
        last = rows[wish.limit - 1] if len(rows) > wish.limit else None
        return {
            "items": [_to_json(row) for row in rows[: wish.limit]],
            "next_cursor": None if last is None else order.cursor(last[order.column], last["number"]),
            "total": min(total, COUNTED) if len(conditions) > 1 else total,
            "total_is_exact": len(conditions) <= 1 or total <= COUNTED,
        }

    async def facets(self, wish: RecipeFilter) -> dict[str, Any]:
        """Return the commonest checkpoints, LoRAs, base models and tags, with counts (py/recipes/store_facets.py)."""
        conditions = conditions_of(wish)
        return await self._database.read(lambda connection: facets(connection, conditions))

    async def patch(self, recipe_id: str, changes: Mapping[str, Any]) -> dict[str, Any]:
        """Change what store_edit permits; return the recipe. Raises `NotFoundError`, `InvalidRequestError`."""
        checked = checked_changes(changes)
        if not await self._run(lambda connection: change(connection, recipe_id, checked, self._clock.wall())):
            raise NotFoundError("There is no such recipe.")
        return await self.get(recipe_id) or {}

    async def bulk(
        self, recipe_ids: Sequence[str], action: str, *, tags: Sequence[str] = (), favourite: bool = True
    ) -> int:
        """Do one thing (add_tags, remove_tags, favourite, delete, restore) to many recipes; return how many changed."""
        now = self._clock.wall()
        actions: dict[str, Callable[[sqlite3.Connection, str], bool]] = {
            "add_tags": lambda connection, one: retag(connection, one, now, add=tags),
            "remove_tags": lambda connection, one: retag(connection, one, now, remove=tags),
            "favourite": lambda connection, one: change(connection, one, {"favourite": favourite}, now),
            "delete": lambda connection, one: store_rows.throw_away(connection, one, now),
            "restore": store_rows.bring_back,
        }
        if action not in actions:
            raise InvalidRequestError(f"Recipes can be asked to {', '.join(actions)}.")
        act = actions[action]
        return await self._run(lambda connection: sum(act(connection, one) for one in recipe_ids))

    async def delete(self, recipe_id: str) -> bool:
        """Move a recipe to the trash, whence `restore` brings it back; return whether there was one."""
        return await self.bulk([recipe_id], "delete") == 1

    async def restore(self, recipe_ids: Sequence[str]) -> int:
        """Bring deleted recipes back; return how many."""
        return await self.bulk(recipe_ids, "restore")

    async def prune_trash(self) -> int:
        """Forget recipes that were deleted `TRASH_SECONDS` ago or earlier; return how many."""
        async with self._database.transaction() as tx:
            oldest = self._clock.wall() - TRASH_SECONDS
            return await tx.execute("DELETE FROM recipe_trash WHERE deleted_at <= ?", (oldest,))

    async def source_path(self, recipe_id: str) -> Path | None:
        """Return where a recipe's image is on this machine, or None."""
        row = await self._database.fetch_one("SELECT source, image FROM recipes WHERE id = ?", (recipe_id,))
        place = None if row is None else row["image"] or row["source"]
        return None if not place or "://" in place else path_of(place)

    async def known_content(self, hashes: Iterable[str]) -> dict[str, str]:
        """Return the recipe's id for each content hash that has one."""
        return await self._database.read(lambda connection: known_content(connection, hashes))

    async def known_files(self, stamps: Mapping[str, tuple[int, int]]) -> dict[str, str]:
        """Return the recipe's id for each path whose file still has that (size, mtime in ns)."""

        def look(connection: sqlite3.Connection) -> dict[str, str]:
            sql = "SELECT source, source_size, source_mtime_ns, id FROM recipes WHERE source IN"
            rows = _in_chunks(connection, sql, stamps)
            return {source: found for source, size, mtime, found in rows if stamps[source] == (size, mtime)}

        return await self._database.read(look)

    async def known_sources(self, sources: Iterable[str]) -> dict[str, str]:
        """Return the recipe's id for each source (path or address) that has one."""
        sql = "SELECT source, id FROM recipes WHERE source IN"
        return dict(await self._database.read(lambda connection: _in_chunks(connection, sql, sources)))

    async def _run(self, function: Callable[[sqlite3.Connection], T]) -> T:
        async with self._database.transaction() as tx:
            return await tx.run(function)


def known_content(connection: sqlite3.Connection, hashes: Iterable[str]) -> dict[str, str]:
    """Return the recipe's id for each content hash that has one; for use inside a transaction."""
    sql = "SELECT content_hash, id FROM recipes WHERE content_hash IN"
    return dict(_in_chunks(connection, sql, hashes))


def _one(connection: sqlite3.Connection, recipe_id: str) -> dict[str, Any] | None:
    row = connection.execute(f"SELECT {_COLUMNS} FROM recipes r WHERE r.id = ?", (recipe_id,)).fetchone()
    if row is None:
        return None
    found = _to_json(row)
    tell_here(connection, row["number"], found)
    return found


def _in_chunks(connection: sqlite3.Connection, sql: str, values: Iterable[str]) -> list[tuple[Any, ...]]:
    listed, found = list(values), []
    for start in range(0, len(listed), _CHUNK):
        chunk = listed[start : start + _CHUNK]
        marks = ", ".join("?" * len(chunk))
        found += [tuple(row) for row in connection.execute(f"{sql} ({marks})", chunk)]
    return found


def _to_json(row: Row) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(row["body"])
    own = ("id", "title", "created_at", "updated_at", "rating", "notes", "nsfw_level", "missing", "same_as")
    return {
        **{name: row[name] for name in own},
        "favourite": bool(row["favourite"]),
        "tags": sorted(json.loads(row["tags"])),
        "thumbnail": f"/pantry/api/recipes/{row['id']}/thumbnail",
        **body,
    }
