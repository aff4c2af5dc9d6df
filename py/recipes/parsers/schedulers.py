"""Know the schedulers that programs append to a sampler's name."""

from __future__ import annotations

import re

# Words as written at the end of a sampler, longest first where one ends another.
_KNOWN = (
    "SGM Uniform",
    "Align Your Steps",
    "KL Optimal",
    "Linear Quadratic",
    "Polyexponential",
    "Exponential",
    "DDIM Uniform",
    "Normal",
    "Simple",
    "Karras",
    "Beta",
    "Turbo",
)
_AT_END = re.compile(
    "[ _](" + "|".join(name.replace(" ", "[ _]") for name in _KNOWN) + r")$",
    re.IGNORECASE,
)


def in_sampler(sampler: str | None) -> str | None:
    """Return the scheduler that a sampler's name ends with (``DPM++ 2M Karras``, ``euler_ancestral_karras``)."""
    match = _AT_END.search(sampler[-64:]) if sampler else None
    return match[1] if match else None
