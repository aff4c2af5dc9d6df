"""Follow one job while this process works on it: its lock, its run, its progress, and who waits for its end."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any

from ...core.ports import Clock
from ...jobs.feed import Feed
from ...jobs.rate import Rate
from ...jobs.states import ENDS, ItemStatus, JobStatus
from ...jobs.store import Job
from ...jobs.tally import Tally
from ...storage.file_lock import FileLock
from .run import ImportRun
from .snapshot import Windows, hosts_with_waiters, limits_of, phase_of, snapshot_of


class LiveJob:
    """Hold a job that is queued or running here; `wish` is what a caller has asked of it meanwhile."""

    def __init__(
        self,
        job: Job,
        lock: FileLock,
        tally: Tally,
        clock: Clock,
        windows: Windows,
        publish: Callable[[dict[str, Any]], None],
    ) -> None:
        self.job = job
        self._before = tally
        self.settled = asyncio.Event()
        self.feed = Feed(clock, self.snapshot, publish)
        self.wish: JobStatus | None = None
        self._lock = lock
        self._clock = clock
        self._windows = windows
        self._run: ImportRun | None = None
        self._rate: Rate | None = None
        self._task: asyncio.Task[None] | None = None
        self._primary = ""

    @property
    def is_reading(self) -> bool:
        """Whether the job still keeps the disk and the processor busy."""
        return self._run is None or not self._run.reading_done

    async def work(self, run: ImportRun, primary_host: str) -> BaseException | None:
        """Run to the end; return what ended the run early (a cancellation after `stop`), or None."""
        self._run, self._primary = run, primary_host
        self._rate = Rate(self._clock.monotonic(), run.tally.of(*ENDS))
        self._task = asyncio.ensure_future(run.run())
        unsubscribe = self._windows.subscribe(lambda _host: self.feed.touch())
        try:
            await asyncio.wait({self._task})
        finally:
            unsubscribe()
        return asyncio.CancelledError() if self._task.cancelled() else self._task.exception()

    async def stop(self) -> None:
        """End the run at once; what was saved stays saved."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    async def settle(self) -> None:
        """Let others have the job, wake whoever waits for its end, and publish the last state."""
        self._lock.release()
        self.settled.set()
        self.feed.touch()
        await self.feed.close()

    def changed(self) -> None:
        """Note progress."""
        if self._run is not None and self._rate is not None:
            self._rate.note(self._clock.monotonic(), self._run.tally.of(*ENDS))
        self.feed.touch()

    def snapshot(self) -> dict[str, Any]:
        """Return the job's state as events carry it."""
        run = self._run
        if run is None:
            return snapshot_of(self.job, self._before, [], phase="reading")
        phase = phase_of(run.tally, reading=not run.reading_done)
        limits = limits_of(self._holding(run), self._windows)
        return snapshot_of(self.job, run.tally, limits, phase=phase, rate=self._rate, current_item=run.current_item)

    def _holding(self, run: ImportRun) -> Counter[str]:
        """Return how many items each host holds: put off by it, or waiting at its gate."""
        holding = Counter(run.held)
        asking = run.resolver.waiting_items()
        for host in hosts_with_waiters(self._windows) if asking else ():
            holding[host] += asking
        resolving = run.tally.of(ItemStatus.RESOLVING)
        if resolving:
            # Every look-up asks this vendor first, so its window holds them all.
            holding[self._primary] = run.held[self._primary] + resolving
        return holding
