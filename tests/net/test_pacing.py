"""The pace that is learned from refusals."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from py.net.pacing import CUT, FASTEST, FLOOR, HOLD, PROBE_STEP, Pacer

FIXED = 0.1


class Driver:
    """Send as fast as the pacer allows, and be served after a quarter of a second."""

    def __init__(self, fixed=FIXED):
        self.pacer, self.fixed, self.now = Pacer(), fixed, 0.0

    def run(self, seconds, *, wanted=True, every=None):
        end = self.now + seconds
        while self.now < end:
            interval = self.pacer.interval(self.fixed)
            self.now += max(self.pacer.wait(self.now, interval), every or 0.0)
            self.pacer.sent(self.now, interval, wanted=wanted)
            self.pacer.accepted(self.now, self.now + 0.25, self.fixed)

    def refuse(self, delay=30.0):
        self.now += 1
        hit = self.pacer.refused(self.now - 0.1, self.now, delay, self.fixed)
        self.now += delay
        return hit

    @property
    def rate(self):
        return self.pacer.rate(self.fixed)


def test_the_fixed_interval_is_the_fastest():
    """Before the first refusal and ever after."""
    driver = Driver(fixed=0.75)
    driver.run(600)

    assert driver.rate == pytest.approx(1 / 0.75)
    assert Pacer().rate(0) == float("inf")


def test_a_refusal_halves_what_was_accepted():
    """10/s accepted over the last minute: 5/s."""
    driver = Driver()
    driver.run(60)

    driver.refuse()

    assert driver.pacer.ceiling == pytest.approx(10, rel=0.03)
    assert driver.rate == pytest.approx(CUT * driver.pacer.ceiling)


def test_the_pace_returns_along_a_curve_to_just_below_the_ceiling():
    """Half at once, 95 % of the ceiling after a minute of use, and then it holds."""
    driver = Driver()
    driver.run(60)
    driver.refuse()
    ceiling, seen = driver.pacer.ceiling, []
    for _ in range(4):
        driver.run(20)
        seen.append(driver.rate / ceiling)

    assert seen == sorted(seen)
    assert seen[-1] == pytest.approx(HOLD)
    driver.run(100)
    assert driver.rate == pytest.approx(HOLD * ceiling)


def test_one_event_is_one_cut():
    """Refusals of requests that left before the cut belong to it."""
    driver = Driver()
    driver.run(60)
    driver.refuse()
    ceiling = driver.pacer.ceiling

    assert not driver.pacer.refused(driver.pacer.cut_at - 0.2, driver.now, 30.0, FIXED)

    assert driver.pacer.ceiling == ceiling


def test_a_refusal_before_anything_was_served_cuts_nothing():
    """The vendor is still where it was: the wait grows, the pace does not fall to nothing."""
    driver = Driver()
    driver.run(60)
    driver.refuse(600)
    ceiling = driver.pacer.ceiling

    assert driver.refuse(600)

    assert driver.pacer.ceiling == ceiling


def test_few_requests_say_little_about_the_vendor():
    """Two served requests and a refusal halve the pace, and no more than that."""
    driver = Driver(fixed=0.75)
    driver.run(1.6)
    driver.refuse()

    assert driver.rate == pytest.approx(0.5 / 0.75)


def test_probes_above_the_ceiling_are_rare_and_priced():
    """A 30 s block costs a probe every 25 minutes; a failed one makes the next twice as rare."""
    driver = Driver()
    driver.run(60)
    driver.refuse(30)
    ceiling = driver.pacer.ceiling

    driver.run(1400)
    assert driver.pacer.ceiling == ceiling
    while driver.pacer.ceiling == ceiling:
        driver.run(10)
    assert driver.pacer.ceiling == pytest.approx(ceiling * PROBE_STEP)
    assert 1500 <= driver.now - driver.pacer.cut_at <= 1550

    driver.refuse(30)
    driver.run(2900)
    assert driver.pacer.ceiling <= ceiling * PROBE_STEP
    assert driver.pacer.failed_probes == 1


def test_the_pace_does_not_grow_while_the_caller_is_the_bottleneck():
    """Requests that never had to wait are no evidence."""
    driver = Driver()
    driver.run(60)
    driver.refuse()
    rate = driver.rate

    driver.run(300, wanted=False, every=5.0)

    assert driver.rate == rate


def test_idle_time_is_no_slow_acceptance():
    """Eight requests in a day do not make a ceiling of eight a day."""
    driver = Driver(fixed=0.75)
    driver.run(8 * 600, wanted=False, every=600.0)

    driver.refuse()

    assert driver.pacer.ceiling >= 0.8


def test_an_adopted_ceiling_only_lowers():
    """What another process has learned counts where it is stricter."""
    pacer = Pacer()

    pacer.adopt(2.0)
    pacer.adopt(5.0)

    assert pacer.ceiling == 2.0


@given(st.lists(st.tuples(st.floats(0, 100), st.sampled_from([0.5, 5, 60, 600, 4000])), max_size=12))
def test_the_pace_stays_between_floor_and_fixed_interval(events):
    """However often and however hard a vendor refuses."""
    driver = Driver(fixed=0.2)
    for seconds, delay in events:
        driver.run(seconds)
        driver.refuse(delay)
        assert FLOOR <= driver.rate <= 5.0
        assert driver.pacer.ceiling <= FASTEST
