"""Old jobs, old trash and missing backups are taken care of by themselves."""

from __future__ import annotations

import os
import zipfile

import pytest

from py.core.outcomes import RateLimited
from py.jobs import history
from py.jobs.history import History
from py.jobs.request import ImportRequest
from py.jobs.uploaded_zips import UploadedZips
from py.services.housekeeping_service import FIRST_LOOK_SECONDS, HousekeepingService
from py.storage.backups import Backups
from tests.doubles.fake_imports import HOST, write_image
from tests.standalone.pictures import picture_bytes

DAY = 86_400


@pytest.fixture
async def keeper(house):
    service = HousekeepingService(
        backups=Backups(house.database, house.clock),
        recipes=house.recipes,
        history=History(house.database, house.folder / "locks", house.folder / "logs"),
        zips=UploadedZips(house.database, house.folder / "uploads"),
        clock=house.clock,
    )
    yield service
    await service.close()


async def jobs(house):
    return [one["operation_id"] for one in (await house.service.list(limit=100))["items"]]


async def test_old_jobs_are_forgotten_with_their_files(house, keeper):
    """After ninety days a finished job, its log and its lock are gone; the recipes stay."""
    write_image(house.images / "a.png")
    write_image(house.images / "b.png", prompt=None)
    done = await house.run(ImportRequest(directories=(house.images,)))
    log = house.folder / "logs" / f"{done['operation_id']}.log"
    assert "no_metadata" in log.read_text()
    await keeper.tidy()
    assert await jobs(house) == [done["operation_id"]]

    await house.clock.advance(91 * DAY)
    await keeper.tidy()

    assert await jobs(house) == []
    assert not log.exists()
    assert len(await house.all_recipes()) == 1


async def test_a_job_that_waits_for_a_vendor_is_kept(house, keeper):
    """What can still be finished is not forgotten."""
    write_image(house.images / "a.png", checkpoint="aa")
    house.provider.answers = {"aa": RateLimited(HOST, house.clock.wall() + 600)}
    done = await house.run(ImportRequest(directories=(house.images,)))
    await house.clock.advance(91 * DAY)

    await keeper.tidy()

    assert await jobs(house) == [done["operation_id"]]


async def test_only_the_newest_jobs_of_watched_folders_stay(house, keeper, monkeypatch):
    """A folder that gets an image a minute does not flood the history."""
    monkeypatch.setitem(history.KEPT, "watch", 2)
    made = []
    for number in range(4):
        path = write_image(house.images / f"{number}.png", prompt=f"{number}")
        made.append((await house.run(ImportRequest(files=(path,), origin="watch")))["operation_id"])

    await keeper.tidy()

    assert await jobs(house) == [made[3], made[2]]


async def test_the_trash_is_emptied_after_thirty_days(house, keeper):
    """A deleted recipe can be restored for a month, not for ever."""
    write_image(house.images / "a.png")
    await house.run(ImportRequest(directories=(house.images,)))
    recipe = (await house.all_recipes())[0]["id"]
    await house.recipes.delete(recipe)
    await house.clock.advance(29 * DAY)
    await keeper.tidy()
    assert await house.recipes.restore([recipe]) == 1
    await house.recipes.delete(recipe)

    await house.clock.advance(30 * DAY)
    await keeper.tidy()

    assert await house.recipes.restore([recipe]) == 0


async def test_it_begins_a_minute_after_the_start(house, keeper):
    """The first backup comes by itself, but not while Pantry starts."""
    keeper.start()
    await house.clock.advance(FIRST_LOOK_SECONDS - 1)
    assert not Backups(house.database, house.clock).list()
    await house.clock.advance(2)
    await keeper.close()
    await keeper.tidy()

    assert len(Backups(house.database, house.clock).list()) == 1


def write_zip(house, name, text):
    """Put a zip of one image where uploads are kept, as old as the clock's now."""
    path = house.folder / "uploads" / name / "Pictures.ZIP"
    path.parent.mkdir(parents=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.png", picture_bytes("a.png", 1, text))
    os.utime(path, (house.clock.wall(), house.clock.wall()))
    return path


async def test_uploaded_zips_go_when_no_import_needs_them(house, keeper):
    """A week later the zip of a finished import is gone, its recipe and picture are there; one that waits stays."""
    done = write_zip(house, "done", "a dog\nSteps: 20, Seed: 3")
    waiting = write_zip(house, "waiting", "a cat\nSteps: 20, Seed: 4, Model: x, Model hash: aaaaaaaaaa")
    house.provider.answers = {"aaaaaaaaaa": RateLimited(HOST, house.clock.wall() + 30 * DAY)}
    await house.run(ImportRequest(files=(done, waiting)))
    await keeper.tidy()
    assert (done.exists(), waiting.exists()) == (True, True)

    await house.clock.advance(8 * DAY)
    await keeper.tidy()

    assert (done.exists(), waiting.exists()) == (False, True)
    [recipe] = await house.all_recipes()
    assert (await house.recipes.source_path(recipe["id"])).is_file()
