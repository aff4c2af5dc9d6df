"""Own a task that runs beside everything else."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

logger = logging.getLogger(__name__)


class Background:
    """Run `work` in a task of its own, at most one at a time; an error of it goes to the log."""

    def __init__(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._work = work
        self._task: asyncio.Task[None] | None = None

    @property
    def was_started(self) -> bool:
        """Whether it has ever been begun."""
        return self._task is not None

    def start(self) -> None:
        """Begin, or begin again after the end; while it runs this does nothing. Must be called on the event loop."""
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._work())
            self._task.add_done_callback(_tell)

    async def settled(self) -> None:
        """Wait until it has ended."""
        if self._task is not None:
            await asyncio.wait({self._task})

    async def close(self) -> None:
        """End it at once, and wait for that; more than once does no harm."""
        if self._task is not None:
            self._task.cancel()
            await self.settled()


def _tell(task: asyncio.Task[None]) -> None:
    error = None if task.cancelled() else task.exception()
    if error is not None:
        logger.error("What runs in the background has met an error of ours.", exc_info=error)
