"""Recipes leave as a file and come back, once."""

from __future__ import annotations

import json
import zipfile

import pytest

from py.core.errors import InvalidRequestError
from py.jobs.request import ImportRequest
from py.services.recipe_backup_service import RecipeBackupService
from tests.doubles.fake_imports import write_image
from tests.services.import_house import ImportHouse


@pytest.fixture
async def filled(house):
    for number in range(5):
        write_image(house.images / f"{number}.png", prompt=f"樱花 {number}", checkpoint="aa", loras=["bb"])
    await house.run(ImportRequest(directories=(house.images,), tags=("x",)))
    first = (await house.all_recipes())[0]
    await house.recipes.patch(first["id"], {"rating": 4, "notes": "mine", "favourite": True, "nsfw_level": 4})
    return house


@pytest.fixture
async def elsewhere(tmp_path):
    other = await ImportHouse(tmp_path / "elsewhere").open()
    yield other
    await other.close()


def backup_of(house):
    return RecipeBackupService(house.database, house.folder / "images-kept")


async def exported(house):
    return [line async for line in backup_of(house).export()]


def without_place(recipes):
    changing = ("updated_at", "source")
    return sorted(({key: one[key] for key in one if key not in changing} for one in recipes), key=lambda one: one["id"])


async def test_a_backup_brings_every_recipe_back(filled, elsewhere):
    """Everything that a person can see of a recipe survives, and search finds it."""
    lines = await exported(filled)

    counts = await backup_of(elsewhere).restore(lines)

    assert counts == {"added": 5, "known": 0, "broken": 0}
    assert without_place(await elsewhere.all_recipes()) == without_place(await filled.all_recipes())
    again = await backup_of(elsewhere).restore(lines)
    assert again == {"added": 0, "known": 5, "broken": 0}


async def test_a_level_that_is_none_becomes_unknown(filled, elsewhere):
    """A file written by hand cannot bring in a level that no filter knows."""
    lines = await exported(filled)
    lines[1] = json.dumps({**json.loads(lines[1]), "nsfw_level": "high"})

    assert (await backup_of(elsewhere).restore(lines))["added"] == 5
    brought = await elsewhere.recipes.get(json.loads(lines[1])["id"])
    assert brought["nsfw_level"] is None


async def test_broken_lines_are_counted_and_harm_nothing(filled, elsewhere):
    """One bad line costs one recipe."""
    lines = await exported(filled)
    good = json.loads(lines[1])
    bad = [
        "{",
        "[]",
        json.dumps({"id": "x"}),
        json.dumps({**good, "id": "../../x", "content_hash": "1"}),
        json.dumps({**good, "id": "abc", "content_hash": "2", "body": {"loras": [3]}}),
        json.dumps({**good, "id": "abd", "content_hash": "3", "rating": {}}),
    ]

    counts = await backup_of(elsewhere).restore([*lines[:3], *bad, *lines[3:]])

    assert counts == {"added": 5, "known": 0, "broken": 6}


@pytest.mark.parametrize("first", ["", "{}", "hello", '{"format": "comfyui-pantry recipes", "version": 2}'])
async def test_a_foreign_file_is_refused(elsewhere, first):
    """Only a file of ours, of a version that we know, is taken in."""
    with pytest.raises(InvalidRequestError):
        await backup_of(elsewhere).restore([first])


async def test_a_file_cannot_make_us_show_any_file(filled, elsewhere):
    """The place of an image is kept only where the caller permits it."""
    await backup_of(elsewhere).restore(await exported(filled), permit=lambda _: False)

    for one in await elsewhere.all_recipes():
        assert await elsewhere.recipes.source_path(one["id"]) is None


async def test_a_zip_brings_the_images_along(filled, elsewhere, tmp_path):
    """On another machine the recipes have their images; twice is once."""
    target = tmp_path / "backup.zip"
    await backup_of(filled).export_zip(target)

    counts = [await backup_of(elsewhere).restore_zip(target) for _ in range(2)]

    assert [one["added"] for one in counts] == [5, 0]
    for one in await elsewhere.all_recipes():
        path = await elsewhere.recipes.source_path(one["id"])
        assert path.parent == elsewhere.folder / "images-kept"
        assert path.is_file()


async def test_a_zip_writes_nowhere_else(filled, elsewhere, tmp_path):
    """Names that climb out of the folder are passed over."""
    target = tmp_path / "backup.zip"
    await backup_of(filled).export_zip(target)
    with zipfile.ZipFile(target, "a") as archive:
        archive.writestr("images/../../evil.png", b"x")
        archive.writestr("../evil.png", b"x")

    await backup_of(elsewhere).restore_zip(target)

    assert not list(tmp_path.rglob("evil*"))


async def test_what_is_no_zip_is_refused(elsewhere, tmp_path):
    """A sentence, not a traceback."""
    (tmp_path / "x.zip").write_bytes(b"no zip")

    with pytest.raises(InvalidRequestError):
        await backup_of(elsewhere).restore_zip(tmp_path / "x.zip")
