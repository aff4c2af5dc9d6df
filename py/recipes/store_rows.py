"""Write recipes into their tables; every function runs on the writer's thread, inside the caller's transaction."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ..core.paths import storable
from .search import searchable
from .store_body import absent_models, uses_of
from .store_models import link_models


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRecipe:
    """Hold a recipe that is to be stored; `created_at` is in seconds since the epoch."""

    id: str
    title: str
    created_at: float
    body: Mapping[str, Any]
    tags: tuple[str, ...] = ()
    source: str | None = None
    image: str | None = None
    source_size: int | None = None
    source_mtime_ns: int | None = None
    content_hash: str | None = None
    same_as: str | None = None
    favourite: bool = False
    rating: int = 0
    notes: str = ""
    nsfw_level: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-ready copy; `from_json` reads it back."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> NewRecipe:
        """Build from what `to_json` gave; unknown names are passed over."""
        known = {name: data[name] for name in cls.__slots__ if name in data}
        return cls(**{**known, "tags": tuple(known.get("tags", ()))})


_COLUMNS = (*(name for name in NewRecipe.__slots__ if name != "tags"), "updated_at", "base_model", "absent")
_INSERT = f"INSERT INTO recipes ({', '.join(_COLUMNS)}) VALUES ({', '.join(f':{name}' for name in _COLUMNS)})"


def insert(connection: sqlite3.Connection, recipe: NewRecipe) -> int:
    """Store a recipe and make it findable; return its row number."""
    values = {name: getattr(recipe, name) for name in NewRecipe.__slots__ if name != "tags"}
    values |= {
        "title": storable(recipe.title),
        "body": _as_text(recipe.body),
        "updated_at": recipe.created_at,
        "base_model": recipe.body.get("base_model"),
        "absent": absent_models(recipe.body),
    }
    number = connection.execute(_INSERT, values).lastrowid or 0
    set_tags(connection, number, recipe.tags)
    link_models(connection, number, recipe.body)
    index(connection, number)
    return number


def _as_text(body: Mapping[str, Any]) -> str:
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    # JSON can spell a half character; SQLite cannot hold one.
    return text if text.isascii() or storable(text) == text else json.dumps(body, separators=(",", ":"))


def set_tags(connection: sqlite3.Connection, number: int, tags: Iterable[str]) -> None:
    """Give a recipe exactly these tags."""
    connection.execute("DELETE FROM recipe_tags WHERE recipe = ?", (number,))
    rows = [(tag.strip(), number) for tag in tags if tag.strip()]
    connection.executemany("INSERT OR IGNORE INTO recipe_tags (tag, recipe) VALUES (?, ?)", rows)


def tags_of(connection: sqlite3.Connection, number: int) -> list[str]:
    """Return a recipe's tags in order."""
    return [
        tag for (tag,) in connection.execute("SELECT tag FROM recipe_tags WHERE recipe = ? ORDER BY tag", (number,))
    ]


def index(connection: sqlite3.Connection, number: int) -> None:
    """Bring the full-text index up to date with one recipe."""
    row = connection.execute("SELECT title, notes, body FROM recipes WHERE number = ?", (number,)).fetchone()
    body = json.loads(row["body"])
    names = (use.get(name) for _, _, use in uses_of(body) for name in ("name", "vendor_name", "version_name"))
    texts = (
        row["title"],
        body.get("prompt") or "",
        " ".join(name for name in names if name),
        " ".join(tags_of(connection, number)),
        row["notes"],
    )
    connection.execute("DELETE FROM recipe_search WHERE rowid = ?", (number,))
    sql = "INSERT INTO recipe_search (rowid, title, prompt, models, tags, notes) VALUES (?, ?, ?, ?, ?, ?)"
    connection.execute(sql, (number, *map(searchable, texts)))


def read(connection: sqlite3.Connection, recipe_id: str) -> tuple[int, NewRecipe] | None:
    """Return the row number and everything of a stored recipe, or None."""
    row = connection.execute("SELECT * FROM recipes WHERE id = ?", (recipe_id,)).fetchone()
    if row is None:
        return None
    known = {name: row[name] for name in NewRecipe.__slots__ if name != "tags"}
    known |= {"body": json.loads(row["body"]), "favourite": bool(row["favourite"])}
    return row["number"], NewRecipe(**known, tags=tuple(tags_of(connection, row["number"])))


def remove(connection: sqlite3.Connection, number: int) -> None:
    """Take a recipe out of every table."""
    connection.execute("DELETE FROM recipe_search WHERE rowid = ?", (number,))
    connection.execute("DELETE FROM recipes WHERE number = ?", (number,))


def throw_away(connection: sqlite3.Connection, recipe_id: str, now: float) -> bool:
    """Move a recipe to the trash; return whether there was one."""
    found = read(connection, recipe_id)
    if found is None:
        return False
    number, recipe = found
    sql = "INSERT OR REPLACE INTO recipe_trash (id, deleted_at, recipe) VALUES (?, ?, ?)"
    connection.execute(sql, (recipe_id, now, json.dumps(recipe.to_json())))
    remove(connection, number)
    return True


def bring_back(connection: sqlite3.Connection, recipe_id: str) -> bool:
    """Move a recipe out of the trash; return whether it was there."""
    row = connection.execute("SELECT recipe FROM recipe_trash WHERE id = ?", (recipe_id,)).fetchone()
    if row is None:
        return False
    insert(connection, NewRecipe.from_json(json.loads(row["recipe"])))
    connection.execute("DELETE FROM recipe_trash WHERE id = ?", (recipe_id,))
    return True
