"""Build gates on a fake clock, and ask them things, in few words."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace

from py.core.errors import RateLimitError
from py.net.policy import GatePolicy
from py.services.rate_limit_coordinator import RateLimitCoordinator
from tests.doubles.fake_clock import FakeClock

HOST = "civitai.red"
# The longest that is ever added to a named wait.
PAD = 3.0


class Lab:
    """One coordinator, its clock, and a record of every send."""

    def __init__(self, *, memory=None, clock=None, seed=1, **policy):
        self.clock = clock or FakeClock()
        self.policy = GatePolicy(**policy)
        self.gate = RateLimitCoordinator(self.clock, lambda: self.policy, rng=random.Random(seed), memory=memory)
        self.sends = []
        self.refused = []
        self.tasks = set()

    def set(self, **policy):
        self.policy = replace(self.policy, **policy)

    def ask(self, *, lane="batch", within=1e9, host=HOST, hold=False, name=None):
        """Start a caller that waits for a slot, notes the moment, and is answered at once unless `hold`."""
        task = asyncio.get_running_loop().create_task(self._call(lane, within, host, hold, name))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return task

    async def _call(self, lane, within, host, hold, name):
        try:
            slot = await self.gate.wait_for_slot(host, self.clock.monotonic() + within, lane)
        except RateLimitError as error:
            self.refused.append((name, error))
            return None
        self.sends.append((self.clock.monotonic(), name or lane))
        if not hold:
            self.gate.register_success(host, slot=slot)
            self.gate.finish(slot)
        return slot

    def refuse(self, retry_after=None, *, slot=None, host=HOST):
        self.gate.register_rate_limit(host, retry_after, slot=slot)

    @property
    def times(self):
        return [round(moment - 1000.0, 6) for moment, _ in self.sends]

    @property
    def names(self):
        return [name for _, name in self.sends]

    async def close(self):
        for task in tuple(self.tasks):
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        await self.gate.close()
        await self.clock.settle()
