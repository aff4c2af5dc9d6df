"""Look models up in a CivitAI metadata archive: a local file, opened read-only, on a thread of its own."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Callable
from pathlib import Path

from ...core.errors import StorageError
from ...core.outcomes import LookupKey
from ...storage.connections import ConnectionThreads
from ...storage.sqlite_file import open_sqlite
from ..model_info import ModelInfo
from . import side_index
from .decode import model_info
from .schema import ArchiveProblemError, check, has_hash_index

logger = logging.getLogger(__name__)

_BY_OWN_INDEX = (
    "SELECT version_id FROM model_files WHERE sha256 >= upper(?) AND sha256 < upper(?) ORDER BY version_id LIMIT 1"
)
_BY_SIDE_INDEX = "SELECT version_id FROM side.files WHERE sha256 >= ? AND sha256 < ? ORDER BY version_id LIMIT 1"
# Sorts behind every hex digit in either case.
_BEYOND = "~"


class ArchiveDatabase:
    """Answer look-ups by version id, SHA256 and AutoV2 (the SHA256's first ten digits).

    `path()` is read for every look-up, so that a change of the setting acts at once; `index` is where the side index
    goes. `problem` says, in a sentence for people, why a configured archive cannot be used; it is then left out.
    """

    def __init__(self, path: Callable[[], str], index: Path) -> None:
        self._path = path
        self._index = index
        self._open: tuple[str, ConnectionThreads] | None = None
        self._opening = asyncio.Lock()
        self._failed_path = ""
        self.problem: str | None = None

    @property
    def available(self) -> bool:
        """Whether there is an archive to ask."""
        path = self._path()
        if not path or (path == self._failed_path and self.problem):
            return False
        if not Path(path).is_file():
            self._note_problem(path, "The archive database is not where the settings say.")
            return False
        return True

    async def find(self, key: LookupKey) -> ModelInfo | None:
        """Return the version that `key` names, or None where the archive has none or cannot be read."""
        path = self._path()
        try:
            connections = await self._connections(path)
            return await connections.run(lambda connection: _find(connection, key))
        except (ArchiveProblemError, StorageError, sqlite3.Error, OSError) as error:
            told = str(error) if isinstance(error, ArchiveProblemError) else "The archive database cannot be read."
            self._note_problem(path, told)
            return None

    async def close(self) -> None:
        """Release the file."""
        if self._open is not None:
            await self._open[1].close()
            self._open = None

    async def _connections(self, path: str) -> ConnectionThreads:
        async with self._opening:
            if self._open is None or self._open[0] != path:
                await self.close()
                self._open = (path, await self._opened(Path(path)))
                self.problem = None
            return self._open[1]

    async def _opened(self, path: Path) -> ConnectionThreads:
        connections = ConnectionThreads("pantry-archive", lambda: _connect(path))
        try:
            await connections.run(lambda connection: _prepare(connection, path, self._index))
        except BaseException:  # cancelled or no archive: its thread must end
            await connections.close()
            raise
        return connections

    def _note_problem(self, path: str, problem: str) -> None:
        if (path, problem) != (self._failed_path, self.problem):
            logger.warning("%s It is left out of look-ups.", problem)
        self._failed_path, self.problem = path, problem


def _connect(path: Path) -> sqlite3.Connection:
    address = f"{path.absolute().as_uri()}?mode=ro"
    connection = open_sqlite(address, uri=True)
    connection.row_factory = sqlite3.Row
    return connection


def _prepare(connection: sqlite3.Connection, path: Path, index: Path) -> None:
    check(connection)
    if not has_hash_index(connection):
        side_index.ensure(connection, path, index)


def _find(connection: sqlite3.Connection, key: LookupKey) -> ModelInfo | None:
    version_id = int(key.value) if key.kind == "version_id" else _version_by_hash(connection, key)
    if version_id is None:
        return None
    version = connection.execute("SELECT * FROM model_versions WHERE id = ?", (version_id,)).fetchone()
    if version is None:
        return None
    model = connection.execute("SELECT * FROM models WHERE id = ?", (version["model_id"],)).fetchone()
    files = connection.execute("SELECT * FROM model_files WHERE version_id = ? ORDER BY id", (version_id,)).fetchall()
    return model_info(model, version, files) if model is not None else None


def _version_by_hash(connection: sqlite3.Connection, key: LookupKey) -> int | None:
    """Find a file by its SHA256 or the start of it."""
    if key.kind not in ("sha256", "autov2"):
        return None
    attached = {row["name"] for row in connection.execute("PRAGMA database_list")}
    sql = _BY_SIDE_INDEX if "side" in attached else _BY_OWN_INDEX
    row = connection.execute(sql, (key.value, key.value + _BEYOND)).fetchone()
    return None if row is None else int(row[0])
