"""Keep a few copies of the database, made while it is in use."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path

from ..core.errors import StorageError
from ..core.ports import Clock
from .damage import BACKUPS
from .database import Database
from .sqlite_file import open_sqlite

EVERY_SECONDS = 86_400.0
KEPT = 3
_PAGES = 1024  # copied in one step, so that writers wait only for moments


class Backups:
    """Copy the database into the folder ``backups`` beside it; the newest `KEPT` copies stay."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self.folder = database.path.parent / BACKUPS

    def list(self) -> tuple[Path, ...]:
        """Return the copies, newest first; blocks on the disk."""
        return tuple(sorted(self.folder.glob("*.sqlite"), reverse=True))

    async def make_if_due(self) -> Path | None:
        """Make a copy unless there is one from the last day; return it."""
        return await self._database.read(self._copy_if_due)

    async def make(self) -> Path:
        """Make a copy now; raise `StorageError`."""
        return await self._database.read(self._copy)

    def _copy_if_due(self, connection: sqlite3.Connection) -> Path | None:
        newest = next(iter(self.list()), None)
        due = newest is None or newest.stat().st_mtime + EVERY_SECONDS <= self._clock.wall()
        return self._copy(connection) if due else None

    def _copy(self, connection: sqlite3.Connection) -> Path:
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(self._clock.wall()))
        target = self.folder / f"pantry-{stamp}.sqlite"
        part = target.with_suffix(".part")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            part.unlink(missing_ok=True)
            with closing(open_sqlite(part)) as copy:
                connection.backup(copy, pages=_PAGES)
            part.replace(target)
            for old in self.list()[KEPT:]:
                old.unlink(missing_ok=True)
        except OSError as error:
            raise StorageError(f"No backup could be made: {error.strerror}.") from error
        return target
