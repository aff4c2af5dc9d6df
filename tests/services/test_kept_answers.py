"""Answers that cannot be understood are kept in the log of the job, and nowhere else."""

from __future__ import annotations

import json

from py.core.outcomes import LookupKey, Malformed
from py.jobs.job_log import MOST_ANSWERS
from py.jobs.request import ImportRequest
from tests.doubles.fake_imports import HOST, write_image
from tests.standalone.vendor import Fault

from .vendor_parts import STYLE, parts, passing


def broken(number):
    return Malformed(HOST, "The answer is not JSON.", f"{HOST} /models status 200, text/html: <b>strange {number}</b>")


def log_of(house, done):
    return next(house.folder.rglob(f"{done['operation_id']}.log")).read_text(encoding="utf-8")


async def test_the_log_of_a_job_has_the_answers_and_events_do_not(house):
    """The head of a malformed answer is a line of the log; items and events do not carry it."""
    write_image(house.images / "a.png", checkpoint="aa")
    house.provider.answers = {"aa": broken(1)}

    done = await house.run(ImportRequest(directories=(house.images,)))

    assert f"ANSWER {HOST} /models status 200, text/html: <b>strange 1</b>" in log_of(house, done)
    shown = [house.sink.events, done, await house.service.items(done["operation_id"])]
    assert "strange" not in json.dumps(shown)


async def test_a_job_keeps_few_answers_however_often_it_is_retried(house):
    """A vendor that is broken for hours does not fill the disk."""
    for number in range(MOST_ANSWERS + 10):
        write_image(house.images / f"{number}.png", prompt=f"{number}", checkpoint=f"{number:010x}")
        house.provider.answers[f"{number:010x}"] = broken(number)

    done = await house.run(ImportRequest(directories=(house.images,)))
    for _ in range(8):
        await house.service.retry(done["operation_id"])
        await house.service.wait(done["operation_id"])

    assert log_of(house, done).count(" ANSWER ") == MOST_ANSWERS


async def test_a_page_in_the_place_of_json_is_kept_from_the_wire_on(tmp_path):
    """What a look-up ends in carries the page that came, and its words for people do not."""
    async with parts(tmp_path) as here:
        here.civitai.fail(Fault("html"))
        key = LookupKey("sha256", STYLE.hash("sha256"))

        outcome = await passing(here.clock, here.provider.get_model_version_info(key))

    assert isinstance(outcome, Malformed)
    assert outcome.sample.startswith(f"{here.civitai.host} /model-versions status 200, text/html")
    assert "back in a few minutes" in outcome.sample
    assert "back in a few minutes" not in outcome.detail
