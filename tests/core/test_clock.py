"""The system clock and its double keep the same promises."""

from __future__ import annotations

import asyncio

import pytest

from py.core.clock import SystemClock
from py.core.errors import PantryError, RateLimitError
from tests.doubles.fake_clock import FakeClock


class SuspendingClock(SystemClock):
    """A machine that was asleep: one nap takes a thousand seconds of boot time."""

    LONGEST_NAP = 0.0

    def __init__(self) -> None:
        super().__init__()
        self.reads = 0

    def monotonic(self) -> float:
        self.reads += 1
        return 1000.0 * (self.reads - 1)


async def test_a_long_wait_ends_at_once_after_a_suspend():
    """A window that ended while the machine slept does not cost another nap."""
    clock = SuspendingClock()

    await clock.sleep(900)

    assert clock.reads == 2


def test_the_clock_only_grows():
    """Windows are measured with it."""
    clock = SystemClock()

    first, second = clock.monotonic(), clock.monotonic()

    assert second >= first
    assert clock.wall() > 1_700_000_000


async def test_the_fake_clock_wakes_sleepers_in_order_and_only_when_told():
    """Everything that is proved with the double rests on this."""
    clock, woken = FakeClock(), []

    async def sleeper(name: str, seconds: float) -> None:
        await clock.sleep(seconds)
        woken.append((name, clock.monotonic()))

    tasks = [asyncio.create_task(sleeper("late", 20)), asyncio.create_task(sleeper("early", 10))]
    await clock.advance(9.9)
    assert woken == []
    assert clock.sleeping == 2

    await clock.advance(50)

    assert woken == [("early", 1010.0), ("late", 1020.0)]
    await asyncio.gather(*tasks)


async def test_a_cancelled_sleeper_is_forgotten():
    """A cancelled wait leaves no timer behind."""
    clock = FakeClock()
    task = asyncio.create_task(clock.sleep(10))
    await clock.settle()

    task.cancel()
    await clock.settle()

    assert clock.sleeping == 0
    with pytest.raises(asyncio.CancelledError):
        await task


def test_an_error_speaks_its_class_docstring():
    """A message is never empty, and facts are attributes."""
    error = RateLimitError(host="civitai.red", retry_after=5)

    assert str(error) == "The vendor asked us to wait."
    assert (error.host, error.retry_after, error.retry_at, error.gate_handled) == ("civitai.red", 5, None, False)
    assert isinstance(error, PantryError)
