"""Take turns at one host with the other processes of this machine.

Before a request, the row that all share is asked for the next turn; when the turn has come, it is read once more for
a window that somebody else has met meanwhile. A row is believed once per write, so that a moved wall clock cannot
close a window again and again.
"""

from __future__ import annotations

import logging

from ..core.errors import StorageError
from ..core.ports import Clock, StoredWindow, WindowMemory

logger = logging.getLogger(__name__)

# A row whose end is later than its own length allows was written by a clock that ran this far ahead, or is junk.
LARGEST_STEP = 2 * 3600.0

Adopted = tuple[float, float, int, float | None]


class Sharing:
    """Hold this process's place in the shared order of one host; without a memory it is always ready."""

    def __init__(self, key: str, clock: Clock, memory: WindowMemory | None) -> None:
        self._key, self._clock, self._memory = key, clock, memory
        self._turn_at: float | None = None
        self._ready = False
        self._seen = 0
        self._broken = False

    @property
    def enabled(self) -> bool:
        """Whether there is anybody to share with."""
        return self._memory is not None

    @property
    def ready(self) -> bool:
        """Whether the turn has come and the row has been read since."""
        return self._ready or self._memory is None

    def wait(self, now: float) -> float:
        """Return the seconds until our turn, 0 where none has been taken yet."""
        return 0.0 if self._turn_at is None else max(0.0, self._turn_at - now)

    def stale(self) -> None:
        """Note that time has passed: the row must be read again."""
        self._ready = False

    def sent(self) -> None:
        """Note that the turn has been used."""
        self._turn_at, self._ready = None, False

    async def consult(self, now: float, interval: float) -> Adopted | None:
        """Take a turn, or confirm the one that has come; return another process's window, if it is news."""
        if self._memory is None:
            return None
        try:
            row = await self._ask(self._memory, now, interval)
        except StorageError:
            # Windows of our own still hold; sharing resumes by itself.
            self._log_broken()
            self._ready = True
            return None
        self._broken = False
        return self.news(row)

    async def _ask(self, memory: WindowMemory, now: float, interval: float) -> StoredWindow | None:
        if self._turn_at is not None and now <= self._turn_at + max(interval, 1.0):
            self._ready = True
            return await memory.read(self._key)
        wait, row = await memory.claim(self._key, now_wall=self._clock.wall(), interval=interval)
        # A turn further away than a few intervals comes from a clock that was moved.
        wait = wait if wait <= max(100 * interval, 60.0) else 0.0
        self._turn_at, self._ready = now + wait, wait <= 0
        return row

    async def save(self, window: StoredWindow) -> None:
        """Tell the others about a window of ours."""
        if self._memory is None:
            return
        try:
            self._seen = max(self._seen, await self._memory.save(window))
        except StorageError:
            self._log_broken()

    def news(self, row: StoredWindow | None) -> Adopted | None:
        """Return what a row adds: seconds remaining, length, refusals, ceiling; None where it is known or absurd."""
        if row is None or row.serial == self._seen:
            return None
        self._seen = row.serial
        remaining = row.until - self._clock.wall()
        if row.delay <= 0 or remaining > row.delay + LARGEST_STEP:
            return None
        return max(0.0, min(remaining, row.delay)), row.delay, max(0, row.refusals), row.ceiling

    def _log_broken(self) -> None:
        if not self._broken:
            logger.warning("Windows cannot be shared with other processes at the moment; ours still hold.")
        self._broken = True
