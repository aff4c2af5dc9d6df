"""Real images, with the values that their makers state; only where the folder of images is beside the checkout."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from py.core.errors import UnreadableImageError
from py.recipes.reader import read_image
from py.recipes.values import to_float, to_int, to_size

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus" / "dev"
pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="the folder of real images is not here")

FIELDS = {"sampler": "sampler", "scheduler": "scheduler", "steps": "steps", "cfg": "cfg_scale", "seed": "seed",
          "clipSkip": "clip_skip"}  # fmt: skip


def _expected(folder: Path) -> dict:
    path = folder / "expected.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


STATED = {name: one for name, one in _expected(CORPUS).items() if "prompt" in one}
SILENT = [name for name, one in _expected(CORPUS).items() if "status" in one]
PARSED = {
    name: one for name, one in _expected(CORPUS / "sd-parsers").items() if (CORPUS / "sd-parsers" / name).is_file()
}


def plain(text: str | None) -> str | None:
    """Whitespace at line ends is the maker's convention, not the image's."""
    return None if text is None else "\n".join(line.strip() for line in text.strip().splitlines())


@pytest.mark.parametrize("name", STATED)
def test_every_stated_field_of_a_real_image_is_read(name):
    """Prompt, negative, size, model and sampling are what the image's maker says."""
    wanted, draft = STATED[name], read_image(CORPUS / name).draft
    assert plain(draft.prompt) == plain(wanted["prompt"])
    assert plain(draft.negative_prompt) == plain(wanted["negativePrompt"])
    assert (draft.width, draft.height) == (wanted["width"], wanted["height"])
    for theirs, ours in FIELDS.items():
        if theirs in wanted["sampling"]:
            assert getattr(draft, ours) == wanted["sampling"][theirs], theirs
    if "model" in wanted:
        assert draft.checkpoint.name == wanted["model"]["name"]
        if "hash" in wanted["model"]:
            assert draft.checkpoint.hash == wanted["model"]["hash"].lower()
    assert draft.has_workflow == ("nodes" in wanted)


@pytest.mark.parametrize("name", SILENT)
def test_a_real_image_without_metadata_says_nothing(name):
    """No metadata, a GIMP comment or a bare provenance record make no recipe, and no error."""
    assert read_image(CORPUS / name).draft is None


def test_a_provenance_record_is_said():
    """An image with C2PA alone tells so."""
    reading = read_image(CORPUS / "c2pa_png_gemini_unknown.png")
    assert reading.carriers == ("c2pa",)
    assert "provenance" in reading.notes[0]


def _samplers(expected: object) -> list[dict]:
    """The makers wrap their samplers in lists of several depths."""
    if isinstance(expected, dict):
        return [expected] if "parameters" in expected else []
    return [row for one in expected for row in _samplers(one)] if isinstance(expected, list) else []


@pytest.mark.parametrize("name", PARSED)
def test_every_field_of_the_parser_set_is_read(name):
    """One of the stated samplers is the one that we call the first; its every field is ours."""
    expected, draft = PARSED[name], read_image(CORPUS / "sd-parsers" / name).draft
    rows = [row for row in _samplers(expected) if to_int(row["parameters"]["seed"]) == draft.seed]
    assert rows, "the seed is of no stated sampler"
    (row,) = rows
    assert draft.sampler == row["name"]
    parameters = row["parameters"]
    if "cfg_scale" in parameters:
        assert draft.cfg_scale == to_float(parameters["cfg_scale"])
    if "steps" in parameters:
        assert draft.steps == to_int(parameters["steps"])
    if "scheduler" in parameters:
        assert draft.scheduler == parameters["scheduler"]
    if row["model"]:
        assert draft.checkpoint.name == row["model"]["name"]
        assert row["model"]["hash"] is None or draft.checkpoint.hash == row["model"]["hash"].lower()
    for prompts, ours in ((row["prompts"], draft.prompt), (row["negative_prompts"], draft.negative_prompt)):
        for prompt in prompts:
            assert plain(prompt["value"]) in plain(ours)
    stated_size = next((one["Size"] for one in expected if isinstance(one, dict) and "Size" in one), None)
    assert stated_size is None or (draft.width, draft.height) == to_size(stated_size)


def test_text_behind_the_pixels_is_found():
    """A zTXt chunk after IDAT is read like any other."""
    assert read_image(CORPUS / "sd-parsers" / "text_after_idat.png").draft.seed == 235284042


def test_an_empty_file_is_refused():
    """A file of no bytes is not an image."""
    with pytest.raises(UnreadableImageError, match="empty"):
        read_image(CORPUS / "sd-parsers" / "empty_file.png")
