"""Progress reaches watchers soon, rarely, and to the end."""

from __future__ import annotations

from itertools import pairwise

import pytest

from py.jobs.feed import INTERVAL_SECONDS, Feed
from py.storage.file_lock import FileLock
from tests.doubles.fake_clock import FakeClock


@pytest.fixture
def clock():
    return FakeClock()


async def test_at_most_four_messages_a_second_and_always_the_last_state(clock):
    """A thousand changes in a second are four messages; the state after the last change is sent."""
    state, sent = {"n": 0}, []
    feed = Feed(clock, lambda: dict(state), lambda data: sent.append((clock.monotonic(), data["n"])))
    for number in range(1, 1001):
        state["n"] = number
        feed.touch()
        await clock.advance(0.001)
    await clock.advance(INTERVAL_SECONDS)

    times = [when for when, _ in sent]
    assert len(sent) <= 5
    assert min(later - earlier for earlier, later in pairwise(times)) >= INTERVAL_SECONDS - 1e-6
    assert sent[-1][1] == 1000
    await feed.close()
    assert len(sent) <= 5, "nothing new, nothing sent"


async def test_closing_sends_what_was_not_sent_yet(clock):
    """The end of a job is never held back."""
    state, sent = {"n": 1}, []
    feed = Feed(clock, lambda: dict(state), sent.append)
    feed.touch()
    await clock.settle()
    state["n"] = 2
    feed.touch()

    await feed.close()

    assert sent == [{"n": 1}, {"n": 2}]


def test_a_lock_is_held_once_and_given_back(tmp_path):
    """Two owners never hold one job; a released lock can be taken again."""
    path = tmp_path / "locks" / "job.lock"
    lock = FileLock.take(path)
    assert lock is not None
    assert FileLock.take(path) is None

    lock.release()

    again = FileLock.take(path)
    assert again is not None
    again.release()


def test_a_lock_in_a_place_that_cannot_be_written_is_not_taken(tmp_path):
    """A read-only folder means no lock, not an error."""
    (tmp_path / "file").write_text("in the way")

    assert FileLock.take(tmp_path / "file" / "job.lock") is None
