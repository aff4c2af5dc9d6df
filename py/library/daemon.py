"""Run one blocking call on a daemon thread of its own.

An executor's threads are joined when the interpreter ends, so that Ctrl-C would wait for a file of many gigabytes
to be hashed; a daemon thread is simply dropped.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TypeVar

T = TypeVar("T")


async def in_daemon_thread(call: Callable[[], T]) -> T:
    """Return what `call()` returns; a caller that is cancelled goes on at once, the thread to its own end."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def work() -> None:
        try:
            result = call()
        except Exception as error:  # noqa: BLE001 - handed to the caller as it is
            _deliver(loop, partial(_fail, future, error))
        else:
            _deliver(loop, partial(_succeed, future, result))

    threading.Thread(target=work, daemon=True, name="pantry-library").start()
    return await future


def _succeed(future: asyncio.Future[T], result: T) -> None:
    if not future.done():
        future.set_result(result)


def _fail(future: asyncio.Future[T], problem: Exception) -> None:
    if not future.done():
        future.set_exception(problem)


def _deliver(loop: asyncio.AbstractEventLoop, step: Callable[[], None]) -> None:
    with suppress(RuntimeError):  # the loop has been closed; nobody waits any more
        loop.call_soon_threadsafe(step)
