"""settings.json: the truth, safe from typing mistakes, crashes and prying eyes."""

from __future__ import annotations

import json
import os
import sys

import pytest

from py.core.errors import InvalidRequestError, StorageError
from py.core.settings_table import DEFAULTS
from py.services.settings_manager import SettingsManager


@pytest.fixture
def path(tmp_path):
    return tmp_path / "data" / "settings.json"


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_without_a_file_the_defaults_hold_and_nothing_is_written(path):
    """A first start needs no file."""
    settings = SettingsManager(path)

    assert settings.all() == dict(DEFAULTS)
    assert settings.problem is None
    assert not path.exists()


def test_a_change_is_written_and_read_back(path):
    """What is set survives a restart; keys that we do not know stay in the file."""
    write(path, '{"from_the_future": 1}')

    SettingsManager(path).update({"batch_import_concurrency": 5, "import_folders": ["/a"]})

    assert SettingsManager(path).get("batch_import_concurrency") == 5
    assert json.loads(path.read_text())["from_the_future"] == 1


def test_one_wrong_value_changes_nothing(path):
    """All changes are made, or none."""
    settings = SettingsManager(path)

    with pytest.raises(InvalidRequestError):
        settings.update({"skip_duplicates": False, "batch_import_concurrency": 99})

    assert settings.get("skip_duplicates") is True
    assert not path.exists()


@pytest.mark.parametrize("text", ['{"a": 1,}', "", "[1]", '{"a": "' + "x" * 50, "[" * 5000, "\0\0\0"])
def test_an_unreadable_file_is_kept_aside_and_never_overwritten(path, text):
    """A typing mistake costs nothing: the file is still there, word for word."""
    write(path, text)

    settings = SettingsManager(path)
    settings.update({"skip_duplicates": False})

    assert path.with_name("settings.json.unreadable-1").read_text(encoding="utf-8") == text
    assert json.loads(path.read_text()) == {"skip_duplicates": False}


def test_the_problem_is_told_in_a_sentence(path):
    """The person learns where the mistake is and what was done."""
    write(path, '{"a": 1,}')

    problem = SettingsManager(path).problem

    assert "line 1" in problem
    assert "settings.json.unreadable-1" in problem


def test_a_wrong_value_in_the_file_falls_back_to_its_default_alone(path):
    """The other values of the file still hold, and the file is left as it is."""
    text = '{"batch_import_concurrency": 99, "skip_duplicates": false}'
    write(path, text)

    settings = SettingsManager(path)

    assert (settings.get("batch_import_concurrency"), settings.get("skip_duplicates")) == (3, False)
    assert "batch_import_concurrency" in settings.problem
    assert path.read_text() == text


def test_a_hand_edit_acts_at_once_and_a_half_saved_one_changes_nothing(path):
    """The file is looked at again on every question; while an editor is saving, the last values hold."""
    write(path, '{"batch_import_concurrency": 2}')
    settings = SettingsManager(path)
    told = []
    settings.subscribe(told.append)

    write(path, '{"batch_import_concurrency": 4, "skip_no_metadata": false}')
    assert settings.get("batch_import_concurrency") == 4
    write(path, '{"batch_import_conc')
    assert settings.get("batch_import_concurrency") == 4
    assert settings.problem
    assert path.exists(), "an editor's file is not moved away under it"
    write(path, '{"batch_import_concurrency": 5, "skip_no_metadata": false}')

    assert (settings.get("batch_import_concurrency"), settings.problem) == (5, None)
    assert told == [{"batch_import_concurrency", "skip_no_metadata"}, {"batch_import_concurrency"}]


def test_a_subscription_can_be_ended(path):
    """Nobody is called who no longer listens."""
    settings, told = SettingsManager(path), []
    end = settings.subscribe(told.append)
    end()
    end()

    settings.update({"skip_duplicates": False})

    assert told == []


def test_secrets_are_never_shown(path):
    """A key is shown as set, with its last four characters where that is little of it."""
    settings = SettingsManager(path)
    assert settings.public()["civitai_api_key"] == {"set": False, "hint": None}
    shown = settings.update({"civitai_api_key": "0123456789abcdef"})

    assert shown["civitai_api_key"] == {"set": True, "hint": "…cdef"}
    assert "0123456789" not in json.dumps(shown)
    assert settings.update({"civitai_api_key": "short"})["civitai_api_key"] == {"set": True, "hint": None}
    assert settings.get("civitai_api_key") == "short"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_only_the_owner_may_read_the_file(path):
    """The file may hold a key."""
    SettingsManager(path).update({"civitai_api_key": "0123456789abcdef"})

    assert path.stat().st_mode & 0o777 == 0o600


def test_a_write_that_fails_leaves_the_old_file(path, monkeypatch):
    """A crash or a full disk in the middle of saving costs the change, not the file."""
    settings = SettingsManager(path)
    settings.update({"batch_import_concurrency": 2})

    def full(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageError, match="No space left"):
        settings.update({"batch_import_concurrency": 5})

    assert json.loads(path.read_text()) == {"batch_import_concurrency": 2}
    assert [one.name for one in path.parent.iterdir()] == ["settings.json"]
