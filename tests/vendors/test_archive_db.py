"""The local archive database, in its published schema."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest

from py.core.outcomes import LookupKey
from py.vendors.archive_db import side_index
from py.vendors.archive_db.reader import ArchiveDatabase

SHA = "00112233445566778899aabbccddeeff" * 2

SCHEMA = """
CREATE TABLE models (id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, username TEXT, data TEXT NOT NULL,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL) STRICT;
CREATE TABLE model_versions (id INTEGER PRIMARY KEY, model_id INTEGER NOT NULL, position INTEGER NOT NULL, name TEXT NOT NULL,
    base_model TEXT NOT NULL, published_at INTEGER, data TEXT NOT NULL, created_at INTEGER, updated_at INTEGER) STRICT;
CREATE TABLE model_files (id INTEGER PRIMARY KEY, model_id INTEGER NOT NULL, version_id INTEGER NOT NULL, type TEXT NOT NULL,
    sha256 TEXT, data TEXT NOT NULL, created_at INTEGER, updated_at INTEGER) STRICT;
CREATE TABLE archived_model_files (file_id INTEGER PRIMARY KEY, model_id INTEGER, version_id INTEGER) STRICT;
CREATE INDEX model_files_version_id ON model_files (version_id);
"""


def write_archive(path, *, index=False):
    with closing(sqlite3.connect(path)) as archive, archive:
        archive.executescript(SCHEMA)
        about = json.dumps({"tags": ["style"], "nsfw": True, "description": "about"})
        archive.execute("INSERT INTO models VALUES (800001, 'Abc Style', 'LORA', 'someone', ?, 0, 0)", (about,))
        about = json.dumps({"trainedWords": ["abc"]})
        archive.execute(
            "INSERT INTO model_versions VALUES (900001, 800001, 0, 'v1.0', 'Illustrious', 0, ?, 0, 0)", (about,)
        )
        about = json.dumps({"name": "abc.safetensors", "sizeKB": 12.5, "hashes": {"AutoV3": "0123456789AB"}})
        archive.execute(
            "INSERT INTO model_files VALUES (700001, 800001, 900001, 'Model', ?, ?, 0, 0)", (SHA.upper(), about)
        )
        if index:
            archive.execute("CREATE INDEX files_by_sha256 ON model_files (sha256)")
    return path


@pytest.fixture
async def opened(tmp_path):
    """Return how to open an archive; whatever was opened is closed again."""
    archives = []

    def open_one(path):
        archives.append(ArchiveDatabase(lambda: str(path), tmp_path / "data" / "archive-index.sqlite"))
        return archives[-1]

    yield open_one
    for one in archives:
        await one.close()


@pytest.mark.parametrize("index", [False, True], ids=["as published", "with an index of its own"])
async def test_a_version_is_found_by_id_and_hash(tmp_path, opened, index):
    """With or without an index of its own, the archive answers by id, SHA256 and AutoV2."""
    archive = opened(write_archive(tmp_path / "civitai.sqlite", index=index))
    assert archive.available
    for key in (LookupKey("sha256", SHA), LookupKey("autov2", SHA[:10]), LookupKey("version_id", "900001")):
        info = await archive.find(key)
        assert (info.version_id, info.model_id, info.name, info.source) == (900001, 800001, "Abc Style", "archive_db")
    assert (info.creator, info.tags, info.trained_words, info.nsfw) == ("someone", ("style",), ("abc",), True)
    assert info.files[0].hashes == {"sha256": SHA, "autov2": SHA[:10], "autov3": "0123456789ab"}
    assert (tmp_path / "data" / "archive-index.sqlite").exists() is not index


async def test_what_is_not_in_it_is_not_found(tmp_path, opened):
    """Unknown hashes, ids and kinds of hash that it cannot know."""
    archive = opened(write_archive(tmp_path / "civitai.sqlite"))
    keys = [LookupKey("sha256", "f" * 64), LookupKey("version_id", "5"), LookupKey("autov3", "0123456789ab")]
    assert [await archive.find(key) for key in keys] == [None, None, None]
    assert archive.problem is None


async def test_the_archive_itself_is_never_written(tmp_path, opened):
    """It is somebody else's file, and may be on a read-only disk."""
    path = write_archive(tmp_path / "civitai.sqlite")
    before = path.read_bytes()
    await opened(path).find(LookupKey("sha256", SHA))
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir() if one.is_file()] == ["civitai.sqlite"]


async def test_the_side_index_is_built_once_for_each_archive(tmp_path, opened, monkeypatch):
    """Another start uses it as it is; another archive gets a new one."""
    built = []
    build = side_index._build
    monkeypatch.setattr(side_index, "_build", lambda *args: (built.append(args), build(*args)))
    path = write_archive(tmp_path / "civitai.sqlite")
    for _ in range(2):
        await opened(path).find(LookupKey("sha256", SHA))
    assert len(built) == 1
    path.unlink()
    write_archive(path)
    await opened(path).find(LookupKey("sha256", SHA))
    assert len(built) == 2


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"<!DOCTYPE html><html>not a database" * 100, "web page"),
        (b"", "another database"),
        ("CREATE TABLE models (id INTEGER)", "another version"),
    ],
)
async def test_a_file_that_is_no_archive_is_a_clear_sentence_and_left_out(tmp_path, opened, content, words, caplog):
    """The user reads what is wrong, once; look-ups go on without it."""
    path = tmp_path / "civitai.sqlite"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        with closing(sqlite3.connect(path)) as archive, archive:
            archive.executescript(content)
    archive = opened(path)
    for _ in range(3):
        assert await archive.find(LookupKey("sha256", SHA)) is None
    assert words in archive.problem
    assert archive.available is False
    assert len(caplog.records) == 1


async def test_no_archive_is_no_problem(tmp_path, opened):
    """Without a path there is nothing to ask; a path that leads nowhere is said."""
    assert ArchiveDatabase(lambda: "", tmp_path / "x").available is False
    missing = opened(tmp_path / "missing.sqlite")
    assert missing.available is False
    assert "settings" in missing.problem
