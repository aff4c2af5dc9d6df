"""Who is next: interactive before batch, batch never starved, and leaving costs nothing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from py.net.lanes import BATCH_TURN, PATIENCE, Lanes, Ticket


def queue(*, interactive=0, batch=0, since=0.0):
    lanes = Lanes()
    for lane, count in (("interactive", interactive), ("batch", batch)):
        for number in range(count):
            lanes.join(Ticket(lane, since, 1000.0 + number, f"{lane[0]}{number}"))
    return lanes


def served(lanes, count, now=1.0):
    return [lanes.take(lanes.order(now)[0]).value for _ in range(count)]


def test_a_click_goes_before_the_batch_and_every_fourth_turn_is_the_batchs():
    """Three clicks, one batch request, and so on; each lane in order of arrival."""
    assert served(queue(interactive=6, batch=3), 9) == ["i0", "i1", "i2", "b0", "i3", "i4", "i5", "b1", "b2"]


def test_who_waited_long_in_the_batch_takes_turns():
    """After thirty seconds every second turn, so that neither side starves however slow the pace."""
    assert served(queue(interactive=3, batch=3), 5, now=PATIENCE) == ["i0", "b0", "i1", "b1", "i2"]


def test_leaving_from_the_middle_leaves_no_trace():
    """A cancelled caller is gone, once."""
    lanes = queue(batch=3)
    second = list(lanes._queues["batch"])[1]

    assert lanes.leave(second)
    assert not lanes.leave(second)

    assert served(lanes, 2) == ["b0", "b2"]
    assert lanes.order(1.0) == []


def test_going_back_goes_to_the_front():
    """Who had the turn when the window closed does not lose its place."""
    lanes = queue(batch=2)
    first = lanes.take("batch")

    lanes.rejoin(first)

    assert served(lanes, 2) == ["b0", "b1"]


def test_the_hopeless_are_found_in_portions():
    """Everyone whose patience ends before the lane opens, and nobody else."""
    lanes = queue(batch=5)

    assert [ticket.value for ticket in lanes.hopeless("batch", 1003.0, 2)] == ["b0", "b1"]
    assert [ticket.value for ticket in lanes.hopeless("batch", 1003.0, 9)] == ["b2"]
    assert lanes.hopeless("interactive", 9999.0, 9) == []
    assert len(lanes) == 2


@given(st.lists(st.sampled_from(["interactive", "batch", "leave", "serve"]), max_size=300))
def test_a_queue_counts_right_and_forgets_who_left(steps):
    """Whatever comes and goes, the count is right and what they left does not pile up."""
    lanes, alive = Lanes(), []
    for number, step in enumerate(steps):
        if step in {"interactive", "batch"}:
            alive.append(Ticket(step, 0.0, float(number % 7), None))
            lanes.join(alive[-1])
        elif alive and step == "leave":
            lanes.leave(alive.pop(number % len(alive)))
        elif alive:
            alive.remove(lanes.take(lanes.order(1.0)[0]))
        assert len(lanes) == len(alive)
        assert sum(map(len, lanes._ends.values())) <= 2 * len(alive) + 130


@given(st.integers(1, 40), st.integers(1, 40))
def test_batch_is_never_starved(interactive, batch):
    """Between two batch turns there are at most three others."""
    names = served(queue(interactive=interactive, batch=batch), interactive + batch)
    runs = "".join(name[0] for name in names).split("b")

    assert max(len(run) for run in runs[:batch]) < BATCH_TURN
