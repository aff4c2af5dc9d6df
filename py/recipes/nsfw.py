"""Know CivitAI's levels of maturity: PG 1, PG-13 2, R 4, X 8, XXX 16."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

LEVELS = (1, 2, 4, 8, 16)
# What the image route calls levels in words (https://github.com/civitai/civitai/wiki/REST-API-Reference, images).
_WORDS = {"none": 1, "soft": 2, "mature": 4, "x": 8}


def is_level(value: Any) -> bool:
    """Whether a value is exactly one level."""
    return isinstance(value, int) and not isinstance(value, bool) and value in LEVELS


def level_of_image(image: Mapping[str, Any]) -> int | None:
    """Return the level that CivitAI's answer gives an image; the number says more than the word."""
    for name in ("browsingLevel", "nsfwLevel"):
        value = image.get(name)
        if isinstance(value, str) and value.lower() in _WORDS:
            return _WORDS[value.lower()]
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return _highest(value)
    return None


def _highest(mask: int) -> int:
    """Return the highest level of a mask; what is beyond the levels (32 is blocked) counts as the highest."""
    return min(1 << (mask.bit_length() - 1), LEVELS[-1])
