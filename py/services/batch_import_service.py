"""Import images in durable jobs: start, watch, pause, resume, cancel, retry."""

from __future__ import annotations

import asyncio
import logging
import os
import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ..core.errors import ConflictError
from ..core.events import BATCH_IMPORT
from ..core.ports import Clock, ProgressSink
from ..jobs import items
from ..jobs.report import form_of
from ..jobs.request import ImportRequest
from ..jobs.states import LIVE, JobStatus, after
from ..jobs.store import REPORT_COLUMNS, Job, JobStore, mark_pending, number_of
from ..recipes.store import RecipeStore
from ..storage.database import Database
from .imports.due import DueTimer
from .imports.fetching import Fetcher
from .imports.news import RecipeNews
from .imports.preview import preview
from .imports.queue import JobQueue
from .imports.read_images import Reader
from .imports.snapshot import Windows, limits_of, phase_of, snapshot_of
from .imports.tools import Provider, Tools

logger = logging.getLogger(__name__)

MAX_PAGE = 1000


class BatchImportService:
    """Run import jobs one after another; every state is in the database, so that a killed process loses nothing.

    `settings` returns a setting by name; `coordinator` knows the vendors' windows; `locks` is a folder of our own, and
    those beside it called ``logs`` and ``images`` are used too;
    without a `fetcher`, addresses are refused.
    """

    def __init__(
        self,
        database: Database,
        *,
        reader: Reader,
        provider: Provider,
        recipes: RecipeStore,
        sink: ProgressSink,
        clock: Clock,
        settings: Callable[[str], Any],
        coordinator: Windows,
        locks: Path,
        recipes_added: Callable[[Sequence[str]], None] = lambda _ids: None,
        fetcher: Fetcher | None = None,
    ) -> None:
        self._database = database
        self._jobs = JobStore(database)
        self._clock = clock
        self._settings = settings
        self._windows = coordinator
        self._recipes_added, self._news = recipes_added, RecipeNews(sink, clock)
        self._steering = asyncio.Lock()  # a person's retry and the one that is due must not meet half-way
        self._threads = ThreadPoolExecutor(min(4, os.cpu_count() or 1), "pantry-read")
        self._tools = Tools(
            database=database,
            recipes=recipes,
            reader=reader,
            provider=provider,
            clock=clock,
            settings=settings,
            threads=self._threads,
            logs=locks.parent / "logs",
            images=locks.parent / "images",
            primary_host=self._primary_host,
            fetcher=fetcher,
            recipes_added=self._tell_recipes,
        )
        self._due = DueTimer(clock, self._next_due, self._retry_due)
        publish = partial(sink.publish, BATCH_IMPORT)
        self._queue = JobQueue(self._jobs, self._tools, coordinator, locks, publish, self._due.look_again)

    async def preview(self, request: ImportRequest) -> dict[str, Any]:
        """Say what an import would do, without doing anything; raise `InvalidRequestError`."""
        request.check()
        return await preview(request, self._tools, self._windows)

    async def start(self, request: ImportRequest) -> str:
        """Queue a new job and return its operation id; raise `InvalidRequestError`."""
        request.check()
        job_id = uuid.uuid4().hex
        with self._queue.taken(job_id) as lock:
            await self._queue.add(await self._jobs.create(job_id, request, self._clock.wall()), lock)
        return job_id

    async def pause(self, job_id: str) -> dict[str, Any]:
        """Stop a job within a second, keeping its place; return its snapshot."""
        return await self._stop(job_id, "pause")

    async def cancel(self, job_id: str) -> dict[str, Any]:
        """Stop a job within a second for good, unless it is resumed; return its snapshot."""
        return await self._stop(job_id, "cancel")

    async def resume(self, job_id: str) -> dict[str, Any]:
        """Go on with a job that was paused, cancelled, failed or killed; return its snapshot."""
        async with self._steering:
            job = await self._jobs.get(job_id)
            after("resume", job.status)
            if self._queue.get(job_id) is None:
                await self._enqueue(job)
        return await self.snapshot(job_id)

    async def retry(self, job_id: str, reason: str | None = None) -> dict[str, Any]:
        """Run again what was put off or failed for one reason or any, and nothing else; return the snapshot."""
        await self._retry(job_id, None, reason)
        return await self.snapshot(job_id)

    async def snapshot(self, job_id: str) -> dict[str, Any]:
        """Return a job's state (docs/reference/events.md); raise `NotFoundError`."""
        live = self._queue.get(job_id)
        return live.snapshot() if live else (await self._shown([await self._jobs.get(job_id)]))[0]

    async def list(self, limit: int = 20, cursor: str | None = None) -> dict[str, Any]:
        """Return the newest jobs first, as ``{"items", "next_cursor"}``."""
        limit = max(1, min(limit, MAX_PAGE))
        jobs = await self._jobs.page(limit + 1, number_of(cursor))
        following = str(jobs[limit - 1].number) if len(jobs) > limit else None
        return {"items": await self._shown(jobs[:limit]), "next_cursor": following}

    async def items(
        self,
        job_id: str,
        status: str | None = None,
        reason: str | None = None,
        limit: int = 100,
        cursor: str | None = None,
    ) -> dict[str, Any]:
        """Return a job's items in order, as ``{"items", "next_cursor"}``."""
        job, limit = await self._jobs.get(job_id), max(1, min(limit, MAX_PAGE))
        after_id = number_of(cursor) or 0
        rows = await self._jobs.items(job.number, status=status, reason=reason, limit=limit + 1, after=after_id)
        following = str(rows[limit - 1]["id"]) if len(rows) > limit else None
        return {"items": rows[:limit], "next_cursor": following}

    async def report(self, job_id: str, format: str = "json") -> AsyncIterator[str]:  # noqa: A002 - the contract's word
        """Return the parts of a report of every item, as CSV or JSON text."""
        job = await self._jobs.get(job_id)
        return self._jobs.report(job.number, form_of(format, REPORT_COLUMNS, await self.snapshot(job_id)))

    async def wait(self, job_id: str) -> dict[str, Any]:
        """Wait until a job of this process has come to rest; return its snapshot."""
        live = self._queue.get(job_id)
        if live is not None:
            await live.settled.wait()
        return await self.snapshot(job_id)

    async def unfinished(self, request: ImportRequest) -> str | None:
        """Return the job of the same sources that did not come to its end, if there is one."""
        job = await self._jobs.unfinished(request)
        return None if job is None else job.id

    async def resume_unfinished(self) -> None:
        """Go on with what an ended process left, and from now on with put-off images when they are due."""
        for job in await self._jobs.with_status(*LIVE):
            try:
                await self._enqueue(job)
            except ConflictError:
                logger.info("import %s belongs to another process", job.id)
        self._due.start()

    async def close(self) -> None:
        """Stop; what is unfinished goes on at the next start."""
        await self._due.close()
        await self._queue.close()
        await self._news.close()
        self._threads.shutdown(wait=True, cancel_futures=True)

    async def _stop(self, job_id: str, wish: str) -> dict[str, Any]:
        job = await self._jobs.get(job_id)
        status = after(wish, job.status)
        if job.status is JobStatus.COMPLETED and not (await self._jobs.tallies([job.number]))[job.number].put_off:
            raise ConflictError("That import has come to its end.")
        live = self._queue.get(job_id)
        if live is not None:
            await self._queue.stop(live, status)
        elif job.status is not status:
            with self._queue.taken(job_id):
                await self._jobs.set_status(job, status, message=job.message, now=self._clock.wall())
        return await self.snapshot(job_id)

    async def _enqueue(self, job: Job) -> None:
        with self._queue.taken(job.id) as lock:
            await self._queue.add(await self._jobs.set_status(job, JobStatus.PENDING), lock)

    async def _retry(self, job_id: str, due: float | None, reason: str | None = None) -> None:
        async with self._steering:
            job = await self._jobs.get(job_id)
            after("retry", job.status)
            with self._queue.taken(job_id) as lock:
                async with self._database.transaction() as tx:
                    number = await tx.run(partial(items.retry, job=job.number, due=due, reason=reason))
                    goes_on = bool(number) or job.status is not JobStatus.COMPLETED
                    if goes_on:  # in one commit, so that no crash leaves items that nobody works on
                        await tx.run(partial(mark_pending, job=job.number))
                if goes_on:
                    await self._queue.add(await self._jobs.get(job_id), lock)

    async def _next_due(self) -> float | None:
        return await self._jobs.next_due() if self._settings("batch_import_auto_resume") else None

    async def _retry_due(self) -> None:
        now = self._clock.wall()
        for job in await self._jobs.due(now):
            try:
                await self._retry(job.id, now)
            except ConflictError:
                logger.debug("import %s is being worked on elsewhere", job.id)

    async def _shown(self, jobs: Sequence[Job]) -> Sequence[dict[str, Any]]:
        """Show jobs that are at rest, or in another process, from the database alone."""
        tallies = await self._jobs.tallies([job.number for job in jobs])
        shown = []
        for job in jobs:
            live = self._queue.get(job.id)
            tally = tallies[job.number]
            limits = limits_of(await self._jobs.held_hosts(job.number), self._windows)
            reading = job.status in LIVE and not job.listed
            at_rest = snapshot_of(job, tally, limits, phase=phase_of(tally, reading=reading))
            shown.append(live.snapshot() if live else at_rest)
        return shown

    def _primary_host(self) -> str:
        return urlsplit(str(self._settings("civitai_api_base"))).netloc.lower()

    def _tell_recipes(self, ids: Sequence[str]) -> None:
        self._news.add(ids)
        self._recipes_added(ids)
