"""Keep the library in SQLite: files, their hashes, and what is known about each."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from ..core.errors import NotFoundError
from ..core.outcomes import LookupKey
from ..recipes.values import normalised_name
from ..storage.database import Database, Row
from .filter import ORDERS, ModelFilter
from .models import ModelFile
from .scan import Changes, FoundFile
from .states import Knowledge

Stamp = tuple[int, int]
_KEYS_PER_QUERY = 400
_UNHASHED = "hashed_at IS NULL AND hash_problem IS NULL AND read_at IS NOT NULL AND offline = 0"
_KNOWLEDGE = """state = :state, metadata = :metadata, metadata_source = :metadata_source,
    civitai_deleted = :civitai_deleted, checked_at = :checked_at, host = :host, retry_at = :retry_at,
    detail = :detail, title = coalesce(:title, title), version_name = coalesce(:version_name, version_name),
    base_model = coalesce(:base_model, base_model), model_id = coalesce(:model_id, model_id),
    version_id = coalesce(:version_id, version_id)"""


class LibraryStore:
    """Read and write the library's tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def stamps(self, root: str) -> dict[str, Stamp]:
        """Return size and mtime (ns) of every known file of a root, by path."""
        sql = "SELECT path, size, mtime_ns FROM model_files WHERE root = ?"

        def read(connection: sqlite3.Connection) -> dict[str, Stamp]:
            return {path: (size, mtime) for path, size, mtime in connection.execute(sql, (root,))}

        return await self._database.read(read)

    async def roots(self) -> list[str]:
        """Return the roots that models are known of."""
        return [row[0] for row in await self._database.fetch_all("SELECT DISTINCT root FROM model_files")]

    async def apply(self, root: str, changes: Changes, now: float) -> list[int]:
        """Write down what a scan of an online root found; return the numbers of files that are gone."""
        async with self._database.transaction() as tx:
            gone = await tx.run(partial(_apply, changes=changes, now=now))
            # What could not be read while the drive went away can be now.
            sql = "UPDATE model_files SET offline = 0, hash_problem = NULL WHERE root = ? AND offline = 1"
            await tx.execute(sql, (root,))
        return gone

    async def set_offline(self, root: str) -> None:
        """Note that a root is out of reach; nothing about its models is forgotten."""
        async with self._database.transaction() as tx:
            await tx.execute("UPDATE model_files SET offline = 1 WHERE root = ? AND offline = 0", (root,))

    async def get(self, number: int) -> ModelFile:
        """Return one file; raise `NotFoundError` where there is none."""
        found = await self.files([number])
        if not found:
            raise NotFoundError("There is no such model.")
        return found[0]

    async def files(self, numbers: Sequence[int]) -> list[ModelFile]:
        """Return files by number, with their hashes."""
        return await self._database.read(partial(files_of, numbers=numbers))

    async def page(self, wish: ModelFilter) -> tuple[list[ModelFile], int]:
        """Return the files that a filter asks for, and how many fit it altogether."""
        where, values = wish.condition()
        sql = f"{where} ORDER BY {ORDERS[wish.sort]}, number LIMIT ? OFFSET ?"
        found = await self._some(sql, [*values, wish.limit, wish.offset])
        row = await self._database.fetch_one(f"SELECT COUNT(*) AS total FROM model_files WHERE {where}", values)
        return found, row["total"] if row else 0

    async def unread(self, limit: int) -> list[ModelFile]:
        """Return files whose header and sidecars have not been read since they changed."""
        return await self._some("read_at IS NULL AND offline = 0 ORDER BY number LIMIT ?", (limit,))

    async def unhashed(self, limit: int) -> list[ModelFile]:
        """Return files without a SHA256, small ones first."""
        return await self._some(f"{_UNHASHED} ORDER BY size LIMIT ?", (limit,))

    async def count_unhashed(self) -> int:
        """Return how many files have no SHA256 but can get one."""
        row = await self._database.fetch_one(f"SELECT COUNT(*) FROM model_files WHERE {_UNHASHED}")
        return int(row[0]) if row else 0

    async def by_key(self, keys: Iterable[LookupKey]) -> dict[LookupKey, ModelFile]:
        """Return the described file for each hash or version id; files that nobody has described are left out."""
        wanted = list(dict.fromkeys(keys))
        numbers = await self._database.read(partial(_numbers_by_key, keys=wanted))
        files = {one.number: one for one in await self.files(list(numbers.values()))}
        return {key: files[number] for key, number in numbers.items() if number in files}

    async def by_name(self, name: str) -> list[ModelFile]:
        """Return the files that recipes would call by this name."""
        return await self._some("name = ? ORDER BY number LIMIT 50", (normalised_name(name),))

    async def save_hashes(self, number: int, hashes: Mapping[str, str], now: float) -> None:
        """Store a file's hashes; a SHA256 among them settles that it has been hashed."""
        async with self._database.transaction() as tx:
            await tx.run(partial(save_hashes, number=number, hashes=hashes, now=now))

    async def save_hash_problem(self, number: int, problem: str) -> None:
        """Store why a file cannot be hashed, so that it is not tried again before it changes."""
        async with self._database.transaction() as tx:
            await tx.execute("UPDATE model_files SET hash_problem = ? WHERE number = ?", (problem, number))

    async def save_knowledge(self, learned: Mapping[int, Knowledge]) -> None:
        """Store what is known about files, by number."""
        async with self._database.transaction() as tx:
            await tx.run(partial(save_knowledge, learned=learned))

    async def _some(self, where: str, values: Sequence[Any]) -> list[ModelFile]:
        sql = f"SELECT number FROM model_files WHERE {where}"
        return await self.files([row[0] for row in await self._database.fetch_all(sql, values)])


def _apply(connection: sqlite3.Connection, changes: Changes, now: float) -> list[int]:
    # A changed file is another file: nothing that was known about the old content is true of the new.
    old = json.dumps([*changes.gone, *(one.path for one in changes.changed)])
    sql = "SELECT number FROM model_files WHERE path IN (SELECT value FROM json_each(?))"
    gone = [number for (number,) in connection.execute(sql, (old,))]
    connection.executemany("DELETE FROM model_files WHERE number = ?", [(number,) for number in gone])
    for origin, one in changes.moved:
        # A path that is taken belongs to the file that is there now.
        connection.execute("DELETE FROM model_files WHERE path = ?", (one.path,))
        sql = "UPDATE model_files SET path = ?, root = ?, type = ? WHERE path = ?"
        connection.execute(sql, (one.path, one.root, one.type, origin))
    connection.executemany(
        """INSERT INTO model_files (path, root, type, file_name, name, size, mtime_ns, added_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (path) DO NOTHING""",
        [_new_row(one, now) for one in (*changes.added, *changes.changed)],
    )
    return gone


def _new_row(one: FoundFile, now: float) -> tuple[Any, ...]:
    file_name = os.path.basename(one.path)  # noqa: PTH119 - tens of thousands of paths; a Path each takes seconds
    return one.path, one.root, one.type, file_name, normalised_name(file_name), one.size, one.mtime_ns, now


def files_of(connection: sqlite3.Connection, numbers: Sequence[int]) -> list[ModelFile]:
    """Return files by number, with their hashes; runs on a database thread."""
    found: dict[int, ModelFile] = {}
    for start in range(0, len(numbers), _KEYS_PER_QUERY):
        part = numbers[start : start + _KEYS_PER_QUERY]
        marks = ",".join("?" * len(part))
        hashes: dict[int, dict[str, str]] = {}
        sql = f"SELECT file, kind, value FROM model_hashes WHERE file IN ({marks})"
        for file, kind, value in connection.execute(sql, part):
            hashes.setdefault(file, {})[kind] = value
        rows: list[Row] = connection.execute(f"SELECT * FROM model_files WHERE number IN ({marks})", part).fetchall()
        found |= {row["number"]: ModelFile.from_row(row, hashes.get(row["number"], {})) for row in rows}
    return [found[number] for number in numbers if number in found]


def _numbers_by_key(connection: sqlite3.Connection, keys: Sequence[LookupKey]) -> dict[LookupKey, int]:
    by_hash = """SELECT h.file FROM model_hashes h JOIN model_files f ON f.number = h.file
        WHERE h.kind = ? AND h.value = ? AND (f.metadata IS NOT NULL OR f.state = 'absent')
        ORDER BY f.metadata IS NULL, h.file LIMIT 1"""
    by_version = "SELECT number FROM model_files WHERE version_id = ? AND metadata IS NOT NULL LIMIT 1"
    found = {}
    for key in keys:
        asked = (by_version, (key.value,)) if key.kind == "version_id" else (by_hash, (key.kind, key.value))
        row = connection.execute(*asked).fetchone()
        if row:
            found[key] = row[0]
    return found


def save_hashes(connection: sqlite3.Connection, number: int, hashes: Mapping[str, str], now: float) -> None:
    """Store hashes inside a transaction of the caller; a file that has gone meanwhile is passed over."""
    if connection.execute("SELECT 1 FROM model_files WHERE number = ?", (number,)).fetchone() is None:
        return
    rows = [(kind, value, number) for kind, value in hashes.items()]
    connection.executemany("INSERT OR IGNORE INTO model_hashes (kind, value, file) VALUES (?, ?, ?)", rows)
    if "sha256" in hashes:
        sql = "UPDATE model_files SET hashed_at = ?, hash_problem = NULL WHERE number = ?"
        connection.execute(sql, (now, number))


def save_knowledge(connection: sqlite3.Connection, learned: Mapping[int, Knowledge]) -> None:
    """Store what is known inside a transaction of the caller."""
    sql = f"UPDATE model_files SET {_KNOWLEDGE} WHERE number = :number"
    connection.executemany(sql, [{**_columns(one), "number": number} for number, one in learned.items()])


def _columns(one: Knowledge) -> dict[str, Any]:
    info = one.metadata
    return {
        "state": one.state.value,
        "metadata": json.dumps(info.to_json()) if info else None,
        "metadata_source": one.metadata_source,
        "civitai_deleted": one.civitai_deleted,
        "checked_at": one.checked_at,
        "host": one.host,
        "retry_at": one.retry_at,
        "detail": one.detail,
        "title": info and info.name,
        "version_name": info and info.version_name,
        "base_model": info and info.base_model,
        "model_id": info and info.model_id,
        "version_id": info and info.version_id,
    }
