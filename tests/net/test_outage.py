"""When a host counts as unreachable."""

from __future__ import annotations

from py.net.outage import CAP, Outage


def fail(outage, now, times=1):
    return [outage.failed(now) for _ in range(times)]


def test_three_failures_in_a_row_start_a_cooldown_of_thirty_seconds():
    """One lost packet is no outage, and an answer starts the count anew."""
    outage = Outage()

    assert fail(outage, 0, 2) == [False, False]
    outage.succeeded()
    assert fail(outage, 0, 3) == [False, False, True]

    assert outage.remaining(0) == 30
    assert outage.refuses(29)
    assert not outage.refuses(30)


def test_cooldowns_double_to_five_minutes():
    """30, 60, 120, 240, 300, 300 s; at the cap the host is out for long."""
    outage, now, seen = Outage(), 0.0, []
    fail(outage, now, 3)
    for _ in range(6):
        seen.append(outage.cooldown)
        assert outage.at_cap == (outage.cooldown == CAP)
        now += outage.cooldown
        fail(outage, now)

    assert seen == [30, 60, 120, 240, 300, 300]


def test_after_a_cooldown_one_request_finds_out():
    """The others are refused until it has ended."""
    outage = Outage()
    fail(outage, 0, 3)

    outage.begin()
    assert outage.refuses(31)
    outage.end()
    assert not outage.refuses(31)
    outage.begin()

    assert outage.succeeded()
    assert not outage.refuses(31)


def test_failures_that_were_on_their_way_do_not_lengthen_a_cooldown():
    """Ten requests that fail together are one outage."""
    outage = Outage()

    assert fail(outage, 0, 10).count(True) == 1
    assert outage.cooldown == 30
