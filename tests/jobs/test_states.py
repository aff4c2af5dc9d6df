"""What a job can be asked, and what an outcome means for it."""

from __future__ import annotations

import pytest

from py.core.errors import ConflictError
from py.core.outcomes import AbsentConfirmed, Found, Malformed, RateLimited, Unauthorised, Unreachable
from py.jobs.rate import Rate
from py.jobs.states import ItemStatus, JobStatus, Reason, after
from py.jobs.tally import Tally
from py.jobs.vendor_stage import TROUBLE_LIMIT, UNAUTHORISED_LIMIT, PutOff, Settled, VendorStage

HOST, OTHER, NOW = "civitai.test", "archive.test", 1000.0


@pytest.mark.parametrize(
    ("wish", "allowed"),
    [
        ("pause", {"pending", "running", "paused"}),
        ("resume", {"pending", "running", "paused", "cancelled", "failed"}),
        ("cancel", {status.value for status in JobStatus}),
        ("retry", {"paused", "completed", "cancelled", "failed"}),
    ],
)
def test_a_wish_is_possible_in_some_states_only(wish, allowed):
    """A wish that makes no sense is a conflict, said in a sentence."""
    for status in JobStatus:
        if status.value in allowed:
            after(wish, status)
        else:
            with pytest.raises(ConflictError, match=wish):
                after(wish, status)


def test_answers_settle():
    """Found and confirmed absent are both answers."""
    stage = VendorStage(HOST)

    assert stage.judge(Found(None, "civitai"), NOW) == Settled()
    assert stage.judge(AbsentConfirmed(("civitai",)), NOW) == Settled()


@pytest.mark.parametrize(("host", "everyone"), [(HOST, True), (OTHER, False)])
def test_a_refusal_concerns_everyone_who_needs_that_vendor(host, everyone):
    """Every look-up asks the first vendor; few need the other one."""
    verdict = VendorStage(HOST).judge(RateLimited(host, 1600.0), NOW)

    assert (verdict.reason, verdict.retry_at, verdict.everyone) == (Reason.RATE_LIMITED, 1600.0, everyone)


def test_the_third_refusal_of_the_key_in_a_row_ends_the_stage():
    """One model may be private; three in a row mean the key."""
    stage = VendorStage(HOST)
    refused = Unauthorised(HOST, "no")

    assert [stage.judge(refused, NOW).everyone for _ in range(UNAUTHORISED_LIMIT)] == [False, False, True]
    for between in (Found(None, "civitai"), RateLimited(OTHER, None), Unreachable(HOST, None, "500")):
        stage.judge(between, NOW)
        assert [stage.judge(refused, NOW).everyone for _ in range(2)] == [False, False]


@pytest.mark.parametrize("outcome", [Unreachable(HOST, None, "500"), Malformed(HOST, "html")])
def test_trouble_in_a_row_ends_the_stage(outcome):
    """A vendor that gives no useful answer is not asked for ten thousand references."""
    stage = VendorStage(HOST)

    verdicts = [stage.judge(outcome, NOW) for _ in range(TROUBLE_LIMIT)]

    assert [one.everyone for one in verdicts] == [False] * (TROUBLE_LIMIT - 1) + [True]
    assert {one.reason for one in verdicts} == {Reason.UNREACHABLE}


def test_trouble_of_another_vendor_ends_nothing_for_the_rest():
    """Only the few images that need it are put off."""
    stage = VendorStage(HOST)
    outcomes = [Unreachable(OTHER, NOW + 60, "down"), Malformed(OTHER, "html")] * TROUBLE_LIMIT

    assert not any(stage.judge(one, NOW).everyone for one in outcomes)


def test_an_outage_that_is_known_to_last_ends_the_stage_at_once():
    """The guard says until when the first vendor is left alone."""
    stage = VendorStage(HOST)

    assert stage.judge(Unreachable(HOST, NOW + 30, "down"), NOW).everyone
    assert not stage.judge(Unreachable(HOST, NOW - 1, "was down"), NOW).everyone


def test_the_tally_adds_up():
    """Counts move from state to state and never change in sum."""
    tally = Tally([("PENDING", None, 3), ("SKIPPED", "duplicate", 2)])
    tally.add(1)
    tally.move(ItemStatus.PENDING, ItemStatus.FAILED, "unreadable")
    tally.move(ItemStatus.PENDING, ItemStatus.SUCCESS, number=2)

    told = tally.to_json()

    assert (told["total"], told["completed"], told["progress_percent"]) == (6, 5, 83.3)
    assert (told["skipped_reasons"], told["failed_reasons"]) == ({"duplicate": 2}, {"unreadable": 1})
    assert Tally().to_json()["progress_percent"] == 0.0


def test_the_rate_looks_at_the_last_half_minute():
    """A wait at the gate slows the rate down, and old speed is forgotten."""
    rate = Rate(0.0, 0)
    assert rate.per_second() is None
    for second in range(1, 11):
        rate.note(float(second), second * 10)
    assert rate.per_second() == pytest.approx(10)
    assert rate.eta(50) == pytest.approx(5)
    rate.note(60.0, 100)

    assert rate.per_second() == pytest.approx(0, abs=0.3) or rate.per_second() is None


def test_a_put_off_says_who_and_until_when():
    """The sentence of an item names the vendor."""
    verdict = VendorStage(HOST).judge(RateLimited(HOST, None), NOW)

    assert isinstance(verdict, PutOff)
    assert HOST in verdict.detail
