"""The import job, end to end, on a real database."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from types import SimpleNamespace

import pytest

from py.core.errors import ConflictError, InvalidRequestError
from py.core.events import BATCH_IMPORT, RECIPES_CHANGED
from py.core.outcomes import AbsentConfirmed, Found, Malformed, RateLimited, Unauthorised, Unreachable
from py.jobs.request import ImportRequest
from py.recipes.store import RecipeFilter
from py.services.imports.run import ImportRun
from tests.doubles.fake_imports import HOST, model, read_text_image, write_image
from tests.doubles.texts import whole


def folder(house, **options):
    return ImportRequest(directories=(house.images,), **options)


async def until(condition):
    """Let the loop run until `condition()` holds."""
    for _ in range(2000):
        if condition():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it never came true")


async def test_a_folder_of_images_becomes_recipes(house):
    """Each image with metadata becomes one recipe with the vendor's names; the job says so."""
    write_image(house.images / "one.png", checkpoint="aa", loras=["bb"])
    write_image(house.images / "deep" / "two.png", prompt="a dog", checkpoint="aa")
    write_image(house.images / "three.png", prompt=None)
    (house.images / "notes.txt").write_text("no image")

    done = await house.run(folder(house, tags=("cats",)))

    assert (done["status"], done["total"], done["success"], done["skipped"]) == ("completed", 3, 2, 1)
    assert done["skipped_reasons"] == {"no_metadata": 1}
    assert done["progress_percent"] == 100
    first = next(one for one in await house.all_recipes() if one["title"] == "one")
    assert first["checkpoint"]["vendor_name"] == "Vendor aa"
    assert [(lora["name"], lora["state"]) for lora in first["loras"]] == [("lora-bb", "found")]
    assert (first["base_model"], first["tags"]) == ("SDXL 1.0", ["cats"])


async def test_a_thousand_images_with_three_models_cost_three_lookups(house):
    """Look-ups are asked for once a reference, not once an image."""
    for number in range(1000):
        write_image(house.images / f"{number}.png", prompt=f"cat {number}", checkpoint="aa", loras=["bb", "cc"])

    done = await house.run(folder(house))

    assert done["success"] == 1000
    assert dict(house.provider.asked) == {"aa": 1, "bb": 1, "cc": 1}


async def test_a_second_run_asks_nothing_and_reads_nothing(house):
    """Importing the same folder again finds every file known by path, size and time."""
    for number in range(5):
        write_image(house.images / f"{number}.png", prompt=f"cat {number}", checkpoint="aa")
    await house.run(folder(house))
    house.provider.asked.clear()
    house.reader = None

    again = await house.run(folder(house))

    assert again["skipped_reasons"] == {"duplicate": 5}
    assert not house.provider.asked


async def test_a_copy_under_another_name_is_a_duplicate(house):
    """The same content is imported once, whatever its name, also within one run."""
    write_image(house.images / "a.png", checkpoint="aa")
    write_image(house.images / "b.png", checkpoint="aa")

    done = await house.run(folder(house))

    assert (done["success"], done["skipped_reasons"]) == (1, {"duplicate": 1})
    items = (await house.service.items(done["operation_id"], status="skipped"))["items"]
    assert items[0]["recipe_id"] == (await house.all_recipes())[0]["id"]


async def test_import_anyway(house):
    """With skip_duplicates off, a known image gets another recipe."""
    write_image(house.images / "a.png")
    await house.run(folder(house))

    done = await house.run(folder(house, skip_duplicates=False))

    assert done["success"] == 1
    assert len(await house.all_recipes()) == 2


async def test_a_refused_vendor_skips_and_never_fails(house):
    """What was answered before a refusal is saved; the rest is skipped until the window ends, with no further look-up."""
    retry_at = house.clock.wall() + 600
    for number in range(30):
        write_image(house.images / f"{number}.png", prompt=f"{number}", checkpoint=f"{number:02x}")
    write_image(house.images / "plain.png", prompt="needs nothing")
    answered = 0

    def refuse_after_ten():
        nonlocal answered
        answered += 1
        house.windows.close(HOST, 600)
        return RateLimited(HOST, retry_at)

    keys = sorted(f"{number:02x}" for number in range(30))
    house.provider.answers = dict.fromkeys(keys[:20], refuse_after_ten)

    done = await house.run(folder(house))

    assert (done["status"], done["failed"]) == ("completed", 0)
    assert done["success"] + done["skipped"] == 31
    assert done["skipped_reasons"] == {"rate_limited": done["skipped"]}
    assert answered <= 3, "at most those that were under way"
    assert done["rate_limited"]
    assert done["limits"] == [
        {"host": HOST, "retry_at": retry_at, "remaining_seconds": 600.0, "waiting_items": done["skipped"]}
    ]
    assert "can be run again" in done["message"]
    items = (await house.service.items(done["operation_id"], reason="rate_limited"))["items"]
    assert {item["retry_at"] for item in items} == {retry_at}
    assert len(await house.all_recipes()) == done["success"]


async def test_retry_finishes_exactly_the_skipped_ones(house):
    """Retry asks for what was put off and leaves the finished ones alone."""
    write_image(house.images / "a.png", prompt="a", checkpoint="aa")
    write_image(house.images / "b.png", prompt="b", checkpoint="bb")
    house.provider.answers = {"bb": RateLimited("other.test", house.clock.wall() + 600)}
    first = await house.run(folder(house))
    before = {one["id"] for one in await house.all_recipes()}
    house.provider.answers = {}

    await house.service.retry(first["operation_id"])
    done = await house.service.wait(first["operation_id"])

    assert (first["success"], first["skipped"]) == (1, 1)
    assert (done["success"], done["skipped"], done["message"]) == (2, 0, None)
    assert before < {one["id"] for one in await house.all_recipes()}
    assert house.provider.asked == {"aa": 1, "bb": 2}


async def test_retry_of_one_reason_leaves_the_others_alone(house):
    """Asked for one reason, retry runs only what ended for it; a reason that is none of ours is refused."""
    write_image(house.images / "a.png", prompt="a", checkpoint="aa")
    write_image(house.images / "b.png", prompt="b", checkpoint="bb")
    at = house.clock.wall() + 600
    house.provider.answers = {"aa": Unreachable("away.test", at, "away"), "bb": RateLimited("other.test", at)}
    first = await house.run(folder(house))
    house.provider.answers = {}

    with pytest.raises(InvalidRequestError):
        await house.service.retry(first["operation_id"], "bad weather")
    await house.service.retry(first["operation_id"], "rate_limited")
    done = await house.service.wait(first["operation_id"])

    assert first["skipped_reasons"] == {"unreachable": 1, "rate_limited": 1}
    assert (done["success"], done["skipped_reasons"]) == (1, {"unreachable": 1})


async def test_images_that_had_to_wait_go_on_by_themselves(house):
    """When the window ends, the job finishes what it had to put off, also after a restart."""
    write_image(house.images / "a.png", checkpoint="aa")
    house.provider.answers = {"aa": RateLimited(HOST, house.clock.wall() + 600)}
    first = await house.run(folder(house))
    await house.restart()
    house.provider.answers = {}
    await house.service.resume_unfinished()

    await house.clock.advance(599)
    assert (await house.service.snapshot(first["operation_id"]))["skipped"] == 1
    await until(lambda: house.clock.sleeping > 0)
    await house.clock.advance(10)
    for _ in range(400):
        if (await house.service.snapshot(first["operation_id"]))["success"]:
            break
        await asyncio.sleep(0.005)

    done = await house.service.wait(first["operation_id"])
    assert (done["status"], done["success"]) == ("completed", 1)


async def test_a_vendor_that_is_down_is_not_asked_for_every_reference(house):
    """After an unreachable answer with an end in the future, the rest that needs that vendor is put off at once."""
    for number in range(200):
        write_image(house.images / f"{number}.png", prompt=f"{number}", checkpoint=f"{number:03x}")
    retry_at = house.clock.wall() + 30
    down = Unreachable(HOST, retry_at, "refused")
    house.provider.answers = {f"{number:03x}": down for number in range(200)}

    done = await house.run(folder(house))

    assert done["skipped_reasons"] == {"unreachable": 200}
    assert sum(house.provider.asked.values()) <= 3


@pytest.mark.parametrize("outcome", [Malformed(HOST, "html"), Unreachable(HOST, None, "500")])
async def test_a_vendor_that_only_makes_trouble_is_left_alone(house, outcome):
    """Five useless answers in a row end the vendor stage; nothing false is stored."""
    for number in range(50):
        write_image(house.images / f"{number}.png", prompt=f"{number}", checkpoint=f"{number:03x}")
    house.provider.answers = {f"{number:03x}": outcome for number in range(50)}

    done = await house.run(folder(house))

    assert done["skipped_reasons"] == {"unreachable": 50}
    assert sum(house.provider.asked.values()) <= 7
    assert await house.all_recipes() == []


async def test_a_vendor_that_talks_nonsense_is_asked_again_when_its_pause_ends(house):
    """Once the pause is known, every image that it holds names its end, those before it too; all go on by themselves."""
    for number in range(30):
        write_image(house.images / f"{number}.png", prompt=f"{number}", checkpoint=f"{number:03x}")
    ends, said = house.clock.wall() + 60, 0

    def nonsense():
        nonlocal said
        said += 1
        if said < 3:
            return Malformed(HOST, "html")
        house.windows.close(HOST, 60)
        return Malformed(HOST, "html", retry_at=ends)

    house.provider.answers = {f"{number:03x}": nonsense for number in range(30)}

    done = await house.run(folder(house))

    items = (await house.service.items(done["operation_id"]))["items"]
    assert {(one["reason"], one["host"], one["retry_at"]) for one in items} == {("unreachable", HOST, ends)}
    assert (said <= 5, done["limits"][0]["retry_at"], done["limits"][0]["waiting_items"]) == (True, ends, 30)
    house.provider.answers = {}
    await house.service.resume_unfinished()
    await until(lambda: house.clock.sleeping > 0)
    await house.clock.advance(62)
    for _ in range(400):
        if (await house.service.snapshot(done["operation_id"]))["success"] == 30:
            break
        await asyncio.sleep(0.005)
    assert (await house.service.wait(done["operation_id"]))["success"] == 30


async def test_three_refusals_of_the_key_end_the_vendor_stage(house):
    """A bad key is not tried on every reference; the items stay re-runnable and one message says what to do."""
    for number in range(50):
        write_image(house.images / f"{number}.png", prompt=f"{number}", checkpoint=f"{number:03x}")
    house.provider.answers = {f"{number:03x}": Unauthorised(HOST, "bad key") for number in range(50)}

    done = await house.run(folder(house))

    assert done["skipped_reasons"] == {"unauthorised": 50}
    assert sum(house.provider.asked.values()) <= 5
    assert "API key" in done["message"]
    assert "check it in the settings" in done["message"]
    house.provider.answers = {}
    await house.service.retry(done["operation_id"])
    assert (await house.service.wait(done["operation_id"]))["success"] == 50


async def test_a_confirmed_miss_is_a_recipe_with_an_absent_model(house):
    """Absent is an answer: the recipe is complete, and says who was asked."""
    write_image(house.images / "a.png", checkpoint="aa")
    house.provider.answers = {"aa": AbsentConfirmed(("civitai", "civarchive"))}

    done = await house.run(folder(house))

    assert done["success"] == 1
    checkpoint = (await house.all_recipes())[0]["checkpoint"]
    assert (checkpoint["state"], checkpoint["source"]) == ("absent", "civitai, civarchive")


async def test_a_broken_file_fails_with_a_sentence(house):
    """A file that is no image fails alone."""
    (house.images / "broken.png").write_bytes(b"\x89PNG oops")
    write_image(house.images / "fine.png")

    done = await house.run(folder(house))

    assert (done["success"], done["failed"], done["failed_reasons"]) == (1, 1, {"unreadable": 1})
    assert (await house.service.items(done["operation_id"], status="failed"))["items"][0]["detail"] == (
        "This is not an image."
    )


async def test_images_that_need_nothing_do_not_wait_for_the_gate(house):
    """While a look-up waits, images without references finish; the job then shows that it only waits."""
    house.provider.gate = asyncio.Event()
    write_image(house.images / "held.png", checkpoint="aa")
    for number in range(20):
        write_image(house.images / f"{number}.png", prompt=f"{number}")
    job = await house.service.start(folder(house))
    await until(lambda: house.service._queue.get(job).snapshot()["phase"] == "resolving")
    house.windows.close(HOST, 100)

    held = await house.service.snapshot(job)

    assert (held["status"], held["phase"], held["limits"][0]["waiting_items"]) == ("waiting", "resolving", 1)
    assert held["success"] == 20
    house.provider.gate.set()
    assert (await house.service.wait(job))["success"] == 21


@pytest.mark.parametrize("wish", ["pause", "cancel"])
async def test_stopping_keeps_the_place_and_resuming_goes_on(house, wish):
    """Pause and cancel act while a look-up waits; resume finishes without asking twice for what is known."""
    house.provider.gate = asyncio.Event()
    for number in range(5):
        write_image(house.images / f"{number}.png", prompt=f"{number}", checkpoint="aa")
    job = await house.service.start(folder(house))
    await until(lambda: house.provider.asked)

    stopped = await getattr(house.service, wish)(job)

    assert stopped["status"] == {"pause": "paused", "cancel": "cancelled"}[wish]
    assert await house.all_recipes() == []
    house.provider.gate = None
    await house.service.resume(job)
    assert (await house.service.wait(job))["success"] == 5


async def test_a_stopped_process_leaves_a_job_that_goes_on(house):
    """What a process was doing when it ended is taken up by the next one."""
    house.provider.gate = asyncio.Event()
    for number in range(5):
        write_image(house.images / f"{number}.png", prompt=f"{number}", checkpoint="aa")
    job = await house.service.start(folder(house))
    await until(lambda: house.provider.asked)
    house.provider.gate = None
    await house.restart()

    await house.service.resume_unfinished()

    assert (await house.service.wait(job))["success"] == 5
    assert await house.service.unfinished(folder(house)) is None


async def test_the_same_folder_finds_its_unfinished_job(house):
    """Importing a folder again after an interruption goes on with its job."""
    write_image(house.images / "a.png", checkpoint="aa")
    house.provider.gate = asyncio.Event()
    job = await house.service.start(folder(house))
    await house.service.pause(job)

    assert await house.service.unfinished(folder(house)) == job


async def test_jobs_wait_for_each_other(house):
    """Two jobs run one after the other, and both finish."""
    write_image(house.images / "a" / "1.png", prompt="1")
    write_image(house.images / "b" / "2.png", prompt="2")
    first = await house.service.start(ImportRequest(directories=(house.images / "a",)))
    second = await house.service.start(ImportRequest(directories=(house.images / "b",)))

    assert (await house.service.wait(second))["success"] == 1
    assert (await house.service.snapshot(first))["status"] == "completed"
    listed = await house.service.list(limit=1)
    assert [one["operation_id"] for one in listed["items"]] == [second]
    assert [one["operation_id"] for one in (await house.service.list(cursor=listed["next_cursor"]))["items"]] == [first]


async def test_a_job_that_only_waits_lets_the_next_one_go(house):
    """While one import waits for a vendor, another one with images that need nothing is done."""
    house.provider.gate = asyncio.Event()
    write_image(house.images / "a" / "1.png", prompt="1", checkpoint="aa")
    write_image(house.images / "b" / "2.png", prompt="2")
    write_image(house.images / "b" / "3.png", prompt="3", checkpoint="aa")
    first = await house.service.start(ImportRequest(directories=(house.images / "a",)))
    await until(lambda: house.provider.asked)
    second = await house.service.start(ImportRequest(directories=(house.images / "b",), recursive=False))

    for _ in range(400):
        if (await house.service.snapshot(second))["success"]:
            break
        await asyncio.sleep(0.005)
    assert (await house.service.snapshot(first))["status"] == "running"
    assert (await house.service.snapshot(second))["success"] == 1
    house.provider.gate.set()
    assert (await house.service.wait(first))["success"] == 1
    assert (await house.service.wait(second))["success"] == 2


async def test_progress_is_small_and_rare(house):
    """At most four messages a second of at most 2 KB, none with a folder's path, and the last one is the end."""
    for number in range(300):
        write_image(house.images / f"{number}.png", prompt=f"{number}", checkpoint="aa")

    await house.run(folder(house))

    sent = [(when, data) for name, when, data in house.sink.events if name == BATCH_IMPORT]
    assert len(sent) <= 3, "the clock stood still, so only the first state and the last could be sent"
    assert sent[-1][1]["status"] == "completed"
    for _, data in sent:
        assert len(str(data)) < 2048
        assert str(house.images) not in str(data["current_item"])


async def test_wishes_that_make_no_sense_are_conflicts(house):
    """A completed job can be neither paused, resumed nor cancelled; nothing to import is no request."""
    write_image(house.images / "a.png")
    done = await house.run(folder(house))

    for wish in (house.service.pause, house.service.resume, house.service.cancel):
        with pytest.raises(ConflictError):
            await wish(done["operation_id"])
    with pytest.raises(InvalidRequestError):
        await house.service.start(ImportRequest())


async def test_cancelling_a_job_that_waits_for_a_vendor_ends_the_waiting(house):
    """What was put off is then not finished by itself any more."""
    write_image(house.images / "a.png", checkpoint="aa")
    house.provider.answers = {"aa": RateLimited(HOST, house.clock.wall() + 600)}
    done = await house.run(folder(house))

    assert (await house.service.cancel(done["operation_id"]))["status"] == "cancelled"
    assert await house.service._next_due() is None


async def test_a_job_of_another_process_is_left_alone(house):
    """A job that is locked by somebody else is neither taken over nor stopped."""
    write_image(house.images / "a.png", checkpoint="aa")
    house.provider.gate = asyncio.Event()
    job = await house.service.start(folder(house))
    lock = house.folder / "locks" / f"{job}.lock"
    assert lock.exists()

    with pytest.raises(ConflictError):
        house.service._queue.take(job)


async def test_reports(house):
    """A report lists every image, as JSON and as CSV in which no cell is a formula."""
    write_image(house.images / "=cmd.png")
    done = await house.run(ImportRequest(files=(house.images / "=cmd.png",)))

    assert '"status": "SUCCESS"' in await whole(house.service.report(done["operation_id"], "json"))
    lines = (await whole(house.service.report(done["operation_id"], "csv"))).splitlines()
    assert lines[0].startswith("source,status")
    assert "SUCCESS" in lines[1]


async def test_a_preview_counts_and_does_nothing(house):
    """Before anything starts one learns how many images are new and how many look-ups they take."""
    write_image(house.images / "a.png", prompt="a", checkpoint="aa")
    await house.run(folder(house))
    house.provider.asked.clear()
    write_image(house.images / "b.png", prompt="b", checkpoint="aa", loras=["bb"])
    write_image(house.images / "deep" / "c.png", prompt=None)

    told = await house.service.preview(folder(house))

    assert (told["images"], told["known"], told["folders"]) == (3, 1, 2)
    assert (told["read"], told["with_metadata"], told["exact"]) == (2, 1, True)
    assert (told["references"], told["requests"], told["seconds"]) == (2, 1, 0.8)
    assert not house.provider.asked
    assert len((await house.service.list())["items"]) == 1


async def test_whole_hashes_are_asked_for_together(house):
    """References that a bulk request can answer are not asked for one by one."""
    for number in range(50):
        write_image(house.images / f"{number}.png", prompt=f"{number}", checkpoint=f"{number:064x}")
    house.settings["batch_import_concurrency"] = 1

    done = await house.run(folder(house))

    assert done["success"] == 50
    assert max(house.provider.batches) > 10


async def test_the_local_archive_answers_behind_a_refusal(house):
    """A refusal ends the asking, not the looking: what the archive on this machine knows is finished."""
    for number in range(20):
        write_image(house.images / f"{number}.png", prompt=f"{number}", checkpoint=f"{number:02x}")
    house.provider.answers = {f"{number:02x}": RateLimited(HOST, house.clock.wall() + 600) for number in range(20)}
    house.provider.archive = {f"{number:02x}": Found(model("Archived"), "archive_db") for number in range(5)}

    done = await house.run(folder(house))

    assert (done["success"], done["skipped_reasons"]) == (5, {"rate_limited": 15})
    assert {one["checkpoint"]["source"] for one in await house.all_recipes()} == {"archive_db"}


async def test_recipes_of_lora_manager_are_imported_and_looked_up(house):
    """A folder of recipe files becomes recipes with their titles and tags; a second run adds none."""
    told = {
        "title": "Harbour",
        "tags": ["sea"],
        "loras": [{"file_name": "h", "hash": "ab" * 32, "strength": 0.5, "isDeleted": True}],
        "gen_params": {"prompt": "a harbour"},
    }
    (house.images / "x.recipe.json").write_text(json.dumps(told))
    write_image(house.images / "x.webp", prompt="the preview")

    done = await house.run(folder(house, tags=("moved",)))
    again = await house.run(folder(house))

    assert (done["success"], again["skipped_reasons"]) == (1, {"duplicate": 1})
    recipe = (await house.all_recipes())[0]
    assert (recipe["title"], recipe["tags"], recipe["prompt"]) == ("Harbour", ["moved", "sea"], "a harbour")
    assert recipe["loras"][0]["state"] == "found"
    assert recipe["source"]["path"].endswith("x.webp")


async def test_half_characters_are_no_obstacle(house):
    """A prompt with half a surrogate pair is kept as it is, and found."""
    write_image(house.images / "a.png", prompt="half \ud83d of a smile")

    done = await house.run(folder(house))

    assert (done["status"], done["success"]) == ("completed", 1)
    assert (await house.all_recipes())[0]["prompt"] == "half \ud83d of a smile"
    assert len((await house.recipes.list(RecipeFilter(q="smile")))["items"]) == 1


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has names that are no text")
async def test_a_file_name_that_is_no_text_is_imported(house):
    """The image becomes a recipe, is found again by the next run, and its file can be opened."""
    path = house.images / os.fsdecode(b"caf\xe9 \xff.png")
    write_image(path)

    done = await house.run(folder(house))
    again = await house.run(folder(house))

    assert (done["success"], again["skipped_reasons"]) == (1, {"duplicate": 1})
    recipe = (await house.all_recipes())[0]
    assert await house.recipes.source_path(recipe["id"]) == path
    json.dumps([recipe, done]).encode()


async def test_a_full_disk_fails_the_job_with_a_sentence_and_loses_nothing(house):
    """What was saved stays; with room again, resume finishes the rest."""
    for number in range(200):
        write_image(house.images / f"{number}.png", prompt=f"{number} " + "word " * 200)
    await limit_pages(house, 80)

    job = await house.service.start(folder(house))
    full = await house.service.wait(job)

    assert (full["status"], full["failed"]) == ("failed", 0)
    assert "disk is full" in full["message"]
    saved = len(await house.all_recipes())
    assert 0 < saved < 200
    await limit_pages(house, 1_000_000)
    await house.service.resume(job)
    assert (await house.service.wait(job))["success"] == 200
    assert len(await house.all_recipes()) == 200


async def limit_pages(house, more):
    """Let the database grow by so many pages and no further, as on a disk that fills up."""
    async with house.database.transaction() as tx:
        pages = (await tx.fetch_one("PRAGMA page_count"))[0]
        await tx.fetch_one(f"PRAGMA max_page_count = {pages + more}")


async def test_a_file_that_changes_while_it_is_read_is_told_apart(house):
    """An image that is still being written fails with a sentence of its own, and can be retried."""
    path = write_image(house.images / "a.png")

    def grow(path):
        reading = read_text_image(path)
        path.write_text(path.read_text() + " ")
        return reading

    house.reader = grow
    done = await house.run(folder(house))

    item = (await house.service.items(done["operation_id"]))["items"][0]
    assert (item["reason"], "still being written" in item["detail"]) == ("unreadable", True)
    house.reader = read_text_image
    await house.service.retry(done["operation_id"])
    assert (await house.service.wait(done["operation_id"]))["success"] == 1
    assert path.exists()


async def test_with_auto_resume_off_nothing_goes_on_by_itself(house):
    """The setting is a promise to leave put-off images alone."""
    house.settings["batch_import_auto_resume"] = False
    write_image(house.images / "a.png", checkpoint="aa")
    house.provider.answers = {"aa": RateLimited(HOST, house.clock.wall() + 600)}
    await house.service.resume_unfinished()
    await house.run(folder(house))

    await house.clock.advance(10_000)

    assert house.provider.asked == {"aa": 1}


async def test_pages_of_jobs_and_items_refuse_foreign_cursors(house):
    """A cursor that is not ours is a bad request."""
    write_image(house.images / "a.png")
    done = await house.run(folder(house))

    for cursor in ("x", "-1", "²", "9" * 30):
        with pytest.raises(InvalidRequestError):
            await house.service.list(cursor=cursor)
        with pytest.raises(InvalidRequestError):
            await house.service.items(done["operation_id"], cursor=cursor)
    assert (await house.service.items(done["operation_id"], status="SUCCESS", limit=1))["next_cursor"] is None
    assert (await house.service.items(done["operation_id"], status="failed"))["items"] == []


async def test_images_that_have_moved_are_found_again(house):
    """A known image in a new place gets no second recipe; the first one points to it from then on."""
    old = write_image(house.images / "old" / "a.png")
    await house.run(folder(house))
    recipe = (await house.all_recipes())[0]["id"]
    await house.recipes.patch(recipe, {"rating": 5})
    new = house.images / "new" / "b.png"
    new.parent.mkdir()
    old.rename(new)

    done = await house.run(folder(house))

    assert done["skipped_reasons"] == {"duplicate": 1}
    found = await house.recipes.get(recipe)
    assert (found["source"]["path"], found["rating"]) == (str(new), 5)
    assert await house.recipes.source_path(recipe) == new
    write_image(house.images / "copy.png")
    await house.run(folder(house))
    assert await house.recipes.source_path(recipe) == new, "a copy beside a file that is there changes nothing"


async def test_two_retries_at_once_are_one(house):
    """A retry by hand that meets one that is due is told that the import is under way; nothing is asked twice."""
    write_image(house.images / "a.png", checkpoint="aa")
    house.provider.answers = {"aa": RateLimited(HOST, house.clock.wall() - 1)}
    job = (await house.run(folder(house)))["operation_id"]
    house.provider.answers = {}
    house.provider.gate = asyncio.Event()

    told = await asyncio.gather(*(house.service.retry(job) for _ in range(3)), return_exceptions=True)

    assert [type(one) for one in told].count(dict) == 1
    assert {str(one) for one in told if not isinstance(one, dict)} <= {
        "A pending import cannot be asked to retry.",
        "A running import cannot be asked to retry.",
    }
    house.provider.gate.set()
    assert (await house.service.wait(job))["success"] == 1
    assert house.provider.asked == {"aa": 2}


async def test_a_wait_that_is_already_over_starts_no_loop(house):
    """A refusal whose end lies in the past ends the stage like any other, and is tried again only after a while."""
    write_image(house.images / "a.png", checkpoint="aa")
    house.provider.answers = {"aa": RateLimited(HOST, house.clock.wall() - 100)}
    await house.service.resume_unfinished()

    done = await house.run(folder(house))
    for _ in range(60):
        await house.clock.advance(1)
        await asyncio.sleep(0.002)

    assert done["skipped_reasons"] == {"rate_limited": 1}
    assert house.provider.asked["aa"] <= 4


async def test_news_of_recipes_is_rare_and_bounded(house):
    """However many recipes a second brings, watchers hear of them at most four times, in small messages."""
    for number in range(300):
        write_image(house.images / f"{number}.png", prompt=f"{number}")

    await house.run(folder(house))
    await house.clock.advance(1)

    told = house.sink.of(RECIPES_CHANGED)
    assert len(told) <= 3
    assert all(len(one["ids"]) <= 50 for one in told)
    assert any(one["more"] for one in told)


async def test_a_crash_in_the_middle_of_a_retry_leaves_a_job_that_goes_on(house, monkeypatch):
    """Items that were put back and the job that works on them are one commit."""
    write_image(house.images / "a.png", checkpoint="aa")
    house.provider.answers = {"aa": RateLimited(HOST, house.clock.wall() + 600)}
    job = (await house.run(folder(house)))["operation_id"]
    house.provider.answers = {}

    async def crash(*_):
        raise KeyError("the process ends here")

    monkeypatch.setattr(house.service._queue, "add", crash)
    with pytest.raises(KeyError):
        await house.service.retry(job)
    await house.restart()
    assert (await house.service.snapshot(job))["status"] == "pending"
    await house.service.resume_unfinished()

    assert (await house.service.wait(job))["success"] == 1


async def test_a_reader_that_misses_the_end_of_the_listing_ends_all_the_same():
    """While one reader asks for a page, the listing ends and another reader clears its word: nobody waits for ever."""
    gate = asyncio.Event()

    async def claim(_function):
        await gate.wait()
        return []

    run = SimpleNamespace(_listed=False, _more=asyncio.Event(), _write=claim, job=SimpleNamespace(number=1))
    reader = asyncio.ensure_future(ImportRun._read_pages(run))
    await asyncio.sleep(0)
    run._listed = True
    run._more.set()
    run._more.clear()
    gate.set()

    await asyncio.wait_for(reader, 5)
