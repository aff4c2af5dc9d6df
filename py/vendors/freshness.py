"""Say how long a vendor's answer is believed; all durations in seconds."""

from __future__ import annotations

DAY = 86_400.0
HIT_LASTS = 30 * DAY
FIRST_MISS_LASTS = DAY
LONGEST_MISS_LASTS = 30 * DAY
# Past this many doublings the wait is at its longest anyway; a bound keeps the power small.
_DOUBLINGS = 10


def miss_lasts(misses: int) -> float:
    """Return how long the `misses`-th confirmed miss in a row is believed: a day, doubling up to thirty."""
    doublings = min(max(misses - 1, 0), _DOUBLINGS)
    return float(min(FIRST_MISS_LASTS * 2**doublings, LONGEST_MISS_LASTS))
