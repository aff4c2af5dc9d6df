"""Order recipes, and name a place in an order by an opaque cursor."""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass
from typing import Any

from ..core.errors import InvalidRequestError

# sort name: (column, descending); the number is the order of import.
_SORTS = {
    "newest": ("number", True),
    "oldest": ("number", False),
    "title": ("title", False),
    "-title": ("title", True),
    "rating": ("rating", True),
    "updated": ("updated_at", True),
    "missing": ("missing", True),
}
_ALIASES = {
    "": "newest",
    "date": "newest",
    "-created": "newest",
    "-created_at": "newest",
    "created": "oldest",
    "created_at": "oldest",
    "name": "title",
    "-name": "-title",
    "-rating": "rating",
    "-updated": "updated",
    "-missing": "missing",
    "-updated_at": "updated",
}


@dataclass(frozen=True, slots=True)
class Order:
    """Hold the order of a page: a column of the row ``r``, ties broken by the row's number."""

    name: str
    column: str
    descending: bool

    @property
    def by_number(self) -> bool:
        """Whether this is the order of import, or its reverse."""
        return self.column == "number"

    @property
    def sql(self) -> str:
        """Return the ORDER BY clause."""
        way = "DESC" if self.descending else "ASC"
        return f"r.number {way}" if self.by_number else f"r.{self.column} {way}, r.number {way}"

    def cursor(self, value: Any, number: int) -> str:
        """Return the opaque cursor that goes on after a row."""
        return base64.urlsafe_b64encode(json.dumps([self.name, value, number]).encode()).decode()

    def after(self, cursor: str) -> tuple[str, list[Any]]:
        """Return the condition for the rows behind a cursor; raise `InvalidRequestError` on a foreign one."""
        try:
            name, value, number = json.loads(base64.urlsafe_b64decode(cursor))
        except (binascii.Error, ValueError, TypeError) as error:
            raise InvalidRequestError("That cursor is not one of ours.") from error
        if name != self.name or not isinstance(value, str | int | float) or not isinstance(number, int):
            raise InvalidRequestError("That cursor belongs to another order.")
        sign = "<" if self.descending else ">"
        if self.by_number:
            return f"r.number {sign} ?", [number]
        return f"(r.{self.column}, r.number) {sign} (?, ?)", [value, number]


def order_of(sort: str) -> Order:
    """Return the order for a sort name; raise `InvalidRequestError` where there is none."""
    name = _ALIASES.get(sort, sort)
    if name not in _SORTS:
        raise InvalidRequestError(f"Recipes cannot be sorted by {sort!r}; try {', '.join(_SORTS)}.")
    return Order(name, *_SORTS[name])
