"""Bring a database up to date with the numbered files in migrations/.

Each file is applied once, in order of its number, in one transaction of its own. Rooms own ranges of numbers, so
that a file with a lower number may arrive after one with a higher number has been applied.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..core.errors import StorageError

MIGRATIONS = Path(__file__).resolve().parent / "migrations"
_NAME = re.compile(r"(\d{4})_[a-z0-9_]+\.sql")
_LEDGER = "CREATE TABLE IF NOT EXISTS schema_migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL)"


@dataclass(frozen=True, slots=True, order=True)
class Migration:
    """Name one step of the schema and hold its SQL."""

    number: int
    name: str
    sql: str


def load_migrations(folder: Path = MIGRATIONS) -> tuple[Migration, ...]:
    """Return every migration of `folder` in order; a wrong name or a number used twice is a defect of ours."""
    found = []
    for path in sorted(folder.glob("*.sql")):
        match = _NAME.fullmatch(path.name)
        if match is None:
            raise ValueError(f"{path.name} is not called NNNN_name.sql")
        found.append(Migration(int(match[1]), path.stem, path.read_text(encoding="utf-8")))
    if len({one.number for one in found}) != len(found):
        raise ValueError("two migrations share a number")
    return tuple(found)


def statements(sql: str) -> Iterator[str]:
    """Yield the statements of a script, each of which ends a line (triggers hold semicolons of their own)."""
    pending = ""
    for line in sql.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending.strip()
            pending = ""
    if pending.strip() and not all(line.lstrip().startswith("--") for line in pending.strip().splitlines()):
        raise ValueError("the last statement has no end")


def migrate(connection: sqlite3.Connection, migrations: tuple[Migration, ...]) -> list[str]:
    """Apply what is missing and return the names; raise `StorageError` on a database from a newer Pantry."""
    connection.execute(_LEDGER)
    _refuse_newer(connection, migrations)
    return [one.name for one in migrations if _apply(connection, one)]


def _refuse_newer(connection: sqlite3.Connection, migrations: tuple[Migration, ...]) -> None:
    known = {one.number for one in migrations}
    unknown = [name for number, name in connection.execute("SELECT * FROM schema_migrations") if number not in known]
    if unknown:
        raise StorageError(f"The database was written by a newer Pantry ({unknown[-1]}): update Pantry to open it.")


def _apply(connection: sqlite3.Connection, migration: Migration) -> bool:
    """Apply one migration unless it is there, also if another process is doing the same right now."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        done = connection.execute("SELECT 1 FROM schema_migrations WHERE number = ?", (migration.number,)).fetchone()
        if done is None:
            for statement in statements(migration.sql):
                connection.execute(statement)
            connection.execute("INSERT INTO schema_migrations VALUES (?, ?)", (migration.number, migration.name))
        connection.execute("COMMIT")
    except BaseException:  # half a migration must never be seen
        connection.execute("ROLLBACK")
        raise
    return done is None
