"""Compute waits that nobody named: the ladder after refusals, jitter, and retries of passing faults."""

from __future__ import annotations

from random import Random

# 2**1024 overflows a float; a ladder has reached every cap long before this.
_HIGHEST_STEP = 30


def ladder(refusals: int, *, base: float, cap: float, factor: float = 2.0) -> float:
    """Return the wait in seconds before another try: base, base·factor, base·factor², … up to `cap`.

    `refusals` counts from 1; any number of them is finite.
    """
    step = min(max(refusals - 1, 0), _HIGHEST_STEP)
    return min(float(base * factor**step), cap)


def cautious_ladder(refusals: int, rng: Random) -> float:
    """Return 20 s · 3^N, give or take a fifth so that installations do not march in step, at most 300 s."""
    return min(ladder(refusals, base=20.0, cap=300.0, factor=3.0) * rng.uniform(0.8, 1.2), 300.0)


def padding(delay: float, rng: Random) -> float:
    """Return what to add to a vendor's wait: half a second for its clock, and jitter so that not all come at once.

    Only ever added: a named wait is never shortened.
    """
    return 0.5 + rng.uniform(0.0, min(0.1 * delay, 2.5))


def full_jitter(attempt: int, rng: Random, *, base: float = 1.0, cap: float = 30.0) -> float:
    """Return a random wait between nothing and the ladder's step (AWS architecture blog, "full jitter")."""
    return rng.uniform(0.0, ladder(attempt, base=base, cap=cap))
