"""Watched folders: new images become recipes, old and unfinished ones are left alone."""

from __future__ import annotations

import asyncio

import pytest

from py.services import watch_service
from py.services.watch_service import POLL_SECONDS, WatchService
from tests.doubles.fake_imports import write_image


@pytest.fixture
async def watch(house):
    house.settings["watch_folders"] = (str(house.images),)
    service = WatchService(house.database, imports=house.service, clock=house.clock, settings=house.settings)
    yield service
    await service.close()


async def titles(house):
    return sorted(one["title"] for one in await house.all_recipes())


async def test_only_what_arrives_after_the_beginning_is_imported(house, watch):
    """Images that were there before are left alone; a new one is imported once it has stopped growing."""
    write_image(house.images / "old.png", prompt="old")
    await watch.look()
    write_image(house.images / "deep" / "new.png", prompt="new")

    assert await watch.look() is None, "a file that was just seen may still be written"
    await house.service.wait(await watch.look())

    assert await titles(house) == ["new"]
    assert await watch.look() is None


async def test_a_file_that_grows_is_waited_for(house, watch):
    """An image is read only when two looks found it the same."""
    await watch.look()
    path = write_image(house.images / "new.png", prompt="a")
    await watch.look()
    write_image(path, prompt="a and more")

    assert await watch.look() is None
    await house.service.wait(await watch.look())
    assert (await house.all_recipes())[0]["prompt"] == "a and more"


async def test_very_many_at_once_are_several_imports(house, watch, monkeypatch):
    """The list of files is kept with its import, so that it is bounded; the next looks bring the rest, each once."""
    monkeypatch.setattr(watch_service, "MOST_AT_ONCE", 2)
    await watch.look()
    for number in range(5):
        write_image(house.images / f"{number}.png", prompt=f"{number}")
    await watch.look()

    totals = []
    while operation := await watch.look():
        totals.append((await house.service.wait(operation))["total"])

    assert totals == [2, 2, 1]
    assert await titles(house) == [str(number) for number in range(5)]


async def test_a_deleted_recipe_does_not_come_back(house, watch):
    """After a restart, files that were dealt with are not imported again, even where the recipe is gone."""
    await watch.look()
    write_image(house.images / "new.png")
    await watch.look()
    await house.service.wait(await watch.look())
    await house.recipes.delete((await house.all_recipes())[0]["id"])

    after = WatchService(house.database, imports=house.service, clock=house.clock, settings=house.settings)

    assert await after.look() is None
    assert await after.look() is None


async def test_images_of_the_time_when_nothing_ran_are_found(house, watch):
    """What arrived while Pantry was not running is imported at the next start."""
    await watch.look()
    write_image(house.images / "meanwhile.png")

    after = WatchService(house.database, imports=house.service, clock=house.clock, settings=house.settings)
    await after.look()
    await house.service.wait(await after.look())

    assert await titles(house) == ["meanwhile"]


async def test_polling_finds_new_images_by_itself(house, watch):
    """Started, the service looks again every few seconds; a missing folder is no error."""
    house.settings["watch_folders"] = (str(house.images), str(house.images / "gone"))
    watch.start()
    for _ in range(200):
        if house.clock.sleeping:
            break
        await asyncio.sleep(0.005)
    write_image(house.images / "new.png")
    for _ in range(200):
        await house.clock.advance(POLL_SECONDS)
        await asyncio.sleep(0.005)
        if await titles(house):
            break

    assert await titles(house) == ["new"]
