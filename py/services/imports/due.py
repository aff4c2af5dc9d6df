"""Wake when the first put-off image may be tried again; the job it belongs to then goes on by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from ...core.background import Background
from ...core.ports import Clock

GRACE_SECONDS = 1.0  # after the end of a window, so that a clock that is a little off does not ask into it
SPACING_SECONDS = 30.0  # between two goes, whatever a vendor says about the end of its window


class DueTimer:
    """Call `act` when the time that `next_due` names (seconds since the epoch) has come; `look_again` re-reads it."""

    def __init__(
        self, clock: Clock, next_due: Callable[[], Awaitable[float | None]], act: Callable[[], Awaitable[None]]
    ) -> None:
        self._clock = clock
        self._next_due = next_due
        self._act = act
        self._news = asyncio.Event()
        self._background = Background(self._run)

    def start(self) -> None:
        """Begin; a second call does nothing."""
        self._background.start()

    def look_again(self) -> None:
        """Say that something may be due at another time now."""
        self._news.set()

    async def close(self) -> None:
        """End."""
        await self._background.close()

    async def _run(self) -> None:
        while True:
            self._news.clear()
            due = await self._next_due()
            if due is not None and due + GRACE_SECONDS <= self._clock.wall():
                await self._act()
                await self._clock.sleep(SPACING_SECONDS)
                continue
            await self._wait(None if due is None else due + GRACE_SECONDS - self._clock.wall())

    async def _wait(self, seconds: float | None) -> None:
        waits: list[asyncio.Future[Any]] = [asyncio.ensure_future(self._news.wait())]
        if seconds is not None:
            waits.append(asyncio.ensure_future(self._clock.sleep(seconds)))
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in waits:
                one.cancel()
            await asyncio.gather(*waits, return_exceptions=True)
