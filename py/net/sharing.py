"""Take turns at one host with the other processes of this machine.

Before a request, the row that all share is asked for the next turn; when the turn has come, it is read once more for
a window that somebody else has met meanwhile. A row is believed once per write, so that a moved wall clock cannot
close a window again and again.
"""

from __future__ import annotations

import asyncio
import logging

from ..core.errors import StorageError
from ..core.ports import Clock, StoredWindow, WindowMemory

logger = logging.getLogger(__name__)

# Who comes later than this to its turn takes a new one: the next process is already on its way.
LATENESS = 0.05
# A row whose end is later than its own length allows was written by a clock that ran this far ahead, or is junk.
LARGEST_STEP = 2 * 3600.0


class Sharing:
    """Hold this process's place in the shared order of one host; without a memory it is always ready."""

    def __init__(self, key: str, clock: Clock, memory: WindowMemory | None) -> None:
        self._key, self._clock, self._memory = key, clock, memory
        self._turn_at: float | None = None
        self._ready = False
        self._seen = 0
        self._turns: int | None = None
        self._others = 0
        self._broken = False
        self._saving: set[asyncio.Task[None]] = set()

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

    async def consult(self, now: float, interval: float) -> StoredWindow | None:
        """Take a turn, or confirm the one that has come; return the shared row as it stands."""
        if self._memory is None:
            return None
        try:
            row = await self._ask(self._memory, now, interval)
        except StorageError:
            # Windows of our own still hold; sharing resumes by itself.
            self._report(broken=True)
            self._ready = True
            return None
        self._report(broken=False)
        return row

    async def _ask(self, memory: WindowMemory, now: float, interval: float) -> StoredWindow | None:
        if self._turn_at is not None and now <= self._turn_at + max(0.1 * interval, LATENESS):
            self._ready = True
            return await memory.read(self._key)
        wait, row = await memory.claim(self._key, now_wall=self._clock.wall(), interval=interval)
        self._turn_at, self._ready = now + wait, wait <= 0
        self._count_others(row)
        return row

    def _count_others(self, row: StoredWindow | None) -> None:
        if row is not None:
            self._others += 0 if self._turns is None else max(0, row.turns - self._turns - 1)
            self._turns = row.turns

    def take_others(self) -> int:
        """Return how many turns other processes have taken since this was asked last."""
        others, self._others = self._others, 0
        return others

    def save_soon(self, window: StoredWindow) -> None:
        """Tell the others about a window of ours, without waiting for the disk."""
        if self._memory is not None:
            task = asyncio.get_running_loop().create_task(self._save(self._memory, window))
            self._saving.add(task)
            task.add_done_callback(self._saving.discard)

    async def flush(self) -> None:
        """Wait until everything is written."""
        await asyncio.gather(*self._saving)

    async def _save(self, memory: WindowMemory, window: StoredWindow) -> None:
        try:
            self._seen = max(self._seen, await memory.save(window))
        except StorageError:
            self._report(broken=True)

    def news(self, row: StoredWindow | None) -> tuple[float, StoredWindow] | None:
        """Return the seconds that a row's window has left, and the row; None where it is known or absurd."""
        if row is None or row.serial == self._seen:
            return None
        self._seen = row.serial
        remaining = row.until - self._clock.wall()
        if row.delay <= 0 or remaining > row.delay + LARGEST_STEP:
            return None
        return max(0.0, min(remaining, row.delay)), row

    def _report(self, *, broken: bool) -> None:
        if broken and not self._broken:
            logger.warning("Windows cannot be shared with other processes at the moment; ours still hold.")
        elif self._broken and not broken:
            logger.info("Windows are shared with other processes again.")
        self._broken = broken
