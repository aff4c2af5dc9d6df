"""Work off import jobs one after another, each locked against other processes."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from ...core.errors import ConflictError, PantryError, StorageError
from ...core.ports import Clock
from ...jobs import items
from ...jobs.job_log import JobLog
from ...jobs.states import JobStatus
from ...jobs.store import Job, JobStore
from ...storage.file_lock import FileLock
from .live import LiveJob
from .run import ImportRun
from .snapshot import Windows, closing_message
from .tools import Tools

logger = logging.getLogger(__name__)

AT_ONCE = 4  # jobs under way, all but one of which only wait for a vendor


class JobQueue:
    """Own the jobs that this process has taken on; `settled` is called on the loop after each one's end.

    One job reads at a time; the next begins when that one has nothing left but to wait for its look-ups.
    """

    def __init__(
        self,
        jobs: JobStore,
        tools: Tools,
        windows: Windows,
        locks: Path,
        publish: Callable[[dict[str, Any]], None],
        settled: Callable[[], None],
    ) -> None:
        self._jobs = jobs
        self._tools = tools
        self._clock: Clock = tools.clock
        self._windows = windows
        self._locks = locks
        self._publish = publish
        self._settled = settled
        self._live: dict[str, LiveJob] = {}
        self._queue: deque[LiveJob] = deque()
        self._working: dict[LiveJob, asyncio.Task[None]] = {}

    def get(self, job_id: str) -> LiveJob | None:
        """Return a job that is queued or running here, or None."""
        return self._live.get(job_id)

    def live(self) -> list[LiveJob]:
        """Return the jobs that are queued or running here."""
        return list(self._live.values())

    def take(self, job_id: str) -> FileLock:
        """Lock a job for this process; raise `ConflictError` where another one works on it."""
        lock = FileLock.take(self._locks / f"{job_id}.lock")
        if lock is None:
            raise ConflictError("Another Pantry works on that import. Use that one, or end it first.")
        return lock

    @contextmanager
    def taken(self, job_id: str) -> Iterator[FileLock]:
        """Lock a job for the block; afterwards the lock stays only where the job was added."""
        lock = self.take(job_id)
        try:
            yield lock
        finally:
            if job_id not in self._live:
                lock.release()

    async def add(self, job: Job, lock: FileLock) -> None:
        """Queue a locked job."""
        tally = (await self._jobs.tallies([job.number]))[job.number]
        live = LiveJob(job, lock, tally, self._clock, self._windows, self._publish)
        self._live[job.id] = live
        self._queue.append(live)
        live.changed()
        self._go_on()

    async def stop(self, live: LiveJob, wish: JobStatus) -> None:
        """Pause or cancel a job and wait until it has stopped."""
        live.wish = wish
        if live in self._queue:
            self._queue.remove(live)
            await self._settle(live, wish, None)
        else:
            await live.stop()
        await live.settled.wait()

    async def close(self) -> None:
        """End every run; the jobs stay unfinished and go on at the next start."""
        self._queue.clear()
        for task in (working := tuple(self._working.values())):
            task.cancel()
        await asyncio.gather(*working, return_exceptions=True)
        for live in self.live():
            await live.stop()
            await live.settle()
        self._live.clear()

    def _go_on(self) -> None:
        """Begin the next job where none is reading."""
        reading = any(live.is_reading for live in self._working)
        if self._queue and not reading and len(self._working) < AT_ONCE:
            live = self._queue.popleft()
            self._working[live] = asyncio.ensure_future(self._work(live))

    async def _work(self, live: LiveJob) -> None:
        try:
            await self._run_one(live)
        except PantryError as error:
            # Not even the job's state can be written; the row still says running, so the next start goes on.
            logger.warning("import stopped: %s", error)
            await self._leave(live)
        finally:
            del self._working[live]
            self._go_on()

    def _changed(self, live: LiveJob) -> None:
        live.changed()
        if not live.is_reading:
            self._go_on()

    async def _run_one(self, live: LiveJob) -> None:
        run = await self._begin(live)
        if live.wish is not None:  # stopped before there was anything to stop
            await self._settle(live, live.wish, None)
            return
        ended_by = await live.work(run, self._tools.primary_host())
        if ended_by is None:
            trouble = run.resolver.trouble
            message = closing_message(run.tally, trouble.what_happened if trouble else None)
            await self._settle(live, JobStatus.COMPLETED, message)
        elif isinstance(ended_by, asyncio.CancelledError):
            await self._settle(live, live.wish or JobStatus.PAUSED, None)
        elif isinstance(ended_by, StorageError):
            await self._settle(live, JobStatus.FAILED, f"{ended_by} Resume the import afterwards.")
        else:
            logger.error("import failed", exc_info=ended_by)
            await self._settle(live, JobStatus.FAILED, "The import met an error of ours; the log has the details.")

    async def _begin(self, live: LiveJob) -> ImportRun:
        async with self._tools.database.transaction() as tx:
            await tx.run(partial(items.release, job=live.job.number))
        live.job = await self._jobs.set_status(live.job, JobStatus.RUNNING, now=self._clock.wall())
        await self._note(live, f"running {live.job.source}")
        number = live.job.number
        tally = (await self._jobs.tallies([number]))[number]
        held = await self._jobs.held_hosts(number)
        return ImportRun(live.job, tally, held, self._tools, partial(self._changed, live))

    async def _settle(self, live: LiveJob, status: JobStatus, message: str | None) -> None:
        live.job = await self._jobs.set_status(live.job, status, message=message, now=self._clock.wall())
        await self._note(live, f"{status.value} {message or ''}")
        await self._leave(live)

    async def _note(self, live: LiveJob, line: str) -> None:
        log = JobLog(self._tools.logs, live.job.id, self._clock)
        await asyncio.get_running_loop().run_in_executor(self._tools.threads, log.write, [line])

    async def _leave(self, live: LiveJob) -> None:
        self._live.pop(live.job.id, None)
        await live.settle()
        self._settled()
