"""Forget old jobs, so that the history stays useful and small."""

from __future__ import annotations

from pathlib import Path

from ..storage.database import Database

KEPT = {"user": 200, "watch": 20}  # newest jobs that stay, by who asked for them
KEPT_SECONDS = 90 * 86_400.0

# Only what has come to its end, and holds nothing that is still waited for.
_OLD = """SELECT number, id FROM (
        SELECT number, id, status, finished_at, ROW_NUMBER() OVER (ORDER BY number DESC) AS place
        FROM import_jobs WHERE json_extract(request, '$.origin') = ?)
    WHERE status IN ('completed', 'cancelled') AND (place > ? OR finished_at <= ?)
    AND NOT EXISTS (SELECT 1 FROM import_items i WHERE i.job = number AND i.status = 'SKIPPED'
        AND i.retry_at IS NOT NULL)"""


class History:
    """Prune jobs with their items, locks (`locks` folder) and logs (`logs` folder)."""

    def __init__(self, database: Database, locks: Path, logs: Path) -> None:
        self._database = database
        self._locks = locks
        self._logs = logs

    async def prune(self, now: float) -> int:
        """Delete what is too old or too much; return how many jobs. `now` is in seconds since the epoch."""
        pruned = []
        for origin, kept in KEPT.items():
            async with self._database.transaction() as tx:
                rows = await tx.fetch_all(_OLD, (origin, kept, now - KEPT_SECONDS))
                await tx.execute_many("DELETE FROM import_jobs WHERE number = ?", [(row["number"],) for row in rows])
            pruned += [row["id"] for row in rows]
        await self._database.read(lambda _: self._remove_files(pruned))
        return len(pruned)

    def _remove_files(self, job_ids: list[str]) -> None:
        for job_id in job_ids:
            for path in (self._locks / f"{job_id}.lock", self._logs / f"{job_id}.log"):
                path.unlink(missing_ok=True)
