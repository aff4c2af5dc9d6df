"""Index the archive's files by SHA256 in a small database of our own.

The published archive has no such index, and a look-up without one reads every row. It is somebody else's file, so
the index is kept beside Pantry's data and built once for each archive.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from ...storage.sqlite_file import open_sqlite

_TABLES = """
CREATE TABLE files (sha256 TEXT NOT NULL, version_id INTEGER NOT NULL, PRIMARY KEY (sha256, version_id)) WITHOUT ROWID;
CREATE TABLE built_from (size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, path TEXT NOT NULL);
"""


def ensure(archive: sqlite3.Connection, path: Path, index: Path) -> None:
    """Attach the side index of `archive` (at `path`) as ``side``, building it first where it is not this archive's."""
    stamp = _stamp(path)
    if _stamp_of(index) != stamp:
        _build(archive, index, stamp)
    archive.execute("ATTACH DATABASE ? AS side", (f"{index.absolute().as_uri()}?mode=ro",))


def _build(archive: sqlite3.Connection, index: Path, stamp: tuple[int, int, str]) -> None:
    """Write the index under another name and put it in place whole."""
    index.parent.mkdir(parents=True, exist_ok=True)
    fresh = index.with_name(f"{index.name}.new")
    with suppress(FileNotFoundError):
        fresh.unlink()
    rows = archive.execute("SELECT lower(sha256), version_id FROM model_files WHERE length(sha256) = 64")
    with closing(open_sqlite(fresh)) as side:
        side.executescript(_TABLES)
        side.execute("BEGIN")
        side.executemany("INSERT OR IGNORE INTO files VALUES (?, ?)", ((row[0], row[1]) for row in rows))
        side.execute("INSERT INTO built_from VALUES (?, ?, ?)", stamp)
        side.execute("COMMIT")
    fresh.replace(index)


def _stamp(path: Path) -> tuple[int, int, str]:
    stat = path.stat()
    return stat.st_size, stat.st_mtime_ns, str(path)


def _stamp_of(index: Path) -> tuple[int, int, str] | None:
    """Return what an index was built from, or None where there is none that can be read."""
    try:
        with closing(open_sqlite(f"{index.absolute().as_uri()}?mode=ro", uri=True)) as side:
            row = side.execute("SELECT size, mtime_ns, path FROM built_from").fetchone()
    except sqlite3.DatabaseError:
        return None
    return (row[0], row[1], row[2]) if row else None
