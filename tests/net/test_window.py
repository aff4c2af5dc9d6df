"""A window only extends, only time opens it, and one request goes first."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from py.net.window import PROBE_PATIENCE, Window

MOMENTS = st.floats(0, 10_000)


def test_a_shorter_wait_does_not_shorten():
    """2500 s, then 5 s: 2500 s stand."""
    window = Window()

    assert window.close(0, 2500, 2500)
    assert not window.close(0, 5, 5)

    assert window.closed_until == 2500


def test_a_success_of_an_older_request_opens_nothing():
    """What was sent before the refusal says nothing about after it."""
    window = Window()
    window.refuse(10, 9)
    window.close(10, 70, 60)

    assert not window.answered(8)
    assert not window.answered(69)

    assert window.is_closed(69)
    assert window.refusals == 1


def test_after_the_window_one_request_goes_first():
    """The second waits for the first one's answer."""
    window = Window()
    window.close(0, 60, 60)

    assert window.wait(59) == 1
    assert window.wait(60) == 0
    window.sent(60)
    assert window.wait(61) == PROBE_PATIENCE - 1

    assert window.answered(60)
    assert window.wait(61) == 0


def test_a_first_request_without_an_answer_makes_room():
    """It was lost, or never answers: the next one goes, alone again."""
    lost, silent = Window(), Window()
    for window in (lost, silent):
        window.close(0, 60, 60)
        window.sent(60)

    lost.abandoned(60)

    assert lost.wait(61) == 0
    lost.sent(61)
    assert lost.wait(62) > 0
    assert silent.wait(60 + PROBE_PATIENCE) == 0


def test_refusals_that_were_on_their_way_are_one_event():
    """Twenty refusals of requests sent together climb one step."""
    window = Window()

    for _ in range(20):
        window.refuse(10, 9)
    window.refuse(80, 75)

    assert window.refusals == 2


def test_try_now_lets_one_request_through():
    """A person's press is good for one request within a minute, and its success opens nothing."""
    window = Window()
    window.close(0, 1000, 1000)

    window.permit(10)
    assert window.wait(10) == 0
    window.sent(10)

    assert window.wait(10) == 990
    assert not window.answered(10)
    window.permit(100)
    assert window.wait(161) == 839


def test_the_closed_clock_runs_only_while_the_window_is_closed():
    """60 s, an open hour, then 100 s that grow to 300 s: 360 s altogether."""
    window = Window()

    window.close(0, 60, 60)
    assert [window.closed_clock(now) for now in (0, 30, 60, 3000)] == [0, 30, 60, 60]
    window.close(3660, 3760, 100)
    window.close(3700, 3960, 260)

    assert [window.closed_clock(now) for now in (3660, 3760, 3960, 9999)] == [60, 160, 360, 360]


@given(st.lists(st.tuples(MOMENTS, MOMENTS), max_size=30))
def test_a_window_never_shrinks(closings):
    """Whatever arrives in whatever order, the end only moves away."""
    window, latest = Window(), 0.0

    for until, delay in closings:
        window.close(0.0, until, delay)
        latest = max(latest, until)
        assert window.closed_until == latest
