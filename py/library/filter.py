"""Turn a wish for models into SQL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..core.errors import InvalidRequestError
from .states import ModelState

MAX_LIMIT = 500
ORDERS = {
    "name": "lower(coalesce(title, file_name))",
    "newest": "added_at DESC",
    "size": "size DESC",
    "state": "offline, state, lower(coalesce(title, file_name))",
}

STATES = (*(one.value for one in ModelState), "offline")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFilter:
    """Ask for models of a type, in a state, whose name, title, trigger words and tags have all words, in an order."""

    type: str | None = None
    q: str | None = None
    state: str | None = None
    sort: str = "name"
    limit: int = 50
    offset: int = 0

    def checked(self) -> ModelFilter:
        """Return the filter with its limit in bounds; raise `InvalidRequestError` where it cannot be meant."""
        if self.sort not in ORDERS:
            raise InvalidRequestError(f"Models can be sorted by {', '.join(ORDERS)}.")
        if self.state and self.state not in STATES:
            raise InvalidRequestError(f"No model has the state {self.state[:100]}; there are {', '.join(STATES)}.")
        limit, offset = max(1, min(self.limit, MAX_LIMIT)), max(0, self.offset)
        return ModelFilter(type=self.type, q=self.q, state=self.state, sort=self.sort, limit=limit, offset=offset)

    def condition(self) -> tuple[str, list[Any]]:
        """Return the WHERE clause and its values."""
        where, values = ["1"], list[Any]()
        if self.type:
            where.append("type = ?")
            values.append(self.type)
        if self.state == "offline":
            where.append("offline = 1")
        elif self.state:
            where.append("offline = 0 AND state = ?")
            values.append(self.state)
        for word in (self.q or "").split():
            where.append("instr(words, lower(?)) > 0")
            values.append(word)
        return " AND ".join(where), values
