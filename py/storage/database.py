"""Own the one SQLite file: reads beside a single writer, and transactions that end whole or not at all."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from .connections import ConnectionThreads
from .damage import mend
from .failures import storage_errors
from .migrate import load_migrations, migrate
from .sqlite_file import open_sqlite

T = TypeVar("T")
Row = sqlite3.Row
Params = Sequence[Any] | dict[str, Any]

BUSY_SECONDS = 5.0  # how long another process may hold the write lock before we say so
READERS = 2  # one slow search must not hold up the rest


class Transaction:
    """Run statements inside one transaction; made by `Database.transaction` only."""

    def __init__(self, writer: ConnectionThreads) -> None:
        self._writer = writer

    async def execute(self, sql: str, params: Params = ()) -> int:
        """Run one statement; return the number of rows it changed."""
        return await self.run(lambda connection: connection.execute(sql, params).rowcount)

    async def insert(self, sql: str, params: Params = ()) -> int:
        """Run one INSERT; return the new row's id."""
        return await self.run(lambda connection: connection.execute(sql, params).lastrowid or 0)

    async def execute_many(self, sql: str, rows: Iterable[Params]) -> int:
        """Run one statement for every row, in one step; return the number of rows changed."""
        listed = list(rows)
        return await self.run(lambda connection: connection.executemany(sql, listed).rowcount)

    async def fetch_all(self, sql: str, params: Params = ()) -> list[Row]:
        """Return the rows of a query, seeing this transaction's own changes."""
        return await self.run(lambda connection: connection.execute(sql, params).fetchall())

    async def fetch_one(self, sql: str, params: Params = ()) -> Row | None:
        """Return the first row of a query, or None."""
        return await self.run(lambda connection: _first(connection, sql, params))

    async def run(self, function: Callable[[sqlite3.Connection], T]) -> T:
        """Run many statements in one step on the writer's thread; `function` must not commit."""
        with storage_errors():
            return await self._writer.run(function)


class Database:
    """Give access to the file; errors of SQLite leave as `StorageError`.

    Build with `await Database.open(path)`. Reads run on connections of their own and never wait for the writer
    (WAL). The threads are daemons: a process that ends without `close` ends at once and loses no commit.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problem: str | None = None
        self._writer = ConnectionThreads("pantry-writer", lambda: _connect(path))
        self._readers = ConnectionThreads("pantry-reader", lambda: _connect(path, read_only=True), READERS)
        self._turn = asyncio.Lock()

    @classmethod
    async def open(cls, path: Path) -> Database:
        """Open or create the file and bring its schema up to date; `problem` tells of a file that was damaged."""
        database = cls(path)
        try:
            with storage_errors():
                database.problem = await asyncio.to_thread(mend, path)
                await database._writer.run(lambda connection: migrate(connection, load_migrations()))
        except BaseException:  # cancelled or failed: no thread may keep the file
            await database.close()
            raise
        return database

    async def fetch_all(self, sql: str, params: Params = ()) -> list[Row]:
        """Return the rows of a query over what is committed."""
        return await self.read(lambda connection: connection.execute(sql, params).fetchall())

    async def fetch_one(self, sql: str, params: Params = ()) -> Row | None:
        """Return the first row of a query over what is committed, or None."""
        return await self.read(lambda connection: _first(connection, sql, params))

    async def read(self, function: Callable[[sqlite3.Connection], T]) -> T:
        """Run several reads in one step on a reader's thread; writes are refused there."""
        with storage_errors():
            return await self._readers.run(function)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Transaction]:
        """Open a transaction, one at a time; any exception, cancellation included, takes everything back."""
        async with self._turn:
            with storage_errors():
                try:
                    await self._writer.run(_begin)
                    yield Transaction(self._writer)
                    await self._finish(_commit)
                except BaseException:  # cancelled or the caller's own error: take it all back
                    await self._finish(_rollback)
                    raise

    async def close(self) -> None:
        """Finish what is queued and release the file; a second call does nothing."""
        await self._readers.close()
        await self._writer.close()

    async def _finish(self, function: Callable[[sqlite3.Connection], None]) -> None:
        """Run the last step of a transaction to its end, also where the caller is being cancelled."""
        step = asyncio.ensure_future(self._writer.run(function))
        try:
            await asyncio.shield(step)
        except asyncio.CancelledError:
            await asyncio.wait({step})
            raise


def _connect(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    with suppress(OSError):  # SQLite then says that it cannot open the file
        path.parent.mkdir(parents=True, exist_ok=True)
    connection = open_sqlite(path, timeout=BUSY_SECONDS)
    try:
        _prepare(connection, read_only=read_only)
    except sqlite3.Error:  # no database, or a locked one: the file must not stay open behind the error
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection, *, read_only: bool) -> None:
    connection.row_factory = sqlite3.Row
    _use_wal(connection)
    # In WAL mode NORMAL can lose the last commits to a power cut but never to a killed process, and never the file.
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = ON")
    if read_only:
        connection.execute("PRAGMA query_only = ON")


def _use_wal(connection: sqlite3.Connection) -> None:
    """Switch to WAL; two that start at once collide here, because SQLite does not wait for this one lock."""
    for _ in range(5):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            connection.execute("BEGIN IMMEDIATE")  # this one waits, and fails where waiting does not help
            connection.execute("COMMIT")
        else:
            return
    connection.execute("PRAGMA journal_mode = WAL")


def _first(connection: sqlite3.Connection, sql: str, params: Params) -> Row | None:
    cursor = connection.execute(sql, params)
    try:
        row: Row | None = cursor.fetchone()
    finally:
        cursor.close()  # an unfinished SELECT would hold its snapshot open
    return row


def _begin(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN IMMEDIATE")


def _commit(connection: sqlite3.Connection) -> None:
    connection.execute("COMMIT")


def _rollback(connection: sqlite3.Connection) -> None:
    if connection.in_transaction:
        connection.execute("ROLLBACK")
