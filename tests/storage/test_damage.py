"""A damaged, full, locked or unwritable database: a clear sentence, and nothing lost that could be kept."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing

import pytest

from py.core.errors import StorageError
from py.storage import database as database_module
from py.storage.backups import KEPT, Backups
from py.storage.damage import newest_whole, restore
from py.storage.database import Database
from tests.doubles.fake_clock import FakeClock


async def filled(path, name="plum"):
    database = await Database.open(path)
    async with database.transaction() as tx:
        await tx.execute("CREATE TABLE IF NOT EXISTS jar (name TEXT)")
        await tx.execute("INSERT INTO jar VALUES (?)", (name,))
    return database


async def names(database):
    return [row["name"] for row in await database.fetch_all("SELECT name FROM jar")]


def ruin(path):
    """Overwrite the middle of every page but the first."""
    data = bytearray(path.read_bytes())
    for start in range(4096, len(data), 4096):
        data[start : start + 2048] = b"\xa5" * 2048
    path.write_bytes(data)


@pytest.mark.parametrize("how", [ruin, lambda path: path.write_bytes(b"this is no database" * 400)])
async def test_a_damaged_file_is_kept_and_the_last_backup_takes_its_place(tmp_path, how):
    """Damage costs at most what was added since the last backup, and the person is told."""
    path = tmp_path / "pantry.sqlite"
    database = await filled(path)
    await Backups(database, FakeClock()).make()
    async with database.transaction() as tx:
        await tx.execute("INSERT INTO jar VALUES ('fig')")
    await database.close()
    how(path)

    mended = await Database.open(path)

    assert await names(mended) == ["plum"]
    assert "pantry.sqlite.damaged-1" in mended.problem
    assert "backup" in mended.problem
    assert (tmp_path / "pantry.sqlite.damaged-1").exists()
    await mended.close()


async def test_without_a_backup_it_begins_anew(tmp_path):
    """A damaged file never stops Pantry from starting."""
    path = tmp_path / "pantry.sqlite"
    path.write_bytes(b"garbage" * 1000)

    database = await Database.open(path)

    assert "no backup" in database.problem
    assert (await database.fetch_one("SELECT COUNT(*) AS n FROM recipes"))["n"] == 0
    await database.close()


async def test_a_damaged_backup_is_passed_over(tmp_path):
    """The newest backup that is whole is taken, not the newest."""
    clock = FakeClock()
    database = await filled(tmp_path / "pantry.sqlite")
    whole = await Backups(database, clock).make()
    clock.step_wall(60)
    ruin(await Backups(database, clock).make())
    await database.close()

    assert newest_whole(tmp_path / "backups") == whole


async def test_backups_are_made_daily_and_only_a_few_are_kept(tmp_path):
    """A copy a day, the newest few; each can be restored."""
    clock = FakeClock()
    database = await filled(tmp_path / "pantry.sqlite")
    backups = Backups(database, clock)
    for _ in range(KEPT + 2):
        clock.step_wall(86_400)
        await backups.make()

    assert len(backups.list()) == KEPT
    await database.close()
    kept = restore(tmp_path / "pantry.sqlite", backups.list()[-1])
    assert kept.name == "pantry.sqlite.replaced-1"
    restored = await Database.open(tmp_path / "pantry.sqlite")
    assert (await names(restored), restored.problem) == (["plum"], None)
    await restored.close()


async def test_a_backup_is_made_only_when_due(tmp_path):
    """Starting twice on a day makes one copy."""
    clock = FakeClock()
    database = await filled(tmp_path / "pantry.sqlite")
    backups = Backups(database, clock)
    made = await backups.make_if_due()
    clock.step_wall(made.stat().st_mtime - clock.wall())

    assert await backups.make_if_due() is None
    clock.step_wall(86_401)
    assert await backups.make_if_due() is not None
    await database.close()


async def test_a_full_disk_is_a_clear_sentence_and_loses_nothing(tmp_path):
    """A write that finds no room is taken back whole; the next one, with room, works."""
    database = await filled(tmp_path / "pantry.sqlite")
    async with database.transaction() as tx:
        pages = (await tx.fetch_one("PRAGMA page_count"))[0]
        await tx.fetch_one(f"PRAGMA max_page_count = {pages}")

    with pytest.raises(StorageError, match="disk is full"):
        async with database.transaction() as tx:
            await tx.execute("INSERT INTO jar VALUES (?)", ("x" * 100_000,))

    async with database.transaction() as tx:
        await tx.fetch_one("PRAGMA max_page_count = 1000000")
        await tx.execute("INSERT INTO jar VALUES ('fig')")
    assert await names(database) == ["plum", "fig"]
    await database.close()


async def test_a_lock_that_another_program_keeps_is_a_clear_sentence(tmp_path, monkeypatch):
    """Waiting for another program ends with a sentence that says what to do."""
    monkeypatch.setattr(database_module, "BUSY_SECONDS", 0.05)
    database = await filled(tmp_path / "pantry.sqlite")
    with closing(sqlite3.connect(tmp_path / "pantry.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StorageError, match="busy in another program"):
            async with database.transaction():
                pass
        assert await names(database) == ["plum"], "reading goes on"
    await database.close()


@pytest.mark.skipif(sys.platform == "win32", reason="a folder's mode means nothing on Windows")
async def test_a_place_where_nothing_can_be_written_is_a_clear_sentence(tmp_path):
    """A data folder that cannot be used says so when Pantry starts."""
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")

    with pytest.raises(StorageError, match="cannot be opened"):
        await Database.open(blocked / "pantry.sqlite")
