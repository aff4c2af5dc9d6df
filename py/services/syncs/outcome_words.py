"""Name an outcome in one word, for callers who show it."""

from __future__ import annotations

from ...core.outcomes import AbsentConfirmed, Found, Malformed, RateLimited, Unauthorised, Unreachable
from ...vendors.chain import Outcome

_WORDS: dict[type, str] = {
    Found: "found",
    AbsentConfirmed: "absent",
    RateLimited: "rate_limited",
    Unreachable: "unreachable",
    Unauthorised: "unauthorised",
    Malformed: "malformed",
}


def word_for(outcome: Outcome) -> str:
    """Return ``found``, ``absent``, ``rate_limited``, ``unreachable``, ``unauthorised`` or ``malformed``."""
    return _WORDS[type(outcome)]
