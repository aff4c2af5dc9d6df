"""Let everyone who asks the same question at the same time share one answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


@dataclass(slots=True)
class _Flight(Generic[Value]):
    task: asyncio.Task[Value]
    waiters: int = 0


class SingleFlight(Generic[Key, Value]):
    """Run one task per key; a waiter that is cancelled leaves the rest alone, and the last one takes it along."""

    def __init__(self) -> None:
        self._flights: dict[Key, _Flight[Value]] = {}

    def __contains__(self, key: Key) -> bool:
        """Tell whether the question is under way."""
        return key in self._flights

    async def run(self, key: Key, start: Callable[[], Coroutine[Any, Any, Value]]) -> Value:
        """Return the answer of the flight under way for `key`, or of `start()`."""
        flight = self._flights.get(key) or self._take_off(key, start)
        flight.waiters += 1
        try:
            return await asyncio.shield(flight.task)
        finally:
            flight.waiters -= 1
            if not flight.waiters:
                await self._land(key, flight)

    def _take_off(self, key: Key, start: Callable[[], Coroutine[Any, Any, Value]]) -> _Flight[Value]:
        flight = self._flights[key] = _Flight(asyncio.ensure_future(start()))
        return flight

    async def _land(self, key: Key, flight: _Flight[Value]) -> None:
        """Forget a flight that nobody waits for, and end it where it is still under way."""
        if self._flights.get(key) is flight:
            del self._flights[key]
        if not flight.task.done():
            flight.task.cancel()
            await asyncio.wait({flight.task})
