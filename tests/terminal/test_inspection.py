"""Show what images say, to programs and to people."""

from __future__ import annotations

import json

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from py.recipes.draft import CONTRACT_FIELDS
from py.terminal.inspection import described, for_people, image_files

TEXT = (
    "a cat <lora:thing:0.8>\nNegative prompt: blurry\nSteps: 20, Sampler: Euler a, CFG scale: 7, Seed: 5, "
    'Size: 512x768, Model hash: 0123456789, Model: house, Lora hashes: "thing: abcdef0123"'
)


@pytest.fixture
def picture(tmp_path):
    info = PngInfo()
    info.add_text("parameters", TEXT)
    Image.new("RGB", (8, 8)).save(tmp_path / "a.png", pnginfo=info)
    return tmp_path / "a.png"


def test_a_program_gets_every_field(picture):
    """The shape is the recipe's, with null for what the image does not say."""
    told = described(picture)
    assert set(told) == {"source", "notes", "origins", *CONTRACT_FIELDS}
    assert (told["seed"], told["vae"], told["loras"][0]["name"]) == (5, None, "thing")
    json.dumps(told)


def test_an_image_that_says_nothing_has_every_field_as_well(tmp_path):
    """Null everywhere, never 0."""
    Image.new("RGB", (8, 8)).save(tmp_path / "b.png")
    told = described(tmp_path / "b.png")
    assert (told["seed"], told["prompt"], list(told["loras"])) == (None, None, [])
    assert "says nothing" in for_people(told)


def test_a_person_gets_a_line_for_each_thing(picture):
    """Labels, strengths and hashes, without the nulls."""
    text = for_people(described(picture))
    for part in ("A1111", "a cat", "blurry", "20 steps, Euler a, cfg 7, seed 5, 512x768", "thing at 0.8", "abcdef0123"):
        assert part in text
    assert "None" not in text


def test_what_cannot_be_read_is_said_in_place(tmp_path):
    """One bad file says why, in both forms."""
    (tmp_path / "c.png").write_bytes(b"not an image")
    told = described(tmp_path / "c.png")
    assert set(told) == {"source", "error"}
    assert told["error"]["message"] in " ".join(for_people(told).split())


def test_a_folder_means_the_images_in_it(tmp_path, picture):
    """Other files are left out; a file that is named is taken whatever it is called."""
    (tmp_path / "notes.txt").touch()
    assert list(image_files([tmp_path])) == [picture]
    assert list(image_files([tmp_path / "notes.txt"])) == [tmp_path / "notes.txt"]
