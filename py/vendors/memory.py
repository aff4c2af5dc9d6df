"""Use what vendors have answered before; pure."""

from __future__ import annotations

from collections.abc import Iterable

from ..core.outcomes import Found, Malformed, RateLimited, Unauthorised, Unreachable
from .cache_store import Remembered
from .chain import Outcome

Memory = dict[str, Remembered]  # by vendor

_UNKNOWN = (RateLimited, Unreachable, Unauthorised, Malformed)
_BEST_FIRST = ("civitai", "civarchive", "archive_db")


def by_vendor(remembered: Iterable[Remembered]) -> Memory:
    """Sort what is remembered of one question by who said it."""
    return {one.vendor: one for one in remembered}


def or_stale(outcome: Outcome, memory: Memory) -> Outcome:
    """Return `outcome`, or the vendor's old word where it cannot be asked now."""
    if isinstance(outcome, _UNKNOWN):
        for vendor in _BEST_FIRST:
            if vendor in memory and (info := memory[vendor].info):
                return Found(info, "cache")
    return outcome
