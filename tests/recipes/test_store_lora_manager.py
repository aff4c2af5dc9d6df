"""People who move from LoRA Manager bring their recipes along."""

from __future__ import annotations

import json

import pytest

from py.core.errors import UnreadableImageError
from py.recipes.lora_manager_files import read_recipe_file

RECIPE = {
    "id": "11111111-2222-3333-4444-555555555555",
    "file_path": "D:/old/place/11111111.webp",
    "title": "Harbour at dawn",
    "created_date": 1750000000.5,
    "base_model": "Illustrious",
    "loras": [
        {
            "file_name": "harbour_v2",
            "hash": "ab" * 32,
            "strength": 0.7,
            "modelVersionId": 4711,
            "modelName": "Harbour",
            "isDeleted": True,
        }
    ],
    "gen_params": {"prompt": "a harbour", "seed": 42, "steps": 20, "size": "512x768"},
    "tags": ["sea", "dawn"],
    "favorite": True,
}


def test_a_recipe_file_brings_everything_along(tmp_path):
    """Prompt, models, title, tags, favourite and date survive; the claim that a model is deleted does not."""
    path = tmp_path / "11111111.recipe.json"
    path.write_text(json.dumps(RECIPE))
    (tmp_path / "11111111.webp").write_bytes(b"picture")

    reading, kept = read_recipe_file(path)

    assert (reading.draft.prompt, reading.draft.seed, reading.draft.width) == ("a harbour", 42, 512)
    lora = reading.draft.loras[0]
    assert (lora.name, lora.hash, lora.strength_model) == ("harbour_v2", "ab" * 32, 0.7)
    assert (kept.title, kept.tags, kept.favourite) == ("Harbour at dawn", ("sea", "dawn"), True)
    assert kept.created_at == 1750000000.5
    assert kept.source == str(tmp_path / "11111111.webp"), "the picture is found beside the file after a move"


@pytest.mark.parametrize("text", ["", "[]", "{", '{"loras": [], "gen_params": 3}', '{"a": 1}'])
def test_any_other_json_is_refused_with_a_sentence(tmp_path, text):
    """A foreign or broken file fails alone."""
    path = tmp_path / "x.recipe.json"
    path.write_text(text)

    with pytest.raises(UnreadableImageError, match="LoRA Manager"):
        read_recipe_file(path)
