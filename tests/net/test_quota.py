"""Long quotas are learned from two cycles that agree, and stopped short of."""

from __future__ import annotations

from py.net.quota import Quota


def cycle(quota, start, served, *, spend=400.0, hour=3600.0):
    """Serve `served` requests from `start` on, then refuse until the hour is over; return when it is."""
    quota.sent(start)
    for _ in range(served):
        quota.accepted()
    refused_at = start + spend
    quota.refused(refused_at, start + hour - refused_at)
    return start + hour


def learned(served=500):
    quota, now = Quota(), 0.0
    for _ in range(3):
        now = cycle(quota, now, served)
    return quota, now


def test_two_full_cycles_that_agree_are_a_quota():
    """The first is only a part of one; after the third refusal the number and the length are known."""
    quota, _ = learned()

    assert (quota.allowance, quota.length) == (500, 3600)


def test_the_batch_stops_first_and_the_rest_is_kept_for_clicks():
    """At 90 % of 95 % batch waits, at 95 % everyone does; the reserve ends with the cycle."""
    quota, now = learned()
    for _ in range(428):
        quota.accepted()
    assert quota.wait("batch", now + 600) > 0
    assert quota.wait("interactive", now + 600) == 0
    assert quota.wait("batch", now + 3300) == 0

    for _ in range(47):
        quota.accepted()

    assert quota.wait("interactive", now + 600) == 3000
    assert quota.wait("batch", now + 3600) == 0


def test_a_penalty_is_no_quota():
    """The pace is halved between two penalties, so that their cycles differ."""
    quota = Quota()
    now = cycle(quota, 0.0, 20, spend=5, hour=605)
    now = cycle(quota, now, 20, spend=10, hour=610)
    now = cycle(quota, now, 900, spend=500, hour=1100)

    assert quota.wait("batch", now) == 0
    assert quota.length is None


def test_short_waits_are_a_matter_of_pace():
    """A minute's window teaches no quota."""
    quota, now = Quota(), 0.0
    for _ in range(4):
        now = cycle(quota, now, 60, spend=40, hour=60)

    assert quota.length is None


def test_a_clean_cycle_lifts_the_allowance_and_an_early_refusal_ends_the_belief():
    """Quotas change: a little more each time, and less at once."""
    quota, now = learned()
    quota.accepted()
    quota.sent(now + 3600)
    assert quota.allowance == 525

    cycle(quota, now + 3600, 100)

    assert quota.wait("batch", now + 7200) == 0
    assert quota.length is None
