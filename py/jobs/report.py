"""Write the report of a job, one line or object for every item, page by page: a hundred thousand are never held."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

from ..core.errors import InvalidRequestError
from ..storage.database import Database

PAGE = 500  # items that are read and written in one step on a reader's thread
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


class Form(Protocol):
    """Write a report in one format; pages are asked for in order."""

    def head(self) -> str:
        """Return what stands before the first item."""
        ...

    def page(self, rows: Sequence[Mapping[str, Any]]) -> str:
        """Return the next items."""
        ...

    def tail(self) -> str:
        """Return what stands behind the last item."""
        ...


class Csv:
    """Write a table, times in UTC; a cell that a spreadsheet would take for a formula is made plain text."""

    def __init__(self, columns: Sequence[str]) -> None:
        self._columns = columns

    def head(self) -> str:
        """Return the line of names."""
        return _line(self._columns)

    def page(self, rows: Sequence[Mapping[str, Any]]) -> str:
        """Return a line for each item."""
        return "".join(_line(self._cells(row)) for row in rows)

    def tail(self) -> str:
        """Return nothing."""
        return ""

    def _cells(self, row: Mapping[str, Any]) -> Iterator[Any]:
        for name in self._columns:
            value = row[name]
            yield _moment(value) if name == "retry_at" and value is not None else _plain(value)


class Json:
    """Write the job's snapshot with its items."""

    def __init__(self, snapshot: Mapping[str, Any]) -> None:
        self._snapshot = snapshot
        self._between = "\n"

    def head(self) -> str:
        """Return the snapshot, and the beginning of the list."""
        return json.dumps(self._snapshot, ensure_ascii=False, indent=1).removesuffix("\n}") + ',\n "items": ['

    def page(self, rows: Sequence[Mapping[str, Any]]) -> str:
        """Return an object for each item, a line each."""
        lines = [json.dumps(row, ensure_ascii=False) for row in rows]
        text = self._between + ",\n".join(lines)
        self._between = ",\n"
        return text

    def tail(self) -> str:
        """Return the end of the list."""
        return "\n ]\n}\n"


def form_of(name: str, columns: Sequence[str], snapshot: Mapping[str, Any]) -> Form:
    """Return the format that is called so; raise `InvalidRequestError`."""
    if name == "csv":
        return Csv(columns)
    if name == "json":
        return Json(snapshot)
    raise InvalidRequestError("A report is csv or json.")


async def parts(database: Database, sql: str, job: int, form: Form) -> AsyncIterator[str]:
    """Yield a report in parts; `sql` selects items by ``:job``, ``:after`` and ``:limit``, in the order of their id."""
    yield form.head()
    text, after = await database.read(partial(_page, sql=sql, job=job, after=0, form=form))
    while text:
        yield text
        text, after = await database.read(partial(_page, sql=sql, job=job, after=after, form=form))
    yield form.tail()


def _page(connection: sqlite3.Connection, sql: str, job: int, after: int, form: Form) -> tuple[str, int]:
    rows = connection.execute(sql, {"job": job, "after": after, "limit": PAGE}).fetchall()
    return (form.page([dict(row) for row in rows]), rows[-1]["id"]) if rows else ("", after)


def _line(cells: Iterable[Any]) -> str:
    text = io.StringIO()
    csv.writer(text).writerow(cells)
    return text.getvalue()


def _moment(seconds: float) -> str:
    """Return a time as people and spreadsheets read it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def _plain(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA_STARTS) else value
