"""Follow one sync while this process works on it: its lock, its run, its progress, and who waits for its end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from typing import Any

from ...core.errors import PantryError, StorageError
from ...core.events import METADATA_SYNC
from ...core.ports import ProgressSink
from ...jobs.feed import Feed
from ...jobs.rate import Rate
from ...jobs.states import ENDS, ItemStatus, JobStatus
from ...library.sync_store import Sync
from ...storage.file_lock import FileLock
from ..imports.snapshot import Windows, limits_of
from .run import SyncRun, Tools
from .snapshot import closing_message, holding, snapshot_of

logger = logging.getLogger(__name__)


class LiveSync:
    """Run one sync in a task of its own; `ended` is called on the loop when it has come to rest."""

    def __init__(
        self, sync: Sync, lock: FileLock, tools: Tools, windows: Windows, sink: ProgressSink, ended: Callable[[], None]
    ) -> None:
        self.sync = sync
        self.settled = asyncio.Event()
        self._lock = lock
        self._tools = tools
        self._windows = windows
        self._ended = ended
        self._feed = Feed(tools.clock, self.snapshot, partial(sink.publish, METADATA_SYNC))
        self._run: SyncRun | None = None
        self._rate: Rate | None = None
        self._wish = JobStatus.PAUSED
        self._leaves_state = False
        self._task = asyncio.ensure_future(self._work())

    def snapshot(self) -> dict[str, Any]:
        """Return the sync's state as events carry it."""
        run = self._run
        if run is None:
            return {"operation_id": self.sync.id, "status": self.sync.status.value}
        pending = run.tally.of(ItemStatus.PENDING)
        limits = limits_of(holding(run.held, pending, self._tools.primary_host()), self._windows)
        return snapshot_of(
            self.sync, run.tally, limits, phase=run.phase, rate=self._rate, current_item=run.current_item
        )

    async def stop(self, wish: JobStatus) -> None:
        """Pause or cancel at once; what was saved stays saved."""
        self._wish = wish
        self._task.cancel()
        await self.settled.wait()

    async def leave(self) -> None:
        """Stop for the end of the process; the sync goes on at the next start."""
        self._leaves_state = True
        await self.stop(JobStatus.RUNNING)

    async def _work(self) -> None:
        unsubscribe = self._windows.subscribe(lambda _host: self._feed.touch())
        try:
            await self._follow(asyncio.ensure_future(self._begin_and_run()))
        except PantryError as error:
            # Not even the state can be written; the row still says running, so the next start goes on.
            logger.warning("metadata sync stopped: %s", error)
        finally:
            unsubscribe()
            self._lock.release()
            self.settled.set()
            self._ended()

    async def _follow(self, running: asyncio.Task[None]) -> None:
        """Wait for the run and write down how it ended."""
        try:
            await asyncio.wait({running})
        except asyncio.CancelledError:
            running.cancel()
            await asyncio.wait({running})
            if not self._leaves_state:
                await self._settle(self._wish, None)
            return
        problem = running.exception()
        if problem is None:
            await self._settle(JobStatus.COMPLETED, self._closing_message())
        elif isinstance(problem, StorageError):
            await self._settle(JobStatus.FAILED, f"{problem} Resume the sync afterwards.")
        else:
            logger.error("metadata sync failed", exc_info=problem)
            await self._settle(JobStatus.FAILED, "The sync met an error of ours; the log has the details.")

    async def _begin_and_run(self) -> None:
        tools, number = self._tools, self.sync.number
        self.sync = await tools.syncs.set_status(self.sync, JobStatus.RUNNING, now=tools.clock.wall())
        tally, held = await tools.syncs.tally(number), await tools.syncs.held_hosts(number)
        self._run = SyncRun(self.sync, tally, held, tools, self._changed)
        self._rate = Rate(tools.clock.monotonic(), tally.of(*ENDS))
        self._changed()
        await self._run.run()

    def _changed(self) -> None:
        if self._run is not None and self._rate is not None:
            self._rate.note(self._tools.clock.monotonic(), self._run.tally.of(*ENDS))
        self._feed.touch()

    def _closing_message(self) -> str | None:
        if self._run is None:
            return None
        trouble = self._run.trouble
        return closing_message(self._run.tally, trouble.what_happened if trouble else None)

    async def _settle(self, status: JobStatus, message: str | None) -> None:
        now = self._tools.clock.wall()
        self.sync = await self._tools.syncs.set_status(self.sync, status, message=message, now=now)
        self._feed.touch()
        await self._feed.close()
