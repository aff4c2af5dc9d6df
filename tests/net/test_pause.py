"""Hosts that are left alone though they named no wait."""

from __future__ import annotations

from py.net.pause import Pause


def test_challenges_pause_for_five_fifteen_and_sixty_minutes():
    """Longer each time, until a sensible answer."""
    pause, now, seen = Pause(), 0.0, []
    for _ in range(4):
        assert pause.challenged(now)
        assert not pause.challenged(now)
        seen.append(pause.remaining(now))
        now += seen[-1]
    pause.made_sense()
    pause.challenged(now)

    assert [*seen, pause.remaining(now)] == [300, 900, 3600, 3600, 300]


def test_three_calls_in_a_row_that_end_in_nonsense_pause_for_a_minute():
    """One page of maintenance is chance; a sensible answer in between starts anew."""
    pause = Pause()

    assert [pause.malformed(0), pause.malformed(0)] == [False, False]
    pause.made_sense()
    assert [pause.malformed(0) for _ in range(3)] == [False, False, True]

    assert pause.remaining(0) == 60


def test_a_blocked_region_stays_blocked():
    """It is said once, and holds until the next start."""
    pause = Pause()

    assert pause.blocked()
    assert not pause.blocked()

    assert pause.remaining(1e9) == float("inf")
    assert pause.for_good
