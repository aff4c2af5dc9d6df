"""Open SQLite files; the one place that does."""

from __future__ import annotations

import sqlite3
from pathlib import Path


def open_sqlite(path: Path | str, *, timeout: float = 5.0, uri: bool = False) -> sqlite3.Connection:
    """Return a connection in autocommit mode, usable from any one thread at a time.

    `timeout` is how long, in seconds, another program's lock is waited for.
    """
    return sqlite3.connect(path, timeout=timeout, isolation_level=None, check_same_thread=False, uri=uri)
