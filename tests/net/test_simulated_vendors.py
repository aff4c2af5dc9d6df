"""The shipped pacer against simulated vendors, for an hour each; `make bench` has all of them, and others beside it."""

from __future__ import annotations

import pytest

from tests.bench.bench_gate import holds, pantry
from tests.bench.simulated_vendors import play, vendors


@pytest.mark.parametrize("name", ["60 in a fixed minute", "60 a minute, none named", "500 an hour"])
def test_a_vendor_gets_what_it_permits_and_hardly_a_refusal(name):
    """At least 95 % of what it permits, at most 0.3 % refused, nothing inside a known window."""
    vendor = next(one for one in vendors() if one.name == name)

    outcome = play(vendor, pantry(min_interval_seconds=0.1))

    assert holds(vendor, outcome), (outcome.utilisation(vendor), outcome.refused_share, outcome.inside_window)


def test_a_punishing_vendor_is_not_provoked():
    """A block of ten minutes for twenty requests in ten seconds: less than one refusal in an hour and a half."""
    vendor = next(one for one in vendors() if one.name == "20/10 s, block 600 s")

    outcome = play(vendor, pantry())

    assert outcome.refused == 0
    assert outcome.inside_window == 0
