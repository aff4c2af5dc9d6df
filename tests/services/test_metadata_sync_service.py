"""What callers of the metadata sync can ask, and what they get."""

from __future__ import annotations

import asyncio
import csv
import io
import json

import pytest

from py.core.errors import ConflictError, InvalidRequestError, NotFoundError
from py.services.metadata_sync_service import SyncRequest
from tests.doubles.texts import whole
from tests.library.files import safetensors
from tests.standalone.models import make
from tests.standalone.test_sync import library_of, scan_and_sync
from tests.standalone.vendor import Fault, FixedWindow, Refusal


@pytest.fixture
async def here(tmp_path):
    """Five models that CivitAI knows and two that nobody does, scanned and not yet synced."""
    models = make(tmp_path / "loras", 5, unknown=2)
    async with library_of(tmp_path, models) as here:
        here.models = models
        yield here


async def test_a_syncs_items_are_listed_filtered_and_paged(here):
    """Each model is an item with how it ended; a confirmed miss is an answer."""
    end = await scan_and_sync(here)
    first = await here.pantry.syncs.items(end["operation_id"], limit=4)
    rest = await here.pantry.syncs.items(end["operation_id"], limit=4, cursor=first["next_cursor"])
    items = [*first["items"], *rest["items"]]
    assert (len(items), rest["next_cursor"]) == (7, None)
    details = sorted(one["detail"] or "" for one in items)
    assert details == [""] * 5 + ["CivitAI does not have this model."] * 2
    assert (await here.pantry.syncs.items(end["operation_id"], status="skipped"))["items"] == []


async def test_syncs_are_listed_newest_first(here):
    """Page after page, at rest or running."""
    ids = [(await scan_and_sync(here))["operation_id"] for _ in range(3)]
    first = await here.pantry.syncs.list(limit=2)
    rest = await here.pantry.syncs.list(limit=2, cursor=first["next_cursor"])
    assert [one["operation_id"] for one in (*first["items"], *rest["items"])] == ids[::-1]
    assert rest["next_cursor"] is None


async def test_unknown_syncs_and_strange_cursors_are_refused(here):
    """With the errors that the routes know."""
    for ask in (here.pantry.syncs.snapshot, here.pantry.syncs.pause, here.pantry.syncs.retry, here.pantry.syncs.items):
        with pytest.raises(NotFoundError):
            await ask("nothing")
    with pytest.raises(InvalidRequestError):
        await here.pantry.syncs.list(cursor="x")


async def test_a_completed_sync_cannot_be_paused(here):
    """A wish that makes no sense in a state is a conflict, not a surprise."""
    end = await scan_and_sync(here)
    with pytest.raises(ConflictError):
        await here.pantry.syncs.pause(end["operation_id"])
    assert await here.pantry.syncs.unfinished() is None


async def test_a_cancelled_sync_stops_at_once_and_can_be_resumed(here):
    """Cancelled while CivitAI is slow: no answer is waited for; resumed, it finishes."""
    slow = here.civitai.fail(Fault("slow", seconds=30))
    await here.run(here.pantry.library.scan())
    sync = await here.pantry.syncs.start()
    while not here.civitai.in_flight:
        await asyncio.sleep(0.005)
    cancelled = await here.pantry.syncs.cancel(sync)
    assert cancelled["status"] == "cancelled"
    assert await here.pantry.syncs.unfinished() == sync
    slow.times = 0
    await here.pantry.syncs.resume(sync)
    assert (await here.run(here.pantry.syncs.wait(sync)))["success"] == 7


async def test_a_sync_belongs_to_one_process(here):
    """While one works on it, another's retry is a conflict."""
    end = await scan_and_sync(here)
    lock = here.pantry.syncs._take(end["operation_id"])
    with pytest.raises(ConflictError):
        await here.pantry.syncs.retry(end["operation_id"])
    lock.release()


async def test_only_some_types_can_be_synced(here, tmp_path):
    """A request for checkpoints leaves LoRAs alone."""
    end = await scan_and_sync(here, types=("checkpoints",))
    assert (end["total"], end["source"]) == (0, "model library (checkpoints)")


async def test_copies_of_a_file_are_described_together(here):
    """Two files of the same content cost one question."""
    safetensors(here.models.folder / "copy.safetensors", weights=b"weights 0")
    end = await scan_and_sync(here)
    assert end["success"] == 8
    (ids,) = [one for one in here.civitai.journal.entries if one.path.endswith("/ids")]
    assert len(ids.questions) == 7


async def test_a_file_that_cannot_be_read_fails_alone(here):
    """It says why; the others are described."""
    await here.run(here.pantry.library.scan())
    next(here.models.folder.rglob("model_00001.safetensors")).unlink()
    sync = await here.pantry.syncs.start()
    end = await here.run(here.pantry.syncs.wait(sync))
    assert (end["success"], end["failed_reasons"]) == (6, {"unreadable": 1})


async def test_a_report_is_json_or_csv(here):
    """Every item, for a spreadsheet or a program; formulas are made plain."""
    here.civitai.policy, here.civitai.refusal = FixedWindow(0, 5), Refusal(seconds=900)
    end = await scan_and_sync(here)
    rows = list(csv.DictReader(io.StringIO(await whole(here.pantry.syncs.report(end["operation_id"], "csv")))))
    assert {(one["status"], one["reason"]) for one in rows} == {("SKIPPED", "rate_limited")}
    assert len(json.loads(await whole(here.pantry.syncs.report(end["operation_id"])))["items"]) == 7
    with pytest.raises(InvalidRequestError):
        await here.pantry.syncs.report(end["operation_id"], "pdf")


async def test_relinking_wants_a_version(here):
    """An address without a version id, or a model that is not here, is said so."""
    await here.run(here.pantry.library.scan())
    with pytest.raises(InvalidRequestError):
        await here.pantry.syncs.relink(1, url="https://civitai.com/models/1")
    with pytest.raises(NotFoundError):
        await here.pantry.syncs.relink(999, version_id=5)


async def test_progress_is_told_a_few_times_a_second_at_most(here):
    """However many models, an event has the same size and none follows within a quarter of a second."""
    await scan_and_sync(here, force=True)
    events = here.events.of("pantry.metadata_sync")
    assert events[-1]["status"] == "completed"
    assert {"operation_id", "phase", "total", "limits", "rate_limited", "message"} <= events[-1].keys()
    assert max(len(json.dumps(one)) for one in events) < 1200


def test_a_request_names_its_source():
    """As people read it."""
    assert SyncRequest().source == "model library"
    assert SyncRequest(types=("loras", "vae")).source == "model library (loras, vae)"
