"""Send a job's progress to whoever watches: the newest state, at most four times a second."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from ..core.background import Background
from ..core.ports import Clock, JsonObject

INTERVAL_SECONDS = 0.3  # so that no second holds more than four messages, however it is cut


class Feed:
    """Publish `snapshot()` soon after `touch`, never twice within `INTERVAL_SECONDS`, and always the last state."""

    def __init__(self, clock: Clock, snapshot: Callable[[], JsonObject], publish: Callable[[JsonObject], None]) -> None:
        self._clock = clock
        self._snapshot = snapshot
        self._publish = publish
        self._news = asyncio.Event()
        self._background = Background(self._run)

    def touch(self) -> None:
        """Say that something has changed; must be called on the event loop."""
        self._news.set()
        self._background.start()

    async def close(self) -> None:
        """Publish the last state, if it has not been, and end."""
        await self._background.close()
        self._send()

    async def _run(self) -> None:
        while True:
            await self._news.wait()
            self._send()
            await self._clock.sleep(INTERVAL_SECONDS)

    def _send(self) -> None:
        if self._news.is_set():
            self._news.clear()
            self._publish(self._snapshot())
