"""Check the database file before it is opened; set a damaged one aside and put the newest whole backup in its place."""

from __future__ import annotations

import logging
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from ..core.errors import StorageError
from .sqlite_file import open_sqlite

logger = logging.getLogger(__name__)

BACKUPS = "backups"  # the folder beside the database
_COMPANIONS = ("-wal", "-shm")  # SQLite's own files beside the database


def mend(path: Path) -> str | None:
    """Return None where the file is whole or not there yet, else a sentence on what was damaged and what was done.

    Nothing is deleted: the damaged file stays beside the new one. Raises `StorageError` where it cannot be moved.
    """
    if not path.exists() or is_whole(path):
        return None
    kept = set_aside(path, "damaged")
    told = f"The database was damaged and is kept as {kept.name}."
    backup = newest_whole(path.parent / BACKUPS)
    if backup is None:
        told = f"{told} There is no backup, so Pantry begins with an empty one."
    else:
        shutil.copyfile(backup, path)
        told = f"{told} The backup {backup.name} has taken its place; import again what has been added since."
    logger.error("%s", told)
    return told


def restore(path: Path, backup: Path) -> Path | None:
    """Put a backup in the place of a database that nobody has open; return where the present one is kept, if any."""
    if not is_whole(backup):
        raise StorageError(f"{backup.name} is not a whole database.")
    kept = set_aside(path, "replaced") if path.exists() else None
    shutil.copyfile(backup, path)
    return kept


def is_whole(path: Path) -> bool:
    """Whether SQLite finds no damage; a file that is locked or may not be read counts as whole, to be told later."""
    try:
        with closing(open_sqlite(path)) as connection:
            return bool(connection.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok")
    except sqlite3.OperationalError:
        return True
    except sqlite3.DatabaseError:
        return False


def newest_whole(folder: Path) -> Path | None:
    """Return the newest backup without damage, or None."""
    backups = sorted(folder.glob("*.sqlite"), reverse=True)
    return next((one for one in backups if is_whole(one)), None)


def set_aside(path: Path, why: str) -> Path:
    """Move the database with its companions to the first free name ``<name>.<why>-N``; return that."""
    number = 1
    while (kept := path.with_name(f"{path.name}.{why}-{number}")).exists():
        number += 1
    try:
        path.rename(kept)
        for end in _COMPANIONS:
            companion = path.with_name(path.name + end)
            if companion.exists():
                companion.rename(kept.with_name(kept.name + end))
    except OSError as error:
        raise StorageError(f"{path.name} cannot be moved aside ({error.strerror}).") from error
    return kept
