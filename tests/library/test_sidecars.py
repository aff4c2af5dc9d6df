"""Sidecars of other tools, and ours."""

from __future__ import annotations

import json

import pytest

from py.library.sidecars import SidecarFacts, find_preview, read_sidecars, write_sidecar
from tests.samples import sample

SHA = "00112233445566778899aabbccddeeff" * 2
VERSION = sample("civitai/version")
SIZE = round(VERSION["files"][0]["sizeKB"] * 1024)

LORA_MANAGER = {
    "file_name": "abc", "model_name": "My Abc", "size": SIZE, "sha256": SHA, "base_model": "SDXL", "civitai": VERSION,
    "civitai_deleted": True, "from_civitai": False, "trainedWords": ["w"], "tags": ["t"], "modelDescription": "about",
}  # fmt: skip
STABILITY = {
    "ModelId": 800001, "ModelName": "Abc Style", "VersionId": 900001, "VersionName": "v1.0", "BaseModel": "Illustrious",
    "ModelType": "LORA", "TrainedWords": ["abc"], "Tags": ["style"], "Hashes": {"SHA256": SHA.upper(), "CRC32": "89ABCDEF"},
}  # fmt: skip


def beside(tmp_path, **sidecars):
    """Write sidecars named by their ending; return what they say."""
    model = tmp_path / "abc.safetensors"
    model.write_bytes(b"x")
    for ending, data in sidecars.items():
        text = data if isinstance(data, str) else json.dumps(data)
        (tmp_path / f"abc.{ending.replace('__', '.').replace('_', '-')}").write_text(text, encoding="utf-8")
    return read_sidecars(model, SIZE, {one.name.lower() for one in tmp_path.iterdir()})


@pytest.mark.parametrize(
    ("sidecars", "source"),
    [
        ({"metadata__json": LORA_MANAGER}, "lora_manager"),
        ({"civitai__info": VERSION}, "civitai_info"),
        ({"cm_info__json": STABILITY}, "stability_matrix"),
    ],
)
def test_each_tool_spares_a_request(tmp_path, sidecars, source):
    """The three tools' files give the model's ids, names and the file's SHA256."""
    facts = beside(tmp_path, **sidecars)
    assert (facts.info.version_id, facts.info.model_id, facts.info.name) == (900001, 800001, "Abc Style")
    assert (facts.hashes["sha256"], facts.source) == (SHA, source)


def test_another_tools_word_that_a_model_was_deleted_is_not_taken_over(tmp_path):
    """It may have been written after a mere refusal; the description beside it is good."""
    facts = beside(tmp_path, metadata__json=LORA_MANAGER)
    assert facts.info.deleted_at is None
    assert (facts.title, facts.info.description, facts.info.tags) == ("My Abc", "about", ("t",))


def test_a_hash_of_another_size_is_not_this_files(tmp_path):
    """A sidecar that speaks of a file of another size has been left behind by it."""
    facts = beside(tmp_path, metadata__json={**LORA_MANAGER, "size": 5, "civitai": {}})
    assert facts.hashes == {}


def test_a_web_ui_helper_gives_trigger_words(tmp_path):
    """Its activation text and sd version are taken over."""
    facts = beside(tmp_path, json={"activation text": "abc, def", "sd version": "SDXL"})
    assert (facts.trained_words, facts.base_model, facts.info) == (("abc", "def"), "SDXL", None)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '"x"', '{"civitai": [], "id": "x"}', "\x00", '{"metadata": {"name": 5}}']
)
def test_junk_says_nothing(tmp_path, text):
    """Broken sidecars are passed over."""
    names = ("metadata__json", "civitai__info", "cm_info__json", "json", "pantry__json")
    facts = beside(tmp_path, **dict.fromkeys(names, text))
    assert (facts.info, facts.hashes, facts.trained_words) == (None, {}, ())


def test_ours_is_written_in_one_step_and_keeps_what_it_does_not_know(tmp_path):
    """Unknown keys stay, nothing half-written is left behind, and it reads back."""
    model = tmp_path / "abc.safetensors"
    (tmp_path / "abc.pantry.json").write_text('{"mine": 1, "sha256": "old"}', encoding="utf-8")
    write_sidecar(model, {"sha256": SHA, "metadata": None})
    assert json.loads((tmp_path / "abc.pantry.json").read_text(encoding="utf-8")) == {
        "mine": 1,
        "sha256": SHA,
        "metadata": None,
    }
    assert [one.name for one in tmp_path.iterdir()] == ["abc.pantry.json"]
    assert read_sidecars(model, 1, {"abc.pantry.json"}) == SidecarFacts(hashes={"sha256": SHA})


def test_a_preview_is_found_by_its_ending(tmp_path):
    """A preview of that name comes before a plain picture."""
    model = tmp_path / "Abc.safetensors"
    assert find_preview(model, {"abc.png", "abc.preview.webp"}).endswith("Abc.preview.webp")
    assert find_preview(model, {"other.png"}) is None
