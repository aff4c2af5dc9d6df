"""Which files of a folder an import takes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from py.jobs.listing import list_files
from py.jobs.request import ImportRequest


@pytest.fixture
def tree(tmp_path):
    for name in ("b.png", "a.JPG", "notes.txt", ".hidden.png", "in/c.webp", "in/deep/d.png", "thumbs/e.png"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
    return tmp_path


def listed(tree, **options):
    found = list_files(ImportRequest(directories=(tree,), **options))
    return [Path(path).relative_to(tree).as_posix() for path in found]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, ["a.JPG", "b.png", "in/c.webp", "in/deep/d.png", "thumbs/e.png"]),
        ({"recursive": False}, ["a.JPG", "b.png"]),
        ({"include": ("*.png",)}, ["b.png", "in/deep/d.png", "thumbs/e.png"]),
        ({"include": ("in/*",)}, ["in/c.webp", "in/deep/d.png"]),
        ({"exclude": ("thumbs", "in/deep")}, ["a.JPG", "b.png", "in/c.webp"]),
        ({"include": ("*.png",), "exclude": ("b.*",)}, ["in/deep/d.png", "thumbs/e.png"]),
    ],
)
def test_globs_and_depth(tree, options, expected):
    """Images are taken by their ending, in a steady order, as far as the globs allow."""
    assert listed(tree, **options) == expected


def test_a_recipe_file_stands_for_its_picture(tree):
    """Beside a recipe of LoRA Manager its preview picture is left out."""
    (tree / "b.recipe.json").write_text("{}")

    assert listed(tree, recursive=False) == ["a.JPG", "b.recipe.json"]


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege on Windows")
def test_a_link_in_a_circle_ends(tree):
    """Links to folders are not followed."""
    (tree / "in" / "again").symlink_to(tree, target_is_directory=True)

    assert len(listed(tree)) == 5


def test_a_request_is_what_it_was_after_a_restart(tree):
    """A request survives being stored as text."""
    request = ImportRequest(directories=(tree,), files=(tree / "b.png",), tags=("x",), skip_duplicates=False)

    assert ImportRequest.from_json(request.to_json()) == request
    assert request.source == "1 folder and 1 file"
