"""The database: whole transactions or none, reads beside the writer, and no thread that holds the process."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from py.core.errors import StorageError
from py.storage.database import Database

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
async def database(tmp_path):
    database = await Database.open(tmp_path / "pantry.sqlite")
    async with database.transaction() as tx:
        await tx.execute("CREATE TABLE jar (name TEXT PRIMARY KEY)")
    yield database
    await database.close()


async def names(database: Database) -> list[str]:
    return [row["name"] for row in await database.fetch_all("SELECT name FROM jar ORDER BY name")]


async def test_a_transaction_is_whole(database):
    """What was written together is read together."""
    async with database.transaction() as tx:
        await tx.execute("INSERT INTO jar VALUES (?)", ("plum",))
        await tx.execute_many("INSERT INTO jar VALUES (?)", [("fig",), ("quince",)])

    assert await names(database) == ["fig", "plum", "quince"]


async def test_an_exception_takes_everything_back(database):
    """Half a transaction is never seen."""
    with pytest.raises(ZeroDivisionError):  # noqa: PT012 - the failing write is the point
        async with database.transaction() as tx:
            await tx.execute("INSERT INTO jar VALUES ('plum')")
            _ = 1 / 0

    assert await names(database) == []


async def test_a_cancelled_transaction_is_taken_back_and_the_next_one_works(database):
    """Cancel in the middle of a write leaves neither a row nor a lock."""
    inside, never = asyncio.Event(), asyncio.Event()

    async def write() -> None:
        async with database.transaction() as tx:
            await tx.execute("INSERT INTO jar VALUES ('plum')")
            inside.set()
            await never.wait()

    task = asyncio.create_task(write())
    await inside.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    async with database.transaction() as tx:
        await tx.execute("INSERT INTO jar VALUES ('fig')")
    assert await names(database) == ["fig"]


async def test_a_read_does_not_wait_for_the_writer(database):
    """A search is answered while an import writes, and sees only what is committed."""
    async with database.transaction() as tx:
        await tx.execute("INSERT INTO jar VALUES ('plum')")

        assert await names(database) == []

    assert await names(database) == ["plum"]


async def test_a_reader_cannot_write(database):
    """There is one writer."""
    with pytest.raises(StorageError):
        await database.read(lambda connection: connection.execute("DELETE FROM jar"))


async def test_a_reader_cancelled_while_it_opens_the_file_leaves_nothing_open(database):
    """Python 3.13 warns of a connection that nobody closed; the next reader finds all in order."""
    for turns in range(4):
        task = asyncio.create_task(database.fetch_one("SELECT 1"))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait({task})

    assert await names(database) == []


async def test_an_sqlite_error_leaves_as_a_storage_error(database):
    """No room needs to know sqlite3."""
    with pytest.raises(StorageError):
        await database.fetch_all("SELECT * FROM nowhere")


async def test_closing_twice_is_fine_and_a_closed_database_says_so(database):
    """Shutdown may be asked for from two sides."""
    await database.close()
    await database.close()

    with pytest.raises(StorageError, match="closed"):
        await database.fetch_all("SELECT 1")


async def test_what_was_written_is_there_after_opening_again(tmp_path):
    """Migrations run once and keep what is stored."""
    first = await Database.open(tmp_path / "pantry.sqlite")
    async with first.transaction() as tx:
        await tx.execute("CREATE TABLE jar (name TEXT PRIMARY KEY)")
        await tx.execute("INSERT INTO jar VALUES ('plum')")
    await first.close()

    again = await Database.open(tmp_path / "pantry.sqlite")

    assert await names(again) == ["plum"]
    await again.close()


HOLD_OPEN = """
import asyncio, sys
sys.path.insert(0, sys.argv[1])
import tests.conftest
from pathlib import Path
from py.storage.database import Database

async def main():
    database = await Database.open(Path(sys.argv[2]) / "pantry.sqlite")
    await database.fetch_one("SELECT 1")
    print("open", flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends Ctrl-C to the whole console")
def test_ctrl_c_ends_a_process_that_holds_the_database_open(tmp_path):
    """ComfyUI calls no shutdown hook, so an open database must not keep it alive."""
    command = [sys.executable, "-c", textwrap.dedent(HOLD_OPEN), str(ROOT), str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout.readline() == "open\n"
        os.kill(process.pid, signal.SIGINT)

        assert process.wait(timeout=10) != 0
