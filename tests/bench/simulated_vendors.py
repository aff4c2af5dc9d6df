"""Play vendors and clients against each other in virtual time: hours pass in seconds."""

from __future__ import annotations

import asyncio
import selectors
from dataclasses import dataclass, field

from tests.standalone.vendor.policies import FixedWindow, Mitigation, SlidingWindow, TokenBucket

ROUND_TRIP = 0.25
WORKERS = 8


class _Jump(selectors.DefaultSelector):
    """Never wait: tell the loop how far its time may jump. Each turn of the loop takes a microsecond, so that a
    timer which is due by a rounding error does not stop the world.
    """

    def __init__(self):
        super().__init__()
        self.now = 0.0

    def select(self, timeout=None):
        self.now += max(timeout or 0.0, 1e-6)
        return super().select(0)


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose time jumps to the next timer; for code without threads and sockets."""

    def __init__(self):
        self._jump = _Jump()
        super().__init__(self._jump)

    def time(self):
        return self._jump.now


class LoopClock:
    """The loop's virtual time as Pantry's clock."""

    def monotonic(self):
        return asyncio.get_running_loop().time()

    def wall(self):
        return 1_800_000_000.0 + self.monotonic()

    async def sleep(self, seconds):
        await asyncio.sleep(max(0.0, seconds))


@dataclass
class SimulatedVendor:
    """Answer after half a round trip; `permitted` is what it would take, in requests a second."""

    name: str
    policy: object
    permitted: float
    hours: float
    names_wait: bool = True

    async def ask(self):
        """Return None when served, else the wait named, 0 for a refusal that names none."""
        await asyncio.sleep(ROUND_TRIP / 2)
        wait = self.policy.admit(asyncio.get_running_loop().time())
        await asyncio.sleep(ROUND_TRIP / 2)
        return None if wait is None else (max(1.0, float(-(-wait // 1))) if self.names_wait else 0.0)


def vendors():
    """Return the seven vendors that the table has."""
    return [
        SimulatedVendor("bucket 2/s +20", TokenBucket(2, 20), 2.0, 1),
        SimulatedVendor("bucket, no wait named", TokenBucket(2, 20), 2.0, 1, names_wait=False),
        SimulatedVendor("60 in a fixed minute", FixedWindow(60, 60), 1.0, 1),
        SimulatedVendor("60 a minute, none named", SlidingWindow(60, 60), 1.0, 3, names_wait=False),
        SimulatedVendor("50/10 s, block 30 s", Mitigation(50, 10, 30), 5.0, 1),
        SimulatedVendor("20/10 s, block 600 s", Mitigation(20, 10, 600), 2.0, 2),
        SimulatedVendor("500 an hour", FixedWindow(500, 3600), 500 / 3600, 12),
    ]


@dataclass
class Outcome:
    """Count what happened in the last three quarters of a run, and what must never happen in all of it."""

    served: int = 0
    refused: int = 0
    inside_window: int = 0
    seconds: float = 0.0
    _known_until: float = field(default=float("-inf"), repr=False)

    def send(self, now):
        """Take down a request that leaves; a window is known from the moment its refusal has come back."""
        self.inside_window += now < self._known_until

    def answer(self, now, answer, *, counted):
        """Take down its answer."""
        if answer:
            self._known_until = max(self._known_until, now - ROUND_TRIP / 2 + answer)
        if counted:
            self.served += answer is None
            self.refused += answer is not None

    def utilisation(self, vendor):
        """Return the share of what the vendor permits."""
        return min(1.0, self.served / self.seconds / vendor.permitted)

    @property
    def refused_share(self):
        return self.refused / max(1, self.served + self.refused)


def play(vendor, build):
    """Run eight busy workers of the client that `build(loop clock)` returns against a vendor; return the outcome."""
    outcome, loop = Outcome(), VirtualLoop()
    total = vendor.hours * 3600
    start = total / 4
    outcome.seconds = total - start

    async def ask():
        sent_at = loop.time()
        outcome.send(sent_at)
        answer = await vendor.ask()
        outcome.answer(loop.time(), answer, counted=sent_at >= start)
        return answer

    async def worker(client):
        while loop.time() < total:
            await client(ask)

    async def main():
        client, close = build(LoopClock())
        tasks = [asyncio.ensure_future(worker(client)) for _ in range(WORKERS)]
        await asyncio.sleep(total)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await close()

    try:
        loop.run_until_complete(main())
    finally:
        loop.close()
    return outcome
