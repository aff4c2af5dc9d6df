"""Say how a job ended, in words and as an exit code."""

from __future__ import annotations

import time

import pytest

from py.terminal.summary import DONE, FAILED, INTERRUPTED, WAITING, exit_code, summary, waiting_line


def snapshot(status="completed", **changes):
    base = {"total": 10, "completed": 10, "success": 10, "skipped": 0, "failed": 0, "skipped_reasons": {}}
    return {"status": status, "failed_reasons": {}, "message": None, **base, **changes}


@pytest.mark.parametrize(
    ("job", "code"),
    [
        (snapshot(), DONE),
        (snapshot(skipped=4, skipped_reasons={"duplicate": 3, "no_metadata": 1}), DONE),
        (snapshot(skipped=1, skipped_reasons={"rate_limited": 1}), WAITING),
        (snapshot(skipped=1, skipped_reasons={"unreachable": 1}), WAITING),
        (snapshot(skipped=1, skipped_reasons={"unauthorised": 1}), WAITING),
        (snapshot("waiting"), WAITING),
        (snapshot(failed=1), FAILED),
        (snapshot("failed"), FAILED),
        (snapshot(failed=1, skipped=1, skipped_reasons={"rate_limited": 1}), WAITING),
        (snapshot("paused"), INTERRUPTED),
        (snapshot("cancelled"), INTERRUPTED),
    ],
)
def test_the_exit_code_says_whether_to_run_it_again(job, code):
    """0 is settled, 3 is 'again later', 1 is 'look', 130 is 'stopped'."""
    assert exit_code(job) == code


def test_a_wait_is_one_calm_line():
    """Each host with the local time when it goes on; nothing where nobody waits."""
    at = time.mktime((2026, 11, 30, 14, 5, 0, 0, 0, -1))
    assert waiting_line([{"host": "civitai.red", "retry_at": at}]) == "waiting for civitai.red until 14:05"
    assert waiting_line([]) is None
    assert waiting_line([{"host": "civitai.red", "retry_at": None}]) is None


def test_the_summary_counts_every_state_and_reason():
    """Nothing that happened is left out, and what to do next is said."""
    reasons = {"duplicate": 2, "rate_limited": 3}
    text = summary(snapshot(success=4, skipped=5, failed=1, skipped_reasons=reasons, failed_reasons={"unreadable": 1}))
    for part in ("10 images", "4 recipes saved", "5 skipped", "2 already has", "1 failed", "3 wait for a vendor"):
        assert part in text
    assert text.isascii()
