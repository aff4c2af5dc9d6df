"""What a scan finds, and what it makes of changes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from py.library.scan import FoundFile, Root, compare, is_offline, list_models

from .files import safetensors


def names(root, kind="loras"):
    return sorted(Path(one.path).relative_to(root).as_posix() for one in list_models(Root(root, kind)))


def test_models_are_found_in_every_folder_and_nothing_else(tmp_path):
    """By their endings, in any case; hidden files and pictures are passed over."""
    for name in ("a.safetensors", "deep/er/b.CKPT", "c.gguf", "d.preview.png", "e.json", ".hidden.safetensors"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    assert names(tmp_path) == ["a.safetensors", "c.gguf", "deep/er/b.CKPT"]


def test_links_are_followed_and_circles_end(tmp_path):
    """A linked folder is entered once, also where it leads back to the root."""
    safetensors(tmp_path / "far" / "x.safetensors")
    root = tmp_path / "root"
    root.mkdir()
    try:
        (root / "away").symlink_to(tmp_path / "far", target_is_directory=True)
        (root / "circle").symlink_to(root, target_is_directory=True)
        (root / "broken.safetensors").symlink_to(tmp_path / "nowhere")
    except OSError:
        pytest.skip("this system does not let us make links")
    assert names(root) == ["away/x.safetensors"]


def test_a_name_that_is_no_text_is_passed_over(tmp_path):
    """One strange file name does not end the scan of a folder."""
    safetensors(tmp_path / "ok.safetensors")
    try:
        (tmp_path / os.fsdecode(b"\xff.safetensors")).write_bytes(b"x")
    except (OSError, UnicodeError):
        pytest.skip("this system does not let us make such names")
    assert names(tmp_path) == ["ok.safetensors"]


def found(path, size=1, mtime=1):
    return FoundFile(path, "/root", "loras", size, mtime)


def test_changes_are_told_apart():
    """New, changed, moved and gone files each go their own way."""
    known = {"/root/same.pt": (1, 1), "/root/grown.pt": (1, 1), "/root/old/moved.pt": (7, 7), "/root/gone.pt": (1, 1)}
    now = [found("/root/same.pt"), found("/root/grown.pt", 2), found("/root/new/moved.pt", 7, 7), found("/root/new.pt")]
    changes = compare(now, known)
    assert [one.path for one in changes.added] == ["/root/new.pt"]
    assert [one.path for one in changes.changed] == ["/root/grown.pt"]
    assert [(old, one.path) for old, one in changes.moved] == [("/root/old/moved.pt", "/root/new/moved.pt")]
    assert changes.gone == ("/root/gone.pt",)
    assert not compare([found("/root/same.pt")], {"/root/same.pt": (1, 1)})


def test_an_unplugged_drive_is_offline_not_empty(tmp_path):
    """A missing root, or an empty one that held models, is out of reach; a new empty one is merely empty."""
    assert is_offline(Root(tmp_path / "missing", "loras"), known=0)
    assert is_offline(Root(tmp_path, "loras"), known=3)
    assert not is_offline(Root(tmp_path, "loras"), known=0)
    (tmp_path / "a.pt").write_bytes(b"x")
    assert not is_offline(Root(tmp_path, "loras"), known=3)
