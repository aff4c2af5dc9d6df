"""Keep the items of import jobs in SQLite: what each is, what it waits for, and how it ended.

The functions that take a connection run on the writer's thread, inside a transaction of the caller, so that an
item's end and the recipe that it made are one commit.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ..core.outcomes import LookupKey
from .states import PUT_OFF, ItemStatus, Reason, item_filter
from .vendor_stage import PutOff

_PUT_OFF_REASONS = ", ".join(f"'{reason.value}'" for reason in PUT_OFF)


@dataclass(frozen=True, slots=True)
class Item:
    """Name one image of a job; `reading` is the JSON of what it said, once it has been read."""

    id: int
    source: str
    name: str
    reading: str | None = None

    @property
    def is_address(self) -> bool:
        """Whether the image is somewhere on the network."""
        return self.source.startswith(("http://", "https://"))


@dataclass(frozen=True, slots=True)
class End:
    """Say how an item ended."""

    status: ItemStatus
    reason: Reason | None = None
    detail: str | None = None
    recipe_id: str | None = None
    retry_at: float | None = None
    host: str | None = None


def add(connection: sqlite3.Connection, job: int, sources: Sequence[tuple[str, str]]) -> int:
    """Add items by (source, name); one that is there already is left alone. Return how many are new."""
    sql = "INSERT OR IGNORE INTO import_items (job, source, name) VALUES (?, ?, ?)"
    return connection.executemany(sql, [(job, source, name) for source, name in sources]).rowcount


def become(connection: sqlite3.Connection, job: int, item: Item, parts: Sequence[tuple[str, str, str | None]]) -> int:
    """Put items (source, name, reading if known) in the place of one; return how many are new beyond those there."""
    sql = "INSERT OR IGNORE INTO import_items (job, source, name, reading) VALUES (?, ?, ?, ?)"
    number = connection.executemany(sql, [(job, *part) for part in parts]).rowcount if parts else 0
    connection.execute("DELETE FROM import_items WHERE id = ?", (item.id,))
    return number


def release(connection: sqlite3.Connection, job: int) -> None:
    """Give back what a run that ended early had claimed."""
    sql = "UPDATE import_items SET status = 'PENDING' WHERE job = ? AND status = 'READING'"
    connection.execute(sql, (job,))


def claim(connection: sqlite3.Connection, job: int, limit: int) -> list[Item]:
    """Take the next pending items and mark them as being read."""
    sql = """SELECT id, source, name, reading FROM import_items
        WHERE job = ? AND status = 'PENDING' ORDER BY id LIMIT ?"""
    items = [Item(*row) for row in connection.execute(sql, (job, limit))]
    connection.executemany("UPDATE import_items SET status = 'READING' WHERE id = ?", [(one.id,) for one in items])
    return items


def end(connection: sqlite3.Connection, ends: Iterable[tuple[Item, End]]) -> None:
    """Write how items ended; what they waited for is forgotten."""
    sql = """UPDATE import_items SET status = ?, reason = ?, detail = ?, recipe_id = ?,
        retry_at = ?, host = ?, reading = NULL, missing = 0 WHERE id = ?"""
    listed = list(ends)
    connection.executemany(sql, [(*_columns(one), item.id) for item, one in listed])
    connection.executemany("DELETE FROM import_references WHERE item = ?", [(item.id,) for item, _ in listed])


def await_answers(connection: sqlite3.Connection, job: int, item: Item, missing: Sequence[LookupKey]) -> None:
    """Let an item wait until every key of `missing` has been answered."""
    sql = "UPDATE import_items SET status = 'RESOLVING', reading = ?, missing = ? WHERE id = ?"
    connection.execute(sql, (item.reading, len(missing), item.id))
    connection.executemany(
        "INSERT OR IGNORE INTO import_references (job, kind, value, item) VALUES (?, ?, ?, ?)",
        [(job, key.kind, key.value, item.id) for key in missing],
    )


def wanted(connection: sqlite3.Connection, job: int) -> dict[LookupKey, int]:
    """Return the keys that resolving items wait for, with the number of items."""
    sql = """SELECT r.kind, r.value, COUNT(*) FROM import_references r JOIN import_items i ON i.id = r.item
        WHERE r.job = ? AND i.status = 'RESOLVING' GROUP BY r.kind, r.value"""
    return {LookupKey(kind, value): count for kind, value, count in connection.execute(sql, (job,))}


def answer(connection: sqlite3.Connection, job: int, keys: Iterable[LookupKey]) -> None:
    """Note that keys have been answered, for every item that waits for them."""
    rows = [(job, key.kind, key.value) for key in keys]
    connection.executemany(
        """UPDATE import_items SET missing = missing - 1 WHERE id IN
            (SELECT item FROM import_references WHERE job = ? AND kind = ? AND value = ?)""",
        rows,
    )
    connection.executemany("DELETE FROM import_references WHERE job = ? AND kind = ? AND value = ?", rows)


def ready(connection: sqlite3.Connection, job: int, limit: int) -> list[Item]:
    """Return resolving items that wait for nothing any more."""
    sql = """SELECT id, source, name, reading FROM import_items
        WHERE job = ? AND status = 'RESOLVING' AND missing = 0 ORDER BY id LIMIT ?"""
    return [Item(*row) for row in connection.execute(sql, (job, limit))]


def put_off(connection: sqlite3.Connection, job: int, why: PutOff, key: LookupKey | None) -> int:
    """Skip the resolving items that wait for `key` (None: for any); return how many."""
    sql = """UPDATE import_items SET status = 'SKIPPED', reason = ?, detail = ?, retry_at = ?, host = ?
        WHERE job = ? AND status = 'RESOLVING' AND missing > 0"""
    values: list[Any] = [why.reason.value, why.detail, why.retry_at, why.host, job]
    if key is not None:
        sql += " AND id IN (SELECT item FROM import_references WHERE job = ? AND kind = ? AND value = ?)"
        values += [job, key.kind, key.value]
    return connection.execute(sql, values).rowcount


def date(connection: sqlite3.Connection, job: int, host: str, retry_at: float) -> None:
    """Say when a host that could not be used is asked again (seconds since the epoch), where nobody knew before."""
    sql = """UPDATE import_items SET retry_at = ? WHERE job = ? AND status = 'SKIPPED' AND host = ?
        AND reason = 'unreachable' AND retry_at IS NULL"""
    connection.execute(sql, (retry_at, job, host))


def retry(connection: sqlite3.Connection, job: int, *, due: float | None = None, reason: str | None = None) -> int:
    """Put skipped items back to where they stopped; return how many. Raise `InvalidRequestError` for no reason of ours.

    Without `due`, everything that a vendor or a failure kept from ending well, with `reason` only what ended for that;
    with `due`, exactly the items whose `retry_at` has come (seconds since the epoch).
    """
    put_off = f"status = 'SKIPPED' AND reason IN ({_PUT_OFF_REASONS})"
    which = f"({put_off} OR status = 'FAILED')" if due is None else f"{put_off} AND retry_at <= :due"
    values = {"job": job, "due": due, **item_filter(None, reason)}
    only = " AND reason = :reason" if "reason" in values else ""
    sql = f"""UPDATE import_items SET reason = NULL, detail = NULL, retry_at = NULL, host = NULL,
        status = CASE WHEN reading IS NULL THEN 'PENDING' ELSE 'RESOLVING' END WHERE job = :job AND {which}{only}"""
    return connection.execute(sql, values).rowcount


def _columns(one: End) -> tuple[str | float | None, ...]:
    reason = one.reason.value if one.reason else None
    return one.status.value, reason, one.detail, one.recipe_id, one.retry_at, one.host
