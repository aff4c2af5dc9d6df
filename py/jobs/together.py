"""Run coroutines side by side so that the first error, or a cancellation, ends them all."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any


async def together(*coroutines: Coroutine[Any, Any, None]) -> None:
    """Wait for all; on the first error cancel the others, wait for them, and raise it."""
    tasks = [asyncio.ensure_future(one) for one in coroutines]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
