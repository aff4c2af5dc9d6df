"""Know each platform's place for a user's data."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from py.terminal.places import user_data_folder


@pytest.mark.parametrize(
    ("platform", "folder"),
    [
        ("win32", "/home/ada/AppData/Local/Pantry"),
        ("darwin", "/home/ada/Library/Application Support/Pantry"),
        ("linux", "/home/ada/.local/share/pantry"),
        ("freebsd14", "/home/ada/.local/share/pantry"),
    ],
)
def test_each_platform_has_its_place(platform, folder):
    """Data lies where a user of that system looks for it."""
    assert str(user_data_folder(platform, PurePosixPath("/home/ada"))) == folder


def test_by_default_it_is_in_this_users_home():
    """No environment variable of ours is read."""
    assert user_data_folder().is_absolute()
