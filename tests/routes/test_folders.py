"""Hold paths from callers to what they may reach."""

from __future__ import annotations

import pytest

from py.core.errors import InvalidRequestError, NotAllowedError, NotFoundError
from py.routes.folders import Reach, checked_path, is_within


@pytest.mark.parametrize(
    "text", ["", "   ", "a\0b", "relative/folder", "..", "\\\\server\\share", "//server/share", "\\\\?\\C:\\x"]
)
def test_a_trap_is_refused_everywhere(text):
    """NUL, relative paths and network paths are never opened."""
    with pytest.raises(InvalidRequestError):
        checked_path(text)


@pytest.mark.parametrize(
    "text",
    [
        "C:\\x\\file.png:stream",
        "C:\\x\\NUL",
        "C:\\con\\x",
        "C:\\x\\com1.txt",
        "C:\\x\\aux .png",
        "C:\\x\\LPT9",
        "::",
        "CONIN$",
    ],
)
def test_windows_traps_are_refused_on_windows(text):
    """Device names and alternate streams are not files, in any case and with any extension."""
    with pytest.raises(InvalidRequestError):
        checked_path(text, windows=True)


@pytest.mark.parametrize("name", ["console", "aux1", "nullable.png", "com10"])
def test_names_that_only_look_like_devices_pass(name, tmp_path):
    """A folder called console is a folder."""
    assert checked_path(str(tmp_path / name), windows=True).endswith(name)


def test_a_neighbour_with_the_same_beginning_is_outside(tmp_path):
    """/x/web-evil is not below /x/web."""
    (tmp_path / "web").mkdir()
    (tmp_path / "web-evil").mkdir()
    assert is_within(tmp_path / "web", [tmp_path / "web"])
    assert not is_within(tmp_path / "web-evil", [tmp_path / "web"])
    assert not is_within(tmp_path / "web" / ".." / "web-evil", [tmp_path / "web"])


def test_a_link_that_leads_out_is_outside(tmp_path):
    """Links are followed before the question is asked, on both sides."""
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    try:
        (inside / "link").symlink_to(outside)
        (tmp_path / "root").symlink_to(inside)
    except OSError:
        pytest.skip("this system makes no links")
    assert not is_within(inside / "link", [inside])
    assert is_within(inside, [tmp_path / "root"])


def test_a_remote_peer_reaches_only_the_roots(tmp_path):
    """From another machine a folder outside the roots is as good as none."""
    root, other = tmp_path / "output", tmp_path / "private"
    root.mkdir()
    other.mkdir()
    remote = Reach((root,), local=False)
    assert remote.folder(str(root)) == root
    for text in (str(other), str(root / ".." / "private"), str(tmp_path)):
        with pytest.raises(NotAllowedError):
            remote.folder(text)
    assert Reach((root,), local=True).folder(str(other)) == other


def test_a_folder_that_is_not_there_is_not_found(tmp_path):
    """A file or nothing is no folder."""
    (tmp_path / "file").touch()
    for name in ("file", "nothing"):
        with pytest.raises(NotFoundError):
            Reach((), local=True).folder(str(tmp_path / name))
