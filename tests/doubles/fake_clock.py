"""A clock that moves only when told to."""

from __future__ import annotations

import asyncio
import heapq
import itertools


class FakeClock:
    """Stand in for `Clock`: sleepers wake when `advance` passes their time, in order.

    `steps` moves wall time alone, as NTP or a user would.
    """

    def __init__(self, wall: float = 1_800_000_000.0) -> None:
        self.now = 1000.0
        self._wall_offset = wall - self.now
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._order = itertools.count()

    def monotonic(self) -> float:
        return self.now

    def wall(self) -> float:
        return self.now + self._wall_offset

    def step_wall(self, seconds: float) -> None:
        self._wall_offset += seconds

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        future = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self.now + seconds, next(self._order), future))
        await future

    @property
    def sleeping(self) -> int:
        """How many tasks are asleep right now."""
        return sum(not future.done() for _, _, future in self._sleepers)

    @property
    def next_wake(self) -> float | None:
        """When the next sleeper wakes, in `monotonic` seconds."""
        live = [when for when, _, future in self._sleepers if not future.done()]
        return min(live, default=None)

    async def settle(self, rounds: int = 20) -> None:
        """Let every task that can run, run."""
        for _ in range(rounds):
            await asyncio.sleep(0)

    async def advance(self, seconds: float) -> None:
        """Move time, waking sleepers one instant at a time."""
        end = self.now + seconds
        await self.settle()
        while self._sleepers and self._sleepers[0][0] <= end:
            when, _, future = heapq.heappop(self._sleepers)
            self.now = max(self.now, when)
            if not future.done():
                future.set_result(None)
                await self.settle()
        self.now = end
        await self.settle()
