"""A folder of images becomes recipes, whatever the vendors do meanwhile."""

from __future__ import annotations

import pytest

from py.jobs.request import ImportRequest
from tests.vendors.test_archive_db import SHA, write_archive

from .pictures import make, picture_bytes
from .truth import assert_true
from .vendor import Fault, FixedWindow, Refusal
from .world import world


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    """300 images of 5 checkpoints and 60 LoRAs; CivitAI lacks six of them, of which CivArchive knows four."""
    return make(tmp_path_factory.mktemp("pictures"), 300, loras=60, archive_only=4, unknown=2)


def known_names(pictures):
    return {one.name for one in (*pictures.civitai, *pictures.civarchive)}


async def test_a_vendor_that_refuses_for_seconds_slows_an_import_and_spoils_nothing(tmp_path, pictures):
    """20 requests per 5 s with Retry-After 5: every image succeeds, and no request is sent into a window."""
    async with world(tmp_path, pictures) as here:
        here.civitai.policy, here.civitai.refusal = FixedWindow(20, 5), Refusal(seconds=5)
        end = await here.import_folder(pictures.folder)
        recipes = await here.recipes()
    assert (end["status"], end["success"], end["failed"], end["skipped"]) == ("completed", 300, 0, 0)
    assert here.civitai.journal.count("refused") > 0
    assert here.civitai.journal.inside_windows == 0
    for name, truth in pictures.truth.items():
        assert_true(recipes[name], truth, known_names(pictures))
    asked = set(here.civarchive.journal.asked)
    assert asked == {one for one in pictures.questions if len(one) == 64}
    singly = [one for one in here.civitai.journal.entries if one.method == "GET" and one.kind == "answered"]
    assert len(singly) == len({one.questions for one in singly})  # what was answered is never asked again


async def test_a_wait_is_told_while_it_lasts(tmp_path, pictures):
    """Watchers hear of a closed window at once, and again when it opens, though no image moves meanwhile."""
    async with world(tmp_path, pictures) as here:
        here.civitai.policy, here.civitai.refusal = FixedWindow(20, 60), Refusal(seconds=60)
        await here.import_folder(pictures.folder)
        told = [bool(one["limits"]) for one in here.events.of("pantry.batch_import")]
    changes = [now for before, now in zip([False, *told], told, strict=False) if now is not before]
    assert changes[:2] == [True, False]


async def test_what_a_person_has_stopped_waits_for_nobody(tmp_path, pictures):
    """A vendor holds an import until it is paused or cancelled: from then on nothing goes on by itself at its moment."""
    async with world(tmp_path, pictures) as here:
        here.civitai.policy, here.civitai.refusal = FixedWindow(20, 600), Refusal(seconds=200)
        imports = here.pantry.imports
        job = await imports.start(ImportRequest(directories=(pictures.folder,)))

        async def held():
            while not (await imports.snapshot(job))["limits"]:
                await here.clock.sleep(0.5)

        await here.run(held())
        stopped = [await imports.pause(job), await imports.cancel(job), await imports.snapshot(job)]
    assert [(one["status"], one["rate_limited"], one["limits"]) for one in stopped] == [
        ("paused", False, []),
        ("cancelled", False, []),
        ("cancelled", False, []),
    ]


async def test_a_vendor_that_refuses_for_long_puts_images_off_and_retry_finishes_them(tmp_path, pictures):
    """Retry-After 600: what was answered before is a recipe, the rest waits and says until when, then is finished."""
    async with world(tmp_path, pictures) as here:
        here.civitai.policy, here.civitai.refusal = FixedWindow(20, 5), Refusal(seconds=600)
        job = await here.import_folder(pictures.folder)
        put_off = job["skipped_reasons"]["rate_limited"]
        assert (job["status"], job["failed"], job["success"] + put_off) == ("completed", 0, 300)
        assert 0 < put_off < 300
        assert job["rate_limited"] is True
        assert job["limits"][0]["host"] == here.civitai.host
        page = await here.pantry.imports.items(job["operation_id"], status="SKIPPED", limit=500)
        assert all(one["retry_at"] > here.clock.wall() for one in page["items"])
        assert {one["reason"] for one in page["items"]} == {"rate_limited"}
        misses = {key for one in here.civitai.journal.entries if one.status == 404 for key in one.questions}
        assert set(here.civarchive.journal.asked) <= misses
        for name, recipe in (await here.recipes()).items():
            assert_true(recipe, pictures.truth[name], known_names(pictures))

        here.civitai.open_up()
        await here.clock.advance(610)
        sent = here.transport.sent
        await here.pantry.imports.retry(job["operation_id"])
        end = await here.run(here.pantry.imports.wait(job["operation_id"]))
        recipes = await here.recipes()
    assert (end["status"], end["success"], end["skipped"]) == ("completed", 300, 0)
    assert here.civitai.journal.inside_windows == 0
    assert here.transport.sent - sent <= len(pictures.questions) - 20 + 6  # nothing that was known is asked again
    for name, truth in pictures.truth.items():
        assert_true(recipes[name], truth, known_names(pictures))


TROUBLES = [
    "down",
    "500",
    "502",
    "401",
    "html",
    "html_404",
    "empty",
    "truncated",
    "reset",
    "challenge",
    "451",
    "wrong_type",
]


@pytest.mark.parametrize("trouble", TROUBLES)
async def test_no_trouble_of_a_vendor_is_stored_as_a_fact(tmp_path, trouble):
    """Down, 5xx, bad key, pages, cut and broken answers: no model is called absent, and a later run heals all."""
    pictures = make(tmp_path / "pictures", 12, checkpoints=2, loras=4, graphs=False)
    async with world(tmp_path, pictures) as here:
        if trouble == "down":
            await here.civitai.stop()
        else:
            here.civitai.fail(Fault(trouble))
        job = await here.import_folder(pictures.folder)
        assert (job["status"], job["failed"], job["skipped"]) == ("completed", 0, 12)
        assert set(job["skipped_reasons"]) <= {"unreachable", "unauthorised"}
        assert await here.recipes() == {}
        assert here.civarchive.journal.entries == []

        here.civitai.open_up()
        if trouble == "down":
            await here.civitai.start()
        if trouble == "451":  # a vendor that does not serve this region is left alone until the next start
            await here.stop()
            await here.start()
        await here.clock.advance(7200)
        await here.pantry.imports.retry(job["operation_id"])
        end = await here.run(here.pantry.imports.wait(job["operation_id"]))
        recipes = await here.recipes()
    assert (end["success"], end["skipped"], end["failed"]) == (12, 0, 0)
    for name, truth in pictures.truth.items():
        assert_true(recipes[name], truth)


async def test_the_same_question_is_asked_once_and_never_again(tmp_path):
    """1,000 images that name the same three models cost three requests; another run of the folder costs none."""
    pictures = make(tmp_path / "pictures", 1000, checkpoints=1, loras=2, graphs=False)
    async with world(tmp_path, pictures) as here:
        first = await here.import_folder(pictures.folder)
        assert (first["success"], len(here.civitai.journal.entries)) == (1000, 3)
        second = await here.import_folder(pictures.folder)
        assert second["skipped_reasons"] == {"duplicate": 1000}
        await here.stop()
        await here.start()
        third = await here.import_folder(pictures.folder, skip_duplicates=False)
        assert third["success"] == 1000
        assert len(here.civitai.journal.entries) == 3


async def test_a_window_outlives_a_restart(tmp_path, pictures):
    """After a refusal for ten minutes and a restart, nothing is sent before the ten minutes are over."""
    async with world(tmp_path, pictures) as here:
        here.civitai.policy, here.civitai.refusal = FixedWindow(5, 5), Refusal(seconds=600)
        await here.import_folder(pictures.folder)
        sent = len(here.civitai.journal.entries)
        await here.stop()
        await here.clock.advance(120)
        await here.start()
        job = await here.import_folder(pictures.folder)
        assert job["skipped_reasons"]["rate_limited"] > 0
        assert len(here.civitai.journal.entries) == sent
        assert here.civitai.journal.inside_windows == 0


@pytest.mark.parametrize("spelling", ["decimal", "milliseconds", "imf", "rfc850", "asctime", "body"])
async def test_every_spelling_of_a_wait_is_understood(tmp_path, spelling):
    """However a vendor spells when to come back, nobody comes earlier."""
    pictures = make(tmp_path / "pictures", 30, checkpoints=3, loras=27, graphs=False)
    async with world(tmp_path, pictures) as here:
        here.civitai.policy, here.civitai.refusal = FixedWindow(10, 8), Refusal(spelling, seconds=8)
        end = await here.import_folder(pictures.folder)
    assert end["success"] == 30
    assert here.civitai.journal.count("refused") > 0
    assert here.civitai.journal.inside_windows == 0


@pytest.mark.parametrize("kind", ["civarchive", "civarchive-v1"])
async def test_civarchives_long_window_holds_back_only_what_needs_civarchive(tmp_path, kind):
    """CivArchive closed for 42 minutes: everything that CivitAI can answer is finished."""
    pictures = make(tmp_path / "pictures", 40, checkpoints=2, loras=20, archive_only=3, graphs=False)
    async with world(tmp_path, pictures, archive_kind=kind) as here:
        here.civarchive.policy, here.civarchive.refusal = FixedWindow(1, 3600), Refusal(seconds=2520, body="archive")
        job = await here.import_folder(pictures.folder)
        needs = sum(any(len(use["hash"]) == 64 for use in one["loras"]) for one in pictures.truth.values())
        assert 0 < job["skipped_reasons"]["rate_limited"] < needs
        assert job["success"] == 40 - job["skipped_reasons"]["rate_limited"]
        assert here.civarchive.journal.count("refused") == 1
        assert here.civarchive.journal.inside_windows == 0
        here.civarchive.open_up()
        await here.clock.advance(2600)
        await here.pantry.imports.retry(job["operation_id"])
        end = await here.run(here.pantry.imports.wait(job["operation_id"]))
    assert (end["success"], end["skipped"]) == (40, 0)


async def test_the_local_archive_answers_while_the_vendor_refuses(tmp_path):
    """With an archive database, a refused look-up still ends in a recipe; nothing is called absent for it."""
    path = write_archive(tmp_path / "civitai.sqlite")
    folder = tmp_path / "pictures"
    folder.mkdir()
    text = f'a cat <lora:abc:1>\nSteps: 5, Sampler: Euler, Seed: 1, Size: 64x64, Lora hashes: "abc: {SHA[:10]}"'
    (folder / "one.png").write_bytes(picture_bytes("one.png", 1, text))
    async with world(tmp_path, archive_db_path=str(path)) as here:
        here.civitai.policy, here.civitai.refusal = FixedWindow(0, 5), Refusal(seconds=600)
        end = await here.import_folder(folder)
        recipe = (await here.recipes())["one.png"]
    assert end["success"] == 1
    assert (recipe["loras"][0]["state"], recipe["loras"][0]["vendor_name"]) == ("found", "Abc Style")


@pytest.mark.parametrize("patience", [0, 0.5, 5])
async def test_a_slow_pace_is_no_refusal(tmp_path, patience):
    """A vendor that refuses nobody is asked at its pace until all is done, however little anyone would wait."""
    pictures = make(tmp_path / "pictures", 12, checkpoints=2, loras=10, unknown=2, graphs=False)
    waits = {"rate_limit_max_wait_seconds": patience, "rate_limit_min_interval_seconds": 0.75}
    async with world(tmp_path, pictures, **waits) as here:
        end = await here.import_folder(pictures.folder)
    assert (end["success"], end["skipped"]) == (12, 0)


async def test_retry_finishes_everything_when_the_window_is_over(tmp_path):
    """With little patience and one refusal the rest is put off; one retry after the window finishes all of it."""
    pictures = make(tmp_path / "pictures", 40, checkpoints=4, loras=36, graphs=False)
    async with world(tmp_path, pictures, rate_limit_max_wait_seconds=1) as here:
        here.civitai.policy, here.civitai.refusal = FixedWindow(10, 5), Refusal(seconds=20)
        job = await here.import_folder(pictures.folder)
        assert job["skipped_reasons"]["rate_limited"] > 0
        here.civitai.policy = FixedWindow(1000, 5)
        await here.clock.advance(25)
        await here.pantry.imports.retry(job["operation_id"])
        end = await here.run(here.pantry.imports.wait(job["operation_id"]))
        assert (end["success"], end["skipped"]) == (40, 0)
        assert here.civitai.journal.inside_windows == 0
