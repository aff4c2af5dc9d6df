"""Keep import jobs in SQLite: one row a job."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from ..core.errors import InvalidRequestError, NotFoundError
from ..storage.database import Database, Row
from .report import Form, parts
from .request import ImportRequest
from .states import HELD, LIVE, UNFINISHED, JobStatus, item_filter
from .tally import Tally

_PUT_OFF_ITEMS = """FROM import_items i JOIN import_jobs j ON j.number = i.job
    WHERE i.status = 'SKIPPED' AND i.retry_at IS NOT NULL AND j.status = 'completed'"""
ITEM_COLUMNS = "id, source, name, status, reason, detail, retry_at, host, recipe_id"
REPORT_COLUMNS = ("source", "status", "reason", "detail", "retry_at", "host", "recipe_id")
_ITEMS = f"SELECT {ITEM_COLUMNS} FROM import_items WHERE job = :job AND id > :after{{where}} ORDER BY id LIMIT :limit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Hold one row of import_jobs; times are seconds since the epoch."""

    number: int
    id: str
    request: ImportRequest
    source: str
    status: JobStatus
    listed: bool
    message: str | None
    created_at: float
    started_at: float | None
    finished_at: float | None

    @classmethod
    def from_row(cls, row: Row) -> Job:
        """Build from a row with every column."""
        known = {name: row[name] for name in row.keys() if name in cls.__slots__}  # noqa: SIM118 - a Row is no dict
        known["request"] = ImportRequest.from_json(row["request"])
        known["status"] = JobStatus(row["status"])
        known["listed"] = bool(row["listed"])
        return cls(**known)


class JobStore:
    """Read and write jobs; items are in `ItemStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(self, job_id: str, request: ImportRequest, now: float) -> Job:
        """Write a new pending job."""
        sql = "INSERT INTO import_jobs (id, request, source, source_key, status, created_at) VALUES (?, ?, ?, ?, ?, ?)"
        values = (job_id, request.to_json(), request.source, request.source_key, JobStatus.PENDING.value, now)
        async with self._database.transaction() as tx:
            await tx.execute(sql, values)
        return await self.get(job_id)

    async def get(self, job_id: str) -> Job:
        """Return one job; raise `NotFoundError` where there is none."""
        row = await self._database.fetch_one("SELECT * FROM import_jobs WHERE id = ?", (job_id,))
        if row is None:
            raise NotFoundError("There is no such import.")
        return Job.from_row(row)

    async def items(
        self, number: int, *, status: str | None, reason: str | None, limit: int, after: int
    ) -> list[dict[str, Any]]:
        """Return items of a job in order, behind the item `after`; raise `InvalidRequestError`."""
        values = item_filter(status, reason)
        sql = _ITEMS.format(where="".join(f" AND {name} = :{name}" for name in values))
        rows = await self._database.fetch_all(sql, {**values, "job": number, "after": after, "limit": limit})
        return [dict(row) for row in rows]

    def report(self, number: int, form: Form) -> AsyncIterator[str]:
        """Yield a report of a job's items in parts."""
        return parts(self._database, _ITEMS.format(where=""), number, form)

    async def page(self, limit: int, before: int | None) -> list[Job]:
        """Return jobs, newest first, below the number `before`."""
        sql = "SELECT * FROM import_jobs WHERE number < ? ORDER BY number DESC LIMIT ?"
        rows = await self._database.fetch_all(sql, (2**62 if before is None else before, limit))
        return [Job.from_row(row) for row in rows]

    async def with_status(self, *statuses: JobStatus) -> list[Job]:
        """Return the jobs in any of these states, oldest first."""
        marks = ", ".join("?" * len(statuses))
        sql = f"SELECT * FROM import_jobs WHERE status IN ({marks}) ORDER BY number"
        return [Job.from_row(row) for row in await self._database.fetch_all(sql, [one.value for one in statuses])]

    async def unfinished(self, request: ImportRequest) -> Job | None:
        """Return the newest job of the same sources that did not come to its end, or None."""
        sql = "SELECT * FROM import_jobs WHERE source_key = ? ORDER BY number DESC LIMIT 1"
        row = await self._database.fetch_one(sql, (request.source_key,))
        job = None if row is None else Job.from_row(row)
        return job if job is not None and job.status in UNFINISHED else None

    async def set_status(
        self, job: Job, status: JobStatus, *, message: str | None = None, now: float | None = None
    ) -> Job:
        """Change a job's state and return the job as it is then; `now` is when it began running or came to an end."""
        changes: dict[str, Any] = {"status": status.value, "message": message}
        if status is JobStatus.RUNNING:
            changes |= {"started_at": now if job.started_at is None else job.started_at, "finished_at": None}
        elif status not in LIVE:
            changes["finished_at"] = now
        names = ", ".join(f"{name} = :{name}" for name in changes)
        async with self._database.transaction() as tx:
            await tx.execute(f"UPDATE import_jobs SET {names} WHERE number = {job.number}", changes)
        return await self.get(job.id)

    async def tallies(self, numbers: list[int]) -> dict[int, Tally]:
        """Count the items of several jobs by state."""
        marks = ", ".join("?" * len(numbers))
        sql = f"""SELECT job, status, reason, COUNT(*) FROM import_items
            WHERE job IN ({marks}) GROUP BY job, status, reason"""
        found: dict[int, list[tuple[str, str | None, int]]] = {number: [] for number in numbers}
        for job, status, reason, count in await self._database.fetch_all(sql, numbers):
            found[job].append((status, reason, count))
        return {number: Tally(rows) for number, rows in found.items()}

    async def next_due(self) -> float | None:
        """Return when the first put-off item of a completed job may be tried again (seconds since the epoch)."""
        row = await self._database.fetch_one(f"SELECT MIN(i.retry_at) AS due {_PUT_OFF_ITEMS}")
        return None if row is None else row["due"]

    async def due(self, now: float) -> list[Job]:
        """Return the completed jobs with put-off items whose time has come."""
        sql = f"SELECT DISTINCT j.* {_PUT_OFF_ITEMS} AND i.retry_at <= ? ORDER BY j.number"
        return [Job.from_row(row) for row in await self._database.fetch_all(sql, (now,))]

    async def held_hosts(self, number: int) -> dict[str, int]:
        """Return how many skipped items of a job wait for each host."""
        sql = f"""SELECT host, COUNT(*) FROM import_items
            WHERE job = ? AND status = 'SKIPPED' AND reason IN ({HELD}) AND host IS NOT NULL GROUP BY host"""
        return {row[0]: row[1] for row in await self._database.fetch_all(sql, (number,))}


def mark_listed(connection: sqlite3.Connection, job: int) -> None:
    """Note that every source of the job has its item."""
    connection.execute("UPDATE import_jobs SET listed = 1 WHERE number = ?", (job,))


def mark_pending(connection: sqlite3.Connection, job: int) -> None:
    """Let a job begin again."""
    connection.execute("UPDATE import_jobs SET status = 'pending', message = NULL WHERE number = ?", (job,))


def number_of(cursor: str | None) -> int | None:
    """Return the number that a page's cursor holds; raise `InvalidRequestError` where it is not one of ours."""
    if cursor is None or (cursor.isascii() and cursor.isdecimal() and len(cursor) < 19):  # noqa: PLR2004 - 64 bits
        return None if cursor is None else int(cursor)
    raise InvalidRequestError("That cursor is not one of ours.")
