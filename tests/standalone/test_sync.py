"""The model library is described with few requests, and no trouble of a vendor is stored as a fact."""

from __future__ import annotations

import json
from functools import partial

import pytest

from py.core.errors import NotFoundError
from py.library.store import save_hashes
from py.services.metadata_sync_service import SyncRequest

from .models import make
from .vendor import Catalogue, Fault, FixedWindow, Refusal
from .world import world


class Shelf:
    """Give both vendors their catalogues, as `world` takes them."""

    def __init__(self, models):
        self.civitai_catalogue = Catalogue(models.civitai)
        self.civarchive_catalogue = Catalogue(models.civarchive)


def library_of(tmp_path, models, **settings):
    settings = {"model_folders": {"loras": [str(models.folder)]}, "write_sidecars": False, **settings}
    return world(tmp_path, Shelf(models), **settings)


async def scan_and_sync(here, **options):
    await here.run(here.pantry.library.scan())
    sync = await here.pantry.syncs.start(SyncRequest(**options))
    return await here.run(here.pantry.syncs.wait(sync))


async def know_hashes(here, models):
    """Store every file's SHA256 as if it had been hashed before."""
    numbers = {
        row[1]: row[0] for row in await here.pantry.database.fetch_all("SELECT number, file_name FROM model_files")
    }
    async with here.pantry.database.transaction() as tx:
        for one in (*models.civitai, *models.civarchive, *models.nobody):
            await tx.run(partial(save_hashes, number=numbers[one.file_name], hashes=one.hashes, now=1.0))


async def states(here):
    rows = await here.pantry.database.fetch_all("SELECT state, COUNT(*) FROM model_files GROUP BY state")
    return {row[0]: row[1] for row in rows}


async def marks(here):
    row = await here.pantry.database.fetch_one("SELECT COUNT(*) FROM model_files WHERE civitai_deleted = 1")
    return row[0]


async def test_three_thousand_files_cost_thirty_one_requests_and_the_misses(tmp_path):
    """2,980 known files and 20 that CivitAI lacks: at most 31 + 20 requests; another run asks nothing."""
    models = make(tmp_path / "loras", 2980, archive_only=10, unknown=10)
    async with library_of(tmp_path, models) as here:
        await here.run(here.pantry.library.scan())
        await know_hashes(here, models)
        end = await scan_and_sync(here)
        assert (end["status"], end["success"], end["skipped"], end["failed"]) == ("completed", 3000, 0, 0)
        assert len(here.civitai.journal.entries) <= 31 + 20
        assert len(here.civarchive.journal.entries) == 20
        assert await states(here) == {"synced": 2980, "archived_copy": 10, "absent": 10}
        assert await marks(here) == 20
        sent = here.transport.sent
        again = await scan_and_sync(here)
        assert (again["status"], again["total"], here.transport.sent) == ("completed", 0, sent)
        await here.stop()
        await here.start(model_folders={"loras": [str(models.folder)]})
        assert (await scan_and_sync(here))["total"] == 0
        assert here.transport.sent == 0


TROUBLES = [
    "down",
    "429",
    "500",
    "503_retry",
    "401",
    "html",
    "html_404",
    "empty",
    "truncated",
    "wrong_type",
    "challenge",
]


LATER = ["429", "500", "401", "html", "wrong_type"]
CASES = [(trouble, 0) for trouble in TROUBLES] + [(trouble, after) for trouble in LATER for after in (1, 3)]


@pytest.mark.parametrize(("trouble", "after"), CASES)
async def test_no_trouble_at_any_point_marks_a_model_deleted(tmp_path, trouble, after):
    """Whatever breaks, at the first request or later: no false mark, everything re-runnable, a later run heals."""
    models = make(tmp_path / "loras", 12, unknown=2)
    async with library_of(tmp_path, models) as here:
        if trouble == "down":
            await here.civitai.stop()
        elif trouble == "429":
            here.civitai.policy, here.civitai.refusal = FixedWindow(after, 5), Refusal(seconds=600)
        else:
            here.civitai.fail(Fault(trouble, after=after))
        first = await scan_and_sync(here)
        misses = {key for one in here.civitai.journal.entries if one.status == 404 for key in one.questions}
        assert (first["status"], first["failed"]) == ("completed", 0)
        assert await marks(here) <= len(misses)
        assert first["success"] + first["skipped"] == 14

        here.civitai.open_up()
        if trouble == "down":
            await here.civitai.start()
        await here.clock.advance(7200)
        await here.pantry.syncs.retry(first["operation_id"])
        end = await here.run(here.pantry.syncs.wait(first["operation_id"]))
        assert (end["success"], end["skipped"], end["failed"]) == (14, 0, 0)
        assert await states(here) == {"synced": 12, "absent": 2}
        assert here.civitai.journal.inside_windows == 0


async def test_a_refusal_is_on_screen_and_ends_by_itself(tmp_path):
    """Events say which vendor is waited for and until when; when the window ends, the sync finishes by itself."""
    models = make(tmp_path / "loras", 30)
    async with library_of(tmp_path, models, batch_import_auto_resume=True) as here:
        await here.pantry.syncs.resume_unfinished()
        here.civitai.policy, here.civitai.refusal = FixedWindow(1, 5), Refusal(seconds=900)
        first = await scan_and_sync(here)
        assert first["skipped_reasons"] == {"rate_limited": 30}
        assert first["rate_limited"] is True
        assert first["limits"][0]["host"] == here.civitai.host
        assert first["limits"][0]["waiting_items"] == 30
        assert "can be asked about again" in first["message"]
        assert await states(here) == {"waiting": 30}
        assert here.events.of("pantry.metadata_sync")[-1] == first
        here.civitai.policy = FixedWindow(100, 5)
        await here.run(here.clock.sleep(950))
        end = await here.run(here.pantry.syncs.wait(first["operation_id"]))
        assert (end["success"], end["rate_limited"]) == (30, False)
        assert here.civitai.journal.inside_windows == 0


async def test_a_vendor_that_talks_nonsense_is_left_alone_until_a_time_that_is_told(tmp_path):
    """After three calls that end in pages: every item, the job and the list of hosts name the end of the pause."""
    models = make(tmp_path / "loras", 250)
    async with library_of(tmp_path, models) as here:
        here.civitai.fail(Fault("html"))
        first = await scan_and_sync(here)
        items = (await here.pantry.syncs.items(first["operation_id"], limit=1000))["items"]
        (row,) = (one for one in here.pantry.coordinator.snapshot() if one["host"] == here.civitai.host)
        assert {(one["reason"], one["retry_at"]) for one in items} == {("unreachable", row["retry_at"])}
        assert row["retry_at"] == here.clock.wall() + 60
        assert [(one["retry_at"], one["waiting_items"]) for one in first["limits"]] == [(row["retry_at"], 250)]
        assert "; " not in first["message"]
        assert len(here.civitai.journal.entries) <= 25


async def test_a_refused_key_stops_the_sync_with_one_message(tmp_path):
    """401 with a key: at most three questions are tried, and one sentence says what to do."""
    models = make(tmp_path / "loras", 50)
    async with library_of(tmp_path, models, civitai_api_key="wrong") as here:
        here.civitai.key = "right"
        end = await scan_and_sync(here)
        assert end["skipped_reasons"] == {"unauthorised": 50}
        assert "API key" in end["message"]
        assert len(here.civitai.journal.entries) <= 6


async def test_a_lost_model_that_comes_back_is_healed(tmp_path):
    """Absent at first, published later: the mark goes, the description comes."""
    models = make(tmp_path / "loras", 1, unknown=1)
    async with library_of(tmp_path, models) as here:
        await scan_and_sync(here)
        assert await marks(here) == 1
        here.civitai.catalogue.add(models.nobody[0])
        await here.clock.advance(2 * 86_400)
        await scan_and_sync(here)
        assert await states(here) == {"synced": 2}
        assert await marks(here) == 0


@pytest.mark.parametrize("instead", ["json 404", "404", "405"])
async def test_a_vendor_without_the_bulk_routes_is_asked_one_by_one(tmp_path, instead):
    """POST routes that are not there cost one request and no truth."""
    models = make(tmp_path / "loras", 5, unknown=1)
    async with library_of(tmp_path, models) as here:
        here.civitai.bulk = instead
        end = await scan_and_sync(here)
        assert end["success"] == 6
        assert await states(here) == {"synced": 5, "absent": 1}


async def test_without_the_ids_route_a_hundred_hashes_go_into_a_request(tmp_path):
    """250 files, five of them unknown: one request that fails, three bulk ones, and the misses."""
    models = make(tmp_path / "loras", 245, unknown=5)
    async with library_of(tmp_path, models) as here:
        here.civitai.bulk = "no ids"
        end = await scan_and_sync(here)
        assert end["success"] == 250
        assert len(here.civitai.journal.entries) == 1 + 3 + 5
        assert await states(here) == {"synced": 245, "absent": 5}


async def test_models_that_the_page_leaves_out_are_asked_for_by_hash(tmp_path):
    """A page may drop models without a word; that is no miss."""
    models = make(tmp_path / "loras", 12)
    async with library_of(tmp_path, models) as here:
        for version in list(here.civitai.catalogue.by_model)[:5]:
            here.civitai.catalogue.by_model[version] = []
        end = await scan_and_sync(here)
        assert end["success"] == 12
        assert await states(here) == {"synced": 12}
        assert len(here.civitai.journal.entries) == 3


async def test_a_pause_keeps_the_place_and_a_restart_goes_on(tmp_path):
    """Paused in the middle, closed, started again: the rest is asked about, nothing twice."""
    models = make(tmp_path / "loras", 10, unknown=30)
    async with library_of(tmp_path, models) as here:
        here.civitai.fail(Fault("slow", seconds=0.02, path="by-hash/"))
        await here.run(here.pantry.library.scan())
        sync = await here.pantry.syncs.start()
        while len(here.civitai.journal.entries) < 8:
            await here.run(here.clock.sleep(0.05))
        paused = await here.pantry.syncs.pause(sync)
        assert paused["status"] == "paused"
        assert 0 < paused["completed"] < 40
        await here.stop()
        await here.start(model_folders={"loras": [str(models.folder)]})
        here.civitai.faults.clear()
        await here.pantry.syncs.resume(sync)
        end = await here.run(here.pantry.syncs.wait(sync))
        assert (end["success"], end["skipped"]) == (40, 0)
        singly = [one for one in here.civitai.journal.entries if "by-hash/" in one.path and one.method == "GET"]
        assert len(singly) <= 30 + 1  # the one that was on its way is asked again


async def test_what_is_learned_is_written_beside_the_models(tmp_path):
    """A sidecar per described model; a new database needs no request for them."""
    models = make(tmp_path / "loras", 3)
    async with library_of(tmp_path, models, write_sidecars=True) as here:
        await scan_and_sync(here)
        told = json.loads((models.folder / "part_00" / "model_00000.pantry.json").read_text(encoding="utf-8"))
        assert (told["metadata"]["name"], told["metadata"]["creator"]) == ("Model 0", "someone")
    async with library_of(tmp_path / "other", models) as there:
        end = await scan_and_sync(there)
        assert (end["total"], there.transport.sent, await states(there)) == (0, 0, {"synced": 3})


async def test_one_model_is_refreshed_and_relinked(tmp_path):
    """A person asks about one model, or says which version it is."""
    models = make(tmp_path / "loras", 2, unknown=1)
    async with library_of(tmp_path, models) as here:
        await here.run(here.pantry.library.scan())
        page = await here.pantry.library.page(q="model_00002")
        (unknown,) = page["items"]
        refreshed = await here.run(here.pantry.syncs.refresh(unknown["id"]))
        assert (refreshed["outcome"], refreshed["state"], refreshed["civitai_deleted"]) == ("absent", "absent", True)
        linked = await here.run(
            here.pantry.syncs.relink(unknown["id"], url="https://civitai.com/models/1?modelVersionId=200001")
        )
        assert (linked["outcome"], linked["title"], linked["state"]) == ("found", "Model 1", "synced")
        missing = await here.run(here.pantry.syncs.relink(unknown["id"], version_id=7))
        assert (missing["outcome"], missing["title"], missing["civitai_deleted"]) == ("absent", "Model 1", False)


async def test_the_library_answers_recipes_without_a_request(tmp_path):
    """What the library has described needs no vendor any more, by any hash."""
    from .pictures import make as make_pictures

    pictures = make_pictures(tmp_path / "pictures", 8, checkpoints=1, loras=2, graphs=False)
    async with world(tmp_path, pictures) as here:
        from py.core.outcomes import Found, LookupKey

        style = pictures.civitai[1]
        folder = tmp_path / "loras"
        from tests.library.files import safetensors

        safetensors(folder / "style.safetensors")
        (folder / "style.cm-info.json").write_text(
            json.dumps({"ModelId": 1, "VersionId": 2, "ModelName": "Mine", "Hashes": {"AutoV3": style.hash("autov3")}}),
            encoding="utf-8",
        )
        await here.stop()
        await here.start(model_folders={"loras": [str(folder)]})
        await here.run(here.pantry.library.scan())
        answers = await here.pantry.provider.known([LookupKey("autov3", style.hash("autov3"))])
        assert next(one for one in answers.values() if isinstance(one, Found)).source == "library"
        await here.import_folder(pictures.folder)
        assert style.hash("autov3") not in here.civitai.journal.asked


async def test_a_forced_sync_that_is_refused_changes_nothing(tmp_path):
    """Asking anew about everything, refused: everything is put off, and what was known stays known."""
    models = make(tmp_path / "loras", 5, unknown=1)
    async with library_of(tmp_path, models) as here:
        await scan_and_sync(here)
        here.civitai.policy, here.civitai.refusal = FixedWindow(0, 5), Refusal(seconds=900)
        forced = await scan_and_sync(here, force=True)
        assert forced["skipped_reasons"] == {"rate_limited": 6}
        page = await here.pantry.library.page(state="synced")
        assert page["total"] == 5
        refreshed = await here.run(here.pantry.syncs.refresh(page["items"][0]["id"]))
        assert (refreshed["outcome"], refreshed["state"]) == ("rate_limited", "synced")
        assert refreshed["retry_at"] > here.clock.wall()


async def test_a_models_picture_is_fetched_once_and_small(tmp_path):
    """Nobody's picture is fetched before somebody looks; then one request, for the small rendition, keeps it."""
    models = make(tmp_path / "loras", 1)
    async with library_of(tmp_path, models) as here:
        await scan_and_sync(here)
        (model,) = (await here.pantry.library.page())["items"]
        assert (model["has_preview"], model["preview_nsfw_level"]) == (True, 1)
        assert not [one for one in here.civitai.journal.entries if "pictures" in one.path]
        for _ in range(2):
            picture = await here.run(here.pantry.previews.source(model["id"]))
        assert picture.read_bytes().startswith(b"\xff\xd8\xff")
        (asked,) = [one.path for one in here.civitai.journal.entries if "pictures" in one.path]
        assert "width=450" in asked


async def test_an_answer_cannot_send_us_anywhere(tmp_path):
    """A picture's address outside the vendors' hosts is not asked for."""
    models = make(tmp_path / "loras", 1)
    async with library_of(tmp_path, models) as here:
        await scan_and_sync(here)
        (model,) = (await here.pantry.library.page())["items"]
        async with here.pantry.database.transaction() as tx:
            changed = "replace(metadata, ?, 'http://127.0.0.1:9')"
            await tx.execute(f"UPDATE model_files SET metadata = {changed}", (f"http://{here.civitai.host}",))
        with pytest.raises(NotFoundError):
            await here.pantry.previews.source(model["id"])
