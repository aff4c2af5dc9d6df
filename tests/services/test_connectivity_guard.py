"""A host that cannot be reached is asked once in a while, by one caller."""

from __future__ import annotations

import contextlib
import logging

import pytest

from py.core.errors import UnreachableError
from py.core.ports import TransportFailure
from py.services.connectivity_guard import ConnectivityGuard
from tests.doubles.fake_clock import FakeClock

HOST = "civitai.red"


class Line:
    """A guard, and sends that end as told."""

    def __init__(self):
        self.clock = FakeClock()
        self.guard = ConnectivityGuard(self.clock)

    def send(self, *, answered):
        self.guard.check(HOST)
        with contextlib.suppress(TransportFailure), self.guard.watch(HOST) as watch:
            watch.answered = answered
            if not answered:
                raise TransportFailure

    def fail(self, times=3):
        for _ in range(times):
            self.send(answered=False)


def test_a_host_that_is_down_is_refused_at_once_and_with_a_time():
    """The error says when to come back; other hosts are not concerned."""
    line = Line()
    line.fail()

    with pytest.raises(UnreachableError) as caught:
        line.guard.check(HOST)

    assert caught.value.retry_at == line.clock.wall() + 30
    line.guard.check("civarchive.com")


def test_one_caller_finds_out():
    """While it is under way the others are refused; its answer lets them in."""
    line = Line()
    line.fail()
    line.clock.now += 30

    with line.guard.watch(HOST) as watch:
        with pytest.raises(UnreachableError):
            line.guard.check(HOST)
        watch.answered = True

    line.guard.check(HOST)
    assert line.guard.snapshot() == []


def test_a_cancelled_probe_makes_room_for_the_next():
    """It says nothing about the host."""
    line = Line()
    line.fail()
    line.clock.now += 30

    with pytest.raises(KeyboardInterrupt), line.guard.watch(HOST):
        raise KeyboardInterrupt

    line.guard.check(HOST)
    assert line.guard.snapshot()[0]["remaining_seconds"] == 0


def test_a_host_that_stays_down_reaches_the_cap():
    """After five cooldowns it counts as out for long, and another vendor may be asked."""
    line = Line()
    line.fail()
    for _ in range(5):
        assert not line.guard.at_cap(HOST) or line.guard.snapshot()[0]["remaining_seconds"] == 300
        line.clock.now += 301
        line.fail(1)

    assert line.guard.at_cap(HOST)
    assert "civitai.red: down 300s" in repr(line.guard)
    assert not line.guard.at_cap("civarchive.com")


def test_an_outage_is_logged_once_each_way(caplog):
    """One line when it begins, however often it is renewed, and one when it ends."""
    caplog.set_level(logging.INFO)
    line = Line()
    line.fail()
    for _ in range(4):
        line.clock.now += 301
        line.fail(1)
    line.clock.now += 301
    line.send(answered=True)
    line.send(answered=True)

    assert [record.levelname for record in caplog.records] == ["WARNING", "INFO"]
