"""Waits that nobody named."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from py.net.backoff import cautious_ladder, full_jitter, ladder, padding


@pytest.mark.parametrize(
    ("refusals", "seconds"), [(0, 30), (1, 30), (2, 60), (3, 120), (6, 960), (7, 1800), (99, 1800)]
)
def test_the_ladder_doubles_up_to_its_cap(refusals, seconds):
    """30 s · 2^(n-1), at most 1800 s."""
    assert ladder(refusals, base=30, cap=1800) == seconds


@given(st.integers(0, 10**9), st.floats(1, 1e5), st.floats(1, 1e5))
def test_any_number_of_refusals_is_finite(refusals, base, cap):
    """Ten thousand refusals do not overflow."""
    assert 0 < ladder(refusals, base=base, cap=cap) <= cap


@given(st.floats(0, 1e5), st.integers())
def test_padding_only_adds(delay, seed):
    """A named wait is never shortened, and never stretched by more than three seconds."""
    assert 0.5 <= padding(delay, Random(seed)) <= 3.0


@given(st.integers(1, 50), st.integers())
def test_full_jitter_stays_below_the_step(attempt, seed):
    """Retries of passing faults spread from nothing to the ladder's step, at most 30 s."""
    assert 0 <= full_jitter(attempt, Random(seed)) <= min(30.0, 2.0 ** (attempt - 1))


@given(st.integers(1, 50), st.integers())
def test_the_cautious_ladder_triples(refusals, seed):
    """20 s · 3^N give or take a fifth, at most 300 s."""
    step = min(20.0 * 3 ** (refusals - 1), 300.0)

    assert 0.8 * step <= cautious_ladder(refusals, Random(seed)) <= min(1.2 * step, 300.0)
