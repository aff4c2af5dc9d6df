"""Migrations: each once, in order, whole or not at all, also beside another process."""

from __future__ import annotations

import asyncio
from contextlib import closing

import pytest

from py.core.errors import StorageError
from py.storage.database import Database
from py.storage.migrate import Migration, load_migrations, migrate, statements
from py.storage.sqlite_file import open_sqlite

FIRST = Migration(1, "0001_first", "CREATE TABLE a (x);\nINSERT INTO a VALUES (1);")
SECOND = Migration(20, "0020_second", "-- a comment; with a semicolon\nINSERT INTO a VALUES (2);")
LATE = Migration(5, "0005_late", "INSERT INTO a VALUES (3);")
BROKEN = Migration(21, "0021_broken", "INSERT INTO a VALUES (4);\nINSERT INTO nowhere VALUES (1);")


@pytest.fixture
def connection(tmp_path):
    with closing(open_sqlite(tmp_path / "x.sqlite")) as connection:
        yield connection


def rows(connection):
    return [row[0] for row in connection.execute("SELECT x FROM a ORDER BY x")]


def test_each_migration_runs_once(connection):
    """A second start changes nothing; a lower number that arrives later is still applied."""
    assert migrate(connection, (FIRST, SECOND)) == ["0001_first", "0020_second"]
    assert migrate(connection, (FIRST, SECOND)) == []
    assert migrate(connection, (FIRST, LATE, SECOND)) == ["0005_late"]
    assert rows(connection) == [1, 2, 3]


def test_a_migration_that_breaks_leaves_nothing_behind(connection):
    """Half a migration is never seen; the whole ones before it stay."""
    with pytest.raises(Exception, match="nowhere"):
        migrate(connection, (FIRST, BROKEN))

    assert rows(connection) == [1]
    assert migrate(connection, (FIRST, SECOND)) == ["0020_second"]


def test_a_database_of_a_newer_pantry_is_refused(connection):
    """Going back to an older version damages nothing and says what to do."""
    migrate(connection, (FIRST, SECOND))

    with pytest.raises(StorageError, match="newer Pantry"):
        migrate(connection, (FIRST,))


def test_triggers_are_one_statement():
    """A semicolon inside a trigger ends nothing; a script must end its last statement."""
    sql = "CREATE TABLE t (x);\nCREATE TRIGGER g AFTER INSERT ON t BEGIN\nDELETE FROM t;\nEND;\n-- the end\n"

    assert len(list(statements(sql))) == 2
    with pytest.raises(ValueError, match="no end"):
        list(statements("SELECT 1"))


def test_every_migration_has_a_name_of_the_right_form_and_a_number_of_its_own(tmp_path):
    """A wrong file is found by the first start of whoever wrote it."""
    assert [one.number for one in load_migrations()] == sorted({one.number for one in load_migrations()})
    (tmp_path / "1_x.sql").write_text("")
    with pytest.raises(ValueError, match="NNNN_name"):
        load_migrations(tmp_path)


async def test_every_stage_of_the_schema_can_be_brought_up_to_date(tmp_path):
    """A database that stopped after any migration opens, and ends with the same tables as a new one."""
    migrations = load_migrations()

    async def tables(path):
        database = await Database.open(path)
        found = await database.fetch_all("SELECT name, sql FROM sqlite_master ORDER BY name")
        await database.close()
        return [tuple(row) for row in found]

    whole = await tables(tmp_path / "new.sqlite")
    for stage in range(len(migrations)):
        path = tmp_path / f"{stage}.sqlite"
        with closing(open_sqlite(path)) as connection:
            migrate(connection, migrations[:stage])
        assert await tables(path) == whole


async def test_two_processes_may_start_at_once(tmp_path):
    """Both open the database, and each migration was applied once."""
    opened = await asyncio.gather(*(Database.open(tmp_path / "x.sqlite") for _ in range(3)))

    count = (await opened[0].fetch_one("SELECT COUNT(*) AS n FROM schema_migrations"))["n"]
    for database in opened:
        await database.close()
    assert count == len(load_migrations())
