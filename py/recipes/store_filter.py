"""Turn a filter for recipes into SQL, with cursors that go on exactly where a page ended."""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass
from typing import Any

from ..core.errors import InvalidRequestError
from .search import match_expression
from .values import normalised_name

MAX_LIMIT = 500
# sort name: (column, descending)
_SORTS = {
    "newest": ("created_at", True),
    "oldest": ("created_at", False),
    "title": ("title", False),
    "-title": ("title", True),
    "rating": ("rating", True),
    "updated": ("updated_at", True),
}
_ALIASES = {
    "": "newest",
    "-created": "newest",
    "-created_at": "newest",
    "date": "newest",
    "created": "oldest",
    "created_at": "oldest",
    "name": "title",
    "-name": "-title",
    "-rating": "rating",
    "-updated": "updated",
    "-updated_at": "updated",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeFilter:
    """Say which recipes, in which order and which page of them; every given part must fit.

    `lora` and `checkpoint` take part of a name, a hash or a version id; `tags` must all be there.
    """

    q: str | None = None
    lora: str | None = None
    checkpoint: str | None = None
    base_model: str | None = None
    tags: tuple[str, ...] = ()
    missing: bool | None = None
    favourite: bool | None = None
    same_as: str | None = None
    sort: str = "newest"
    limit: int = 50
    cursor: str | None = None
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Condition:
    """Hold a WHERE clause and its values."""

    sql: str
    values: list[Any]


@dataclass(frozen=True, slots=True)
class Order:
    """Hold the order of a page: a column, ties broken by the row's number."""

    name: str
    column: str
    descending: bool

    @property
    def sql(self) -> str:
        """Return the ORDER BY clause."""
        way = "DESC" if self.descending else "ASC"
        return f"r.{self.column} {way}, r.number {way}"

    def cursor(self, value: Any, number: int) -> str:
        """Return the opaque cursor that goes on after a row."""
        return base64.urlsafe_b64encode(json.dumps([self.name, value, number]).encode()).decode()

    def after(self, cursor: str) -> Condition:
        """Return the condition for the rows behind a cursor; raise `InvalidRequestError` on a foreign one."""
        try:
            name, value, number = json.loads(base64.urlsafe_b64decode(cursor))
        except (binascii.Error, ValueError) as error:
            raise InvalidRequestError("That cursor is not one of ours.") from error
        if name != self.name:
            raise InvalidRequestError("That cursor belongs to another order.")
        sign = "<" if self.descending else ">"
        return Condition(f"(r.{self.column}, r.number) {sign} (?, ?)", [value, number])


def order_of(sort: str) -> Order:
    """Return the order for a sort name; raise `InvalidRequestError` where there is none."""
    name = _ALIASES.get(sort, sort)
    if name not in _SORTS:
        raise InvalidRequestError(f"Recipes cannot be sorted by {sort!r}; try {', '.join(_SORTS)}.")
    return Order(name, *_SORTS[name])


def condition_of(wish: RecipeFilter) -> Condition:
    """Return what a recipe must fulfil, without the cursor."""
    parts = [Condition("r.deleted_at IS NULL", []), *_text(wish), *_models(wish), *_flags(wish)]
    return Condition(" AND ".join(one.sql for one in parts), [value for one in parts for value in one.values])


def _text(wish: RecipeFilter) -> list[Condition]:
    found = []
    if wish.q and wish.q.strip():
        expression = match_expression(wish.q)
        sql = "r.number IN (SELECT rowid FROM recipe_search WHERE recipe_search MATCH ?)"
        found.append(Condition("0", []) if expression is None else Condition(sql, [expression]))
    sql = "r.number IN (SELECT recipe FROM recipe_tags WHERE tag = ?)"
    return [*found, *(Condition(sql, [tag]) for tag in wish.tags)]


def _models(wish: RecipeFilter) -> list[Condition]:
    named = (("loras", wish.lora), ("checkpoint", wish.checkpoint))
    return [_uses(role, text.strip()) for role, text in named if text and text.strip()]


def _uses(role: str, text: str) -> Condition:
    part = f"%{_escaped(normalised_name(text))}%"
    sql = r"""r.number IN (SELECT recipe FROM recipe_uses WHERE model IN (SELECT number FROM recipe_models
        WHERE role = ? AND (name LIKE ? ESCAPE '\' OR vendor_name LIKE ? ESCAPE '\' OR hash = ? OR version_id = ?)))"""
    version = int(text) if text.isdecimal() and len(text) < 19 else -1  # noqa: PLR2004 - SQLite's integers
    return Condition(sql, [role, part, f"%{_escaped(text)}%", text.lower(), version])


def _flags(wish: RecipeFilter) -> list[Condition]:
    found = []
    if wish.base_model:
        found.append(Condition("r.base_model = ?", [wish.base_model]))
    if wish.same_as:
        found.append(Condition("r.same_as = ?", [wish.same_as]))
    if wish.missing is not None:
        found.append(Condition("r.missing > 0" if wish.missing else "r.missing = 0", []))
    if wish.favourite is not None:
        found.append(Condition("r.favourite = 1" if wish.favourite else "r.favourite = 0", []))
    return found


def _escaped(text: str) -> str:
    for mark in ("\\", "%", "_"):
        text = text.replace(mark, "\\" + mark)
    return text
