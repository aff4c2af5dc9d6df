"""Read the system's clocks; the only module that does."""

from __future__ import annotations

import asyncio
import time


class SystemClock:
    """Tell the machine's time, counting suspend where the system has such a clock.

    Linux's CLOCK_MONOTONIC stops while the machine sleeps, so a 42-minute window would last 42 minutes and a
    night; CLOCK_BOOTTIME does not. macOS and Windows count sleep in the clock that Python reads.
    """

    # A single long sleep would not notice that the machine was suspended; a chain of short ones does.
    LONGEST_NAP = 15.0

    def __init__(self) -> None:
        self._clock_id: int | None = getattr(time, "CLOCK_BOOTTIME", None)

    def monotonic(self) -> float:
        """Return seconds since boot."""
        return time.monotonic() if self._clock_id is None else time.clock_gettime(self._clock_id)

    def wall(self) -> float:
        """Return seconds since the epoch."""
        return time.time()

    async def sleep(self, seconds: float) -> None:
        """Wait `seconds` of `monotonic`, in naps short enough to notice a suspend."""
        end = self.monotonic() + seconds
        while (left := end - self.monotonic()) > 0:
            await asyncio.sleep(min(left, self.LONGEST_NAP))
