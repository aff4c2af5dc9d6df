"""Run SQLite work on aiosqlite connections whose threads are daemons.

ComfyUI calls no shutdown hook, so a thread that is not a daemon would keep the process alive after Ctrl-C.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Callable
from typing import Any, TypeVar

import aiosqlite

from ..core.errors import StorageError

T = TypeVar("T")


class ConnectionThreads:
    """Serve functions that take a connection, in order of arrival, on `count` threads with a connection each.

    A function that has been handed over runs to its end, also where its caller is cancelled meanwhile.
    """

    def __init__(self, name: str, opener: Callable[[], sqlite3.Connection], count: int = 1) -> None:
        self._name = name
        self._opener = opener
        self._count = count
        self._opening = asyncio.Lock()
        self._connections: list[aiosqlite.Connection] = []
        self._pending: Counter[aiosqlite.Connection] = Counter()
        self._closed = False

    async def run(self, function: Callable[[sqlite3.Connection], T]) -> T:
        """Return what `function` returns; errors of SQLite leave as they are."""
        connection = await self._least_busy()
        self._pending[connection] += 1
        try:
            # The public methods take one hop to the thread for every statement; a step of many rows needs one.
            step: Any = connection._execute  # noqa: SLF001
            result: T = await step(function, connection._conn)  # noqa: SLF001
        finally:
            self._pending[connection] -= 1
        return result

    async def close(self) -> None:
        """Finish what is queued, close the connections and end the threads; a second call does nothing."""
        self._closed = True
        async with self._opening:
            while self._connections:
                await self._connections.pop().close()

    async def _least_busy(self) -> aiosqlite.Connection:
        async with self._opening:
            if self._closed:
                raise StorageError("The database is closed.")
            while len(self._connections) < self._count:
                await self._add_one()
            return min(self._connections, key=self._pending.__getitem__)

    async def _add_one(self) -> None:
        """Open one more, to the end also where the caller is cancelled: a file half opened could not be closed."""
        opening = asyncio.ensure_future(self._open())
        try:
            await asyncio.wait({opening})
        except asyncio.CancelledError:
            await asyncio.wait({opening})
            raise
        finally:
            if opening.done() and opening.exception() is None:
                self._connections.append(opening.result())
        opening.result()

    async def _open(self) -> aiosqlite.Connection:
        connection = aiosqlite.Connection(self._opener, iter_chunk_size=64)
        # From 0.22 the connection has a thread, before that it is one.
        worker: Any = getattr(connection, "_thread", connection)
        worker.daemon = True
        worker.name = self._name
        return await connection
