"""Remember which files of watched folders have been dealt with."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from ..storage.database import Database


class WatchStore:
    """Keep the seen files of each watched folder."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def seen(self, folder: Path) -> list[str] | None:
        """Return the seen files of a folder, or None where it was not watched before."""
        if await self._database.fetch_one("SELECT 1 FROM watch_folders WHERE folder = ?", (str(folder),)) is None:
            return None
        sql = "SELECT path FROM watch_seen WHERE folder = ?"
        return await self._database.read(
            lambda connection: [path for (path,) in connection.execute(sql, (str(folder),))]
        )

    async def add(self, folder: Path, paths: Iterable[str]) -> None:
        """Note files as seen; the folder counts as watched from then on."""
        async with self._database.transaction() as tx:
            await tx.execute("INSERT OR IGNORE INTO watch_folders (folder) VALUES (?)", (str(folder),))
            await tx.run(partial(_add, folder=str(folder), paths=list(paths)))

    async def keep_only(self, folders: Iterable[Path]) -> None:
        """Forget folders that are not watched any more, so that watching them again begins anew."""
        kept = [str(folder) for folder in folders]
        marks = ", ".join("?" * len(kept))
        async with self._database.transaction() as tx:
            await tx.execute(f"DELETE FROM watch_folders WHERE folder NOT IN ({marks})", kept)


def _seen(connection: sqlite3.Connection, folder: str) -> list[str]:
    return [path for (path,) in connection.execute("SELECT path FROM watch_seen WHERE folder = ?", (folder,))]


def _add(connection: sqlite3.Connection, folder: str, paths: list[str]) -> None:
    sql = "INSERT OR IGNORE INTO watch_seen (folder, path) VALUES (?, ?)"
    connection.executemany(sql, ((folder, path) for path in paths))
