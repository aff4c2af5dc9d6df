"""Recipes and the model library find each other, whichever comes first."""

from __future__ import annotations

import pytest

from tests.library.files import safetensors

from .pictures import make, model
from .vendor import FixedWindow, Refusal
from .world import world


@pytest.fixture
def pictures(tmp_path):
    """Eight pictures, of which two are ComfyUI graphs that name files only."""
    return make(tmp_path / "pictures", 8, checkpoints=1, loras=2, unknown=1)


async def uses_of(here):
    """Return state, source and vendor's name of every use, by file name of the model."""
    found = {}
    for recipe in (await here.recipes()).values():
        for use in (recipe["checkpoint"], *recipe["loras"]):
            found.setdefault(use["name"], set()).add((use["state"], use["source"], use["vendor_name"]))
    return found


async def test_a_model_that_appears_heals_recipes(tmp_path, pictures):
    """A LoRA that nobody knew, and names without hashes, are filled in once the files are here."""
    folders = {"loras": [str(tmp_path / "loras")], "checkpoints": [str(tmp_path / "checkpoints")]}
    async with world(tmp_path, pictures, model_folders=folders) as here:
        await here.import_folder(pictures.folder)
        before = await uses_of(here)
        assert {state for state, *_ in before["lora_001"]} == {"absent"}
        assert {state for state, *_ in before["lora_000.safetensors"]} == {"unlisted"}

        safetensors(tmp_path / "loras" / "lora_000.safetensors", {"modelspec.title": "Mine"}, weights=b"a")
        safetensors(tmp_path / "checkpoints" / "checkpoint_000.safetensors", weights=b"c")
        await here.run(here.pantry.library.scan())
        await here.run(here.pantry.healer.settled())
        after = await uses_of(here)
        assert after["lora_000.safetensors"] == {("found", "library", "Mine")}
        assert after["checkpoint_000.safetensors"] == {("found", "library", "checkpoint_000")}
        assert {state for state, *_ in after["lora_001"]} == {"absent"}  # its hash says which file it means

        events = here.events.of("pantry.recipes_changed")
        absent = (await here.pantry.database.fetch_one("SELECT COUNT(*) FROM recipes WHERE absent > 0"))[0]
    assert len(events[-2]["ids"]) == 2
    assert absent == 6  # every text names the LoRA that nobody knows


async def test_an_image_that_comes_later_finds_what_is_here(tmp_path, pictures):
    """With the files in place first, an import ends with every name resolved."""
    folders = {"loras": [str(tmp_path / "loras")], "checkpoints": [str(tmp_path / "checkpoints")]}
    for index in range(2):
        safetensors(tmp_path / "loras" / f"lora_{index:03d}.safetensors", weights=b"%d" % index)
    safetensors(tmp_path / "checkpoints" / "checkpoint_000.safetensors", weights=b"c")
    async with world(tmp_path, pictures, model_folders=folders) as here:
        await here.run(here.pantry.library.scan())
        await here.import_folder(pictures.folder)
        await here.run(here.pantry.healer.settled())
        uses = await uses_of(here)
    for name in ("lora_000.safetensors", "lora_001.safetensors", "checkpoint_000.safetensors"):
        assert {state for state, *_ in uses[name]} == {"found"}


async def test_a_model_that_is_published_later_heals_recipes(tmp_path, pictures):
    """Absent when the image was imported; after a sync that finds it at CivitAI, no recipe says so any more."""
    async with world(tmp_path, pictures) as here:
        await here.import_folder(pictures.folder)
        here.civitai.catalogue.add(model("LORA", 1))
        await here.run(here.pantry.syncs.wait(await here.pantry.syncs.start()))
        assert {state for state, *_ in (await uses_of(here))["lora_001"]} == {"absent"}  # the miss is still believed
        await here.clock.advance(2 * 86_400)
        sent = here.transport.sent
        await here.run(here.pantry.syncs.wait(await here.pantry.syncs.start()))
        assert (await uses_of(here))["lora_001"] == {("found", "civitai", "Lora 001")}
        assert here.transport.sent == sent + 1


async def test_a_refusal_heals_nothing_and_harms_nothing(tmp_path, pictures):
    """Asked again about absent models and refused: recipes stay as they are."""
    async with world(tmp_path, pictures) as here:
        await here.import_folder(pictures.folder)
        before = await uses_of(here)
        await here.clock.advance(2 * 86_400)
        here.civitai.policy, here.civitai.refusal = FixedWindow(0, 5), Refusal(seconds=900)
        end = await here.run(here.pantry.syncs.wait(await here.pantry.syncs.start()))
        assert end["status"] == "completed"
        assert await uses_of(here) == before
