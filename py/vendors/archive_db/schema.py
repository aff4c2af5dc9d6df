"""Say what a CivitAI metadata archive looks like (civitai.sql of the published database), and check it."""

from __future__ import annotations

import sqlite3

from ...core.errors import PantryError

# Table by table, the columns that are read here.
COLUMNS: dict[str, frozenset[str]] = {
    "models": frozenset({"id", "name", "type", "username", "data"}),
    "model_versions": frozenset({"id", "model_id", "name", "base_model", "published_at", "data"}),
    "model_files": frozenset({"id", "model_id", "version_id", "type", "sha256", "data"}),
}


class ArchiveProblemError(PantryError):
    """The archive database cannot be used."""

    code = "archive"


def check(connection: sqlite3.Connection) -> None:
    """Raise `ArchiveProblemError` with a sentence for people where this is not such an archive."""
    try:
        for table, wanted in COLUMNS.items():
            found = {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
            if not found:
                raise ArchiveProblemError(f"The archive has no table called {table}: it is another database.")
            if wanted - found:
                missing = ", ".join(sorted(wanted - found))
                raise ArchiveProblemError(f"The archive's table {table} lacks {missing}: it is of another version.")
    except sqlite3.DatabaseError as error:
        raise ArchiveProblemError(
            "The archive is not an SQLite database; a download may have saved a web page in its place."
        ) from error


def has_hash_index(connection: sqlite3.Connection) -> bool:
    """Tell whether files can be found by SHA256 without reading them all; the published database cannot."""
    for index in connection.execute("PRAGMA index_list(model_files)").fetchall():
        first = connection.execute(f'PRAGMA index_info("{index[1]}")').fetchone()
        if first is not None and first[2] == "sha256":
            return True
    return False
