"""Keep the model library's metadata in step with the vendors: whole syncs as durable jobs, single models at once."""

from __future__ import annotations

import logging
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from ..core.errors import ConflictError
from ..core.ports import Clock, ProgressSink
from ..jobs.report import form_of
from ..jobs.states import JobStatus, after
from ..jobs.store import number_of
from ..library.library import Library
from ..library.sync_store import REPORT_COLUMNS, Sync, SyncRequest, SyncStore
from ..net.destination import host_of
from ..storage.database import Database
from ..storage.file_lock import FileLock
from .civitai_client import CivitaiClient
from .imports.due import DueTimer
from .imports.snapshot import Windows, limits_of
from .model_metadata_provider import FallbackMetadataProvider
from .syncs.describe import Describer
from .syncs.live import LiveSync
from .syncs.run import Tools
from .syncs.single import SingleModel
from .syncs.snapshot import snapshot_of

__all__ = ["MetadataSyncService", "SyncRequest"]

logger = logging.getLogger(__name__)

MAX_PAGE = 500


class MetadataSyncService:
    """Start, watch, pause, resume, cancel and retry syncs; refresh or relink one model.

    `models_changed` hears which models were described; `recheck_recipes` asks, at a sync's end, about the models that
    recipes call absent; `settings` returns a setting by name; `coordinator` knows the vendors' windows; `locks` is a
    folder of our own.
    """

    def __init__(
        self,
        database: Database,
        *,
        library: Library,
        provider: FallbackMetadataProvider,
        civitai: CivitaiClient,
        models_changed: Callable[[Sequence[int]], None],
        recheck_recipes: Callable[[], Awaitable[None]],
        sink: ProgressSink,
        clock: Clock,
        settings: Callable[[str], Any],
        coordinator: Windows,
        locks: Path,
    ) -> None:
        self._syncs = SyncStore(database)
        self._sink = sink
        self._clock = clock
        self._settings = settings
        self._windows = coordinator
        self._locks = locks
        self._live: dict[str, LiveSync] = {}
        self._due = DueTimer(clock, self._next_due, self._retry_due)
        self._tools = Tools(
            database=database,
            syncs=self._syncs,
            library=library,
            describer=Describer(provider, civitai),
            clock=clock,
            wants_sidecars=lambda: bool(settings("write_sidecars")),
            primary_host=lambda: host_of(str(settings("civitai_api_base"))),
            models_changed=models_changed,
            recheck_recipes=recheck_recipes,
        )
        self._single = SingleModel(self._tools, provider)

    async def start(self, request: SyncRequest | None = None) -> str:
        """Start a sync of everything that needs one and return its operation id."""
        sync_id = uuid.uuid4().hex
        lock = self._take(sync_id)
        self._run(await self._syncs.create(sync_id, request or SyncRequest(), self._clock.wall()), lock)
        return sync_id

    async def pause(self, sync_id: str) -> dict[str, Any]:
        """Stop a sync, keeping its place; return its snapshot."""
        return await self._stop(sync_id, "pause")

    async def cancel(self, sync_id: str) -> dict[str, Any]:
        """Stop a sync for good, unless it is resumed; return its snapshot."""
        return await self._stop(sync_id, "cancel")

    async def resume(self, sync_id: str) -> dict[str, Any]:
        """Go on with a sync that was paused, cancelled, failed or killed; return its snapshot."""
        sync = await self._syncs.get(sync_id)
        after("resume", sync.status)
        if sync_id not in self._live:
            self._run(sync, self._take(sync_id))
        return await self.snapshot(sync_id)

    async def retry(self, sync_id: str, reason: str | None = None) -> dict[str, Any]:
        """Ask again about what was put off or failed for one reason or any, and nothing else; return the snapshot."""
        sync = await self._syncs.get(sync_id)
        after("retry", sync.status)
        await self._retry(sync, None, reason)
        return await self.snapshot(sync_id)

    async def snapshot(self, sync_id: str) -> dict[str, Any]:
        """Return a sync's state (docs/reference/events.md); raise `NotFoundError`."""
        return await self._shown(await self._syncs.get(sync_id))

    async def list(self, limit: int = 20, cursor: str | None = None) -> dict[str, Any]:
        """Return the newest syncs first, as ``{"items", "next_cursor"}``."""
        limit = max(1, min(limit, MAX_PAGE))
        found = await self._syncs.page(limit + 1, number_of(cursor))
        following = str(found[limit - 1].number) if len(found) > limit else None
        return {"items": [await self._shown(one) for one in found[:limit]], "next_cursor": following}

    async def items(
        self,
        sync_id: str,
        status: str | None = None,
        reason: str | None = None,
        limit: int = 100,
        cursor: str | None = None,
    ) -> dict[str, Any]:
        """Return a sync's items in order, as ``{"items", "next_cursor"}``."""
        sync, limit = await self._syncs.get(sync_id), max(1, min(limit, MAX_PAGE))
        start = number_of(cursor) or 0
        rows = await self._syncs.items(sync.number, status=status, reason=reason, limit=limit + 1, after=start)
        following = str(rows[limit - 1]["id"]) if len(rows) > limit else None
        return {"items": rows[:limit], "next_cursor": following}

    async def report(self, sync_id: str, format: str = "json") -> AsyncIterator[str]:  # noqa: A002 - the contract's word
        """Return the parts of a report of every item, as CSV or JSON text."""
        sync = await self._syncs.get(sync_id)
        return self._syncs.report(sync.number, form_of(format, REPORT_COLUMNS, await self.snapshot(sync_id)))

    async def wait(self, sync_id: str) -> dict[str, Any]:
        """Wait until a sync of this process has come to rest; return its snapshot."""
        live = self._live.get(sync_id)
        if live is not None:
            await live.settled.wait()
        return await self.snapshot(sync_id)

    async def unfinished(self) -> str | None:
        """Return the newest sync where it did not come to its end, if so."""
        sync = await self._syncs.unfinished()
        return None if sync is None else sync.id

    async def resume_unfinished(self) -> None:
        """Go on with what an ended process left, and from now on with put-off models when they are due."""
        for sync in await self._syncs.live():
            lock = FileLock.take(self._locks / f"{sync.id}.lock")
            if lock is not None and sync.id not in self._live:
                self._run(sync, lock)
        self._due.start()

    async def close(self) -> None:
        """Stop; what is unfinished goes on at the next start."""
        await self._due.close()
        for live in list(self._live.values()):
            await live.leave()

    async def refresh(self, number: int) -> dict[str, Any]:
        """Ask the vendors about one model now; return the model, with the outcome in one word."""
        return await self._single.refresh(number)

    async def relink(self, number: int, *, version_id: int | None = None, url: str | None = None) -> dict[str, Any]:
        """Describe one model by a version that a person names, by id or by the address of its page."""
        return await self._single.relink(number, version_id=version_id, url=url)

    def _take(self, sync_id: str) -> FileLock:
        lock = FileLock.take(self._locks / f"{sync_id}.lock")
        if lock is None:
            raise ConflictError("Another Pantry works on that sync. Use that one, or end it first.")
        return lock

    def _run(self, sync: Sync, lock: FileLock) -> None:
        def ended() -> None:
            self._live.pop(sync.id, None)
            self._due.look_again()

        self._live[sync.id] = LiveSync(sync, lock, self._tools, self._windows, self._sink, ended)

    async def _stop(self, sync_id: str, wish: str) -> dict[str, Any]:
        sync = await self._syncs.get(sync_id)
        status, live = after(wish, sync.status), self._live.get(sync_id)
        if live is not None:
            await live.stop(status)
        elif sync.status is not status:
            await self._syncs.set_status(sync, status, message=sync.message, now=self._clock.wall())
        return await self.snapshot(sync_id)

    async def _retry(self, sync: Sync, due: float | None, reason: str | None = None) -> None:
        lock = self._take(sync.id)
        if await self._syncs.retry(sync.number, due, reason) or sync.status is not JobStatus.COMPLETED:
            self._run(sync, lock)
        else:
            lock.release()

    async def _next_due(self) -> float | None:
        return await self._syncs.next_due() if self._settings("batch_import_auto_resume") else None

    async def _retry_due(self) -> None:
        now = self._clock.wall()
        for sync in await self._syncs.due(now):
            try:
                await self._retry(sync, now)
            except ConflictError:
                logger.debug("metadata sync %s is being worked on elsewhere", sync.id)

    async def _shown(self, sync: Sync) -> dict[str, Any]:
        live = self._live.get(sync.id)
        if live is not None:
            return live.snapshot()
        limits = limits_of(await self._syncs.held_hosts(sync.number), self._windows)
        return snapshot_of(sync, await self._syncs.tally(sync.number), limits)
