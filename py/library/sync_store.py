"""Keep metadata syncs in SQLite: one row a sync, one row for each model file that it has to ask about."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ..core.errors import NotFoundError
from ..jobs.report import Form, parts
from ..jobs.states import HELD, LIVE, UNFINISHED, ItemStatus, JobStatus, Reason, item_filter
from ..jobs.tally import Tally
from ..storage.database import Database, Row

# A confirmed miss is asked again after a day at the earliest, a description from CivitAI after thirty.
_DAY = 86_400.0
_NEEDED = """offline = 0 AND hash_problem IS NULL AND (
    state IN ('unknown', 'waiting')
    OR (state IN ('absent', 'archived_copy') AND coalesce(checked_at, 0) < :now - :day)
    OR (state = 'synced' AND metadata_source = 'civitai' AND checked_at < :now - 30 * :day))"""
REPORT_COLUMNS = ("model_id", "name", "status", "reason", "detail", "host", "retry_at")
_ITEMS = """SELECT id, file AS model_id, name, status, reason, detail, retry_at, host FROM sync_items
    WHERE job = :job AND id > :after{where} ORDER BY id LIMIT :limit"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncRequest:
    """Say what to sync: only some `types` of models (none: all), and `force` also what is known already."""

    types: tuple[str, ...] = ()
    force: bool = False

    @property
    def source(self) -> str:
        """Name the source for people."""
        return f"model library ({', '.join(self.types)})" if self.types else "model library"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sync:
    """Hold one row of sync_jobs; times are seconds since the epoch."""

    number: int
    id: str
    request: SyncRequest
    status: JobStatus
    message: str | None
    created_at: float
    started_at: float | None
    finished_at: float | None

    @classmethod
    def from_row(cls, row: Row) -> Sync:
        """Build from a row with every column."""
        told = json.loads(row["request"])
        plain = ("number", "id", "message", "created_at", "started_at", "finished_at")
        return cls(
            **{name: row[name] for name in plain},
            request=SyncRequest(types=tuple(told["types"]), force=told["force"]),
            status=JobStatus(row["status"]),
        )


@dataclass(frozen=True, slots=True)
class SyncEnd:
    """Say how an item ended."""

    status: ItemStatus
    reason: Reason | None = None
    detail: str | None = None
    retry_at: float | None = None
    host: str | None = None


class SyncStore:
    """Read and write syncs."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(self, sync_id: str, request: SyncRequest, now: float) -> Sync:
        """Write a new sync with an item for every model that needs one."""
        async with self._database.transaction() as tx:
            await tx.run(lambda connection: _create(connection, sync_id, request, now))
        return await self.get(sync_id)

    async def get(self, sync_id: str) -> Sync:
        """Return one sync; raise `NotFoundError` where there is none."""
        row = await self._database.fetch_one("SELECT * FROM sync_jobs WHERE id = ?", (sync_id,))
        if row is None:
            raise NotFoundError("There is no such sync.")
        return Sync.from_row(row)

    async def page(self, limit: int, before: int | None) -> list[Sync]:
        """Return syncs, newest first, below the number `before`."""
        sql = "SELECT * FROM sync_jobs WHERE number < ? ORDER BY number DESC LIMIT ?"
        return [Sync.from_row(row) for row in await self._database.fetch_all(sql, (before or 2**62, limit))]

    async def live(self) -> list[Sync]:
        """Return the syncs that were under way when their process ended, oldest first."""
        sql = f"SELECT * FROM sync_jobs WHERE status IN ({_listed(LIVE)}) ORDER BY number"
        return [Sync.from_row(row) for row in await self._database.fetch_all(sql)]

    async def unfinished(self) -> Sync | None:
        """Return the newest sync where it did not come to its end, or None."""
        row = await self._database.fetch_one("SELECT * FROM sync_jobs ORDER BY number DESC LIMIT 1")
        sync = None if row is None else Sync.from_row(row)
        return sync if sync is not None and sync.status in UNFINISHED else None

    async def due(self, now: float | None) -> list[Sync]:
        """Return the completed syncs with put-off items whose time has come (None: will come)."""
        sql = """SELECT DISTINCT j.* FROM sync_items i JOIN sync_jobs j ON j.number = i.job
            WHERE i.status = 'SKIPPED' AND i.retry_at <= ? AND j.status = 'completed' ORDER BY j.number"""
        return [Sync.from_row(row) for row in await self._database.fetch_all(sql, (2.0**62 if now is None else now,))]

    async def next_due(self) -> float | None:
        """Return when the first put-off item of a completed sync may be tried again (seconds since the epoch)."""
        sql = """SELECT MIN(i.retry_at) AS due FROM sync_items i JOIN sync_jobs j ON j.number = i.job
            WHERE i.status = 'SKIPPED' AND j.status = 'completed'"""
        row = await self._database.fetch_one(sql)
        return None if row is None else row["due"]

    async def set_status(
        self, sync: Sync, status: JobStatus, *, message: str | None = None, now: float | None = None
    ) -> Sync:
        """Change a sync's state and return it as it is then; `now` is when it began running or came to an end."""
        running = status is JobStatus.RUNNING
        started = now if running and sync.started_at is None else sync.started_at
        finished = None if status in LIVE else now
        sql = "UPDATE sync_jobs SET status = ?, message = ?, started_at = ?, finished_at = ? WHERE number = ?"
        async with self._database.transaction() as tx:
            await tx.execute(sql, (status.value, message, started, finished, sync.number))
        return await self.get(sync.id)

    async def tally(self, number: int) -> Tally:
        """Count a sync's items by state."""
        sql = "SELECT status, reason, COUNT(*) FROM sync_items WHERE job = ? GROUP BY status, reason"
        return Tally([(row[0], row[1], row[2]) for row in await self._database.fetch_all(sql, (number,))])

    async def held_hosts(self, number: int) -> dict[str, int]:
        """Return how many skipped items wait for each host."""
        sql = f"""SELECT host, COUNT(*) FROM sync_items
            WHERE job = ? AND reason IN ({HELD}) AND host IS NOT NULL GROUP BY host"""
        return {row[0]: row[1] for row in await self._database.fetch_all(sql, (number,))}

    async def pending(self, number: int) -> list[int]:
        """Return the files of the items that have not been answered, in order."""
        sql = "SELECT file FROM sync_items WHERE job = ? AND status = 'PENDING' ORDER BY id"
        return [row[0] for row in await self._database.fetch_all(sql, (number,))]

    async def items(
        self, number: int, *, status: str | None, reason: str | None, limit: int, after: int
    ) -> list[dict[str, Any]]:
        """Return items in order, after the id `after`, filtered case-insensitively; raise `InvalidRequestError`."""
        values = item_filter(status, reason)
        sql = _ITEMS.format(where="".join(f" AND {name} = :{name}" for name in values))
        rows = await self._database.fetch_all(sql, {**values, "job": number, "after": after, "limit": limit})
        return [dict(row) for row in rows]

    def report(self, number: int, form: Form) -> AsyncIterator[str]:
        """Yield a report of a sync's items in parts."""
        return parts(self._database, _ITEMS.format(where=""), number, form)

    async def retry(self, number: int, due: float | None, reason: str | None = None) -> int:
        """Put skipped and failed items back (with `due`: those whose time has come); return how many."""
        where = "status IN ('SKIPPED', 'FAILED')" if due is None else "status = 'SKIPPED' AND retry_at <= :due"
        only = item_filter(None, reason)
        where += " AND reason = :reason" if only else ""
        sql = f"""UPDATE sync_items SET status = 'PENDING', reason = NULL, detail = NULL, retry_at = NULL, host = NULL
            WHERE job = :job AND {where}"""
        async with self._database.transaction() as tx:
            return await tx.execute(sql, {"job": number, **({} if due is None else {"due": due}), **only})


def end_items(connection: sqlite3.Connection, job: int, ends: Mapping[int, SyncEnd]) -> None:
    """Write how items ended, by file, inside a transaction of the caller."""
    rows = [
        (one.status.value, one.reason and one.reason.value, one.detail, one.retry_at, one.host, job, file)
        for file, one in ends.items()
    ]
    sql = "UPDATE sync_items SET status = ?, reason = ?, detail = ?, retry_at = ?, host = ? WHERE job = ? AND file = ?"
    connection.executemany(sql, rows)


def date_items(connection: sqlite3.Connection, job: int, host: str, retry_at: float) -> None:
    """Say when a host that could not be used is asked again (seconds since the epoch), where nobody knew before."""
    sql = """UPDATE sync_items SET retry_at = ? WHERE job = ? AND status = 'SKIPPED' AND host = ?
        AND reason = 'unreachable' AND retry_at IS NULL"""
    connection.execute(sql, (retry_at, job, host))


def _create(connection: sqlite3.Connection, sync_id: str, request: SyncRequest, now: float) -> None:
    told = json.dumps(asdict(request))
    sql = "INSERT INTO sync_jobs (id, request, status, created_at) VALUES (?, ?, 'pending', ?)"
    job = connection.execute(sql, (sync_id, told, now)).lastrowid
    where = "offline = 0" if request.force else _NEEDED
    values: dict[str, Any] = {"job": job, "now": now, "day": _DAY}
    if request.types:
        names = {f"type{index}": one for index, one in enumerate(request.types)}
        where += f" AND type IN ({', '.join(f':{name}' for name in names)})"
        values |= names
    # Files that have been hashed can be asked for at once.
    order = "hashed_at IS NULL, size"
    chosen = f"SELECT :job, number, file_name FROM model_files WHERE {where} ORDER BY {order}"
    connection.execute(f"INSERT INTO sync_items (job, file, name) {chosen}", values)


def _listed(statuses: Sequence[JobStatus] | Iterable[JobStatus]) -> str:
    return ", ".join(f"'{one.value}'" for one in statuses)
