"""Turn SQLite's errors into one sentence that a person can act upon."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from ..core.errors import StorageError

# SQLite's messages are stable English; sqlite_errorname exists only from Python 3.11 on.
_SENTENCES = (
    ("disk is full", "The disk is full: make room, then try again. What was already saved is safe."),
    ("readonly", "The database cannot be written: its folder or file is read-only."),
    ("read-only", "The database cannot be written: its folder or file is read-only."),
    ("unable to open", "The database cannot be opened: the folder is missing, or may not be written to."),
    ("locked", "The database is busy in another program: close the other Pantry, or try again in a moment."),
    ("malformed", "The database file is damaged."),
    ("not a database", "The database file is damaged: it is not a SQLite database."),
    ("disk i/o error", "The disk reported an error while the database was being read or written."),
)


def explain(error: sqlite3.Error) -> StorageError:
    """Return a `StorageError` that says what happened and what helps."""
    text = str(error)
    lowered = text.lower()
    for mark, sentence in _SENTENCES:
        if mark in lowered:
            return StorageError(sentence)
    return StorageError(f"The database refused: {text}.")


@contextmanager
def storage_errors() -> Iterator[None]:
    """Let every `sqlite3.Error` of the block leave as a `StorageError` with its cause kept."""
    try:
        yield
    except sqlite3.Error as error:
        raise explain(error) from error
