"""A report is whole and valid however many pages it takes, and no page is large."""

from __future__ import annotations

import csv
import io
import json

import pytest

from py.core.errors import InvalidRequestError
from py.jobs import report
from py.jobs.report import form_of, parts
from py.storage.database import Database

COLUMNS = ("id", "name", "retry_at")
SQL = "SELECT id, name, retry_at FROM things WHERE id > :after AND :job = 1 ORDER BY id LIMIT :limit"
SNAPSHOT = {"operation_id": "x", "message": 'He said "}" and left.', "limits": []}


@pytest.fixture
async def database(tmp_path):
    database = await Database.open(tmp_path / "x.sqlite")
    yield database
    await database.close()


async def write(database, count):
    async with database.transaction() as tx:
        await tx.execute("CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT, retry_at REAL)")
        rows = [(f'=n "{number}",\n\u732b', None if number % 2 else 2e9) for number in range(count)]
        await tx.execute_many("INSERT INTO things (name, retry_at) VALUES (?, ?)", rows)
    return [{"id": number + 1, "name": name, "retry_at": ends} for number, (name, ends) in enumerate(rows)]


@pytest.mark.parametrize("count", [0, 1, 3, 4, 9])
async def test_a_report_of_any_length_is_whole(database, monkeypatch, count):
    """None, one page, one page exactly, and several."""
    monkeypatch.setattr(report, "PAGE", 3)
    rows = await write(database, count)

    told = [text async for text in parts(database, SQL, 1, form_of("json", COLUMNS, SNAPSHOT))]
    table = "".join([text async for text in parts(database, SQL, 1, form_of("csv", COLUMNS, SNAPSHOT))])

    assert json.loads("".join(told)) == {**SNAPSHOT, "items": rows}
    assert len(told) == 2 + -(-count // 3)
    assert list(csv.DictReader(io.StringIO(table, newline=""))) == [
        {
            "id": str(row["id"]),
            "name": f"'{row['name']}",
            "retry_at": "2033-05-18T03:33:20Z" if row["retry_at"] else "",
        }
        for row in rows
    ]


def test_other_formats_are_refused():
    """By a sentence."""
    with pytest.raises(InvalidRequestError, match="csv or json"):
        form_of("pdf", COLUMNS, SNAPSHOT)
