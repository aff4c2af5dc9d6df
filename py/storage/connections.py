"""Run SQLite work on daemon threads, each of which owns one connection.

ComfyUI calls no shutdown hook, so a thread that is not a daemon would keep the process alive after Ctrl-C.
"""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from ..core.errors import StorageError

T = TypeVar("T")
Job = tuple["Future[Any]", Callable[[sqlite3.Connection], Any]]


class ConnectionThreads:
    """Serve functions that take a connection, in order of arrival, on `count` threads.

    A function whose caller was cancelled before it began never runs; one that has begun runs to its end.
    """

    def __init__(self, name: str, opener: Callable[[], sqlite3.Connection], count: int = 1) -> None:
        self._opener = opener
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._closed = False
        self._threads = [
            threading.Thread(target=self._serve, name=f"{name}-{number}", daemon=True) for number in range(count)
        ]
        for thread in self._threads:
            thread.start()

    async def run(self, function: Callable[[sqlite3.Connection], T]) -> T:
        """Return what `function` returns; errors of SQLite leave as they are."""
        if self._closed:
            raise StorageError("The database is closed.")
        future: Future[T] = Future()
        self._jobs.put((future, function))
        return await asyncio.wrap_future(future)

    async def close(self) -> None:
        """Finish what is queued, close the connections and end the threads; a second call does nothing."""
        if self._closed:
            return
        self._closed = True
        for _ in self._threads:
            self._jobs.put(None)
        loop = asyncio.get_running_loop()
        for thread in self._threads:
            await loop.run_in_executor(None, thread.join)

    def _serve(self) -> None:
        connection: sqlite3.Connection | None = None
        while (job := self._jobs.get()) is not None:
            future, function = job
            if not future.set_running_or_notify_cancel():
                continue
            try:
                connection = connection or self._opener()
                result = function(connection)
            except BaseException as error:  # noqa: BLE001 - it belongs to whoever asked
                future.set_exception(error)
            else:
                future.set_result(result)
            del job, future, function  # an idle thread must not keep the last answer alive
        if connection is not None:
            connection.close()
