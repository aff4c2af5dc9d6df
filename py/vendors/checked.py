"""Take values out of a vendor's JSON only where they have the documented type; anything else is None or empty."""

from __future__ import annotations

import math
from typing import Any

from ..core.errors import MalformedAnswerError

# CivitAI's ids are PostgreSQL int4; anything above answers 500 there.
LARGEST_ID = 2**31 - 1
# int() of a very long string of digits is slow, and raises above 4,300.
_LONGEST_NUMBER = 19


def text(value: Any) -> str | None:
    """Return a string that says something, else None."""
    return value if isinstance(value, str) and value.strip() else None


def whole(value: Any) -> int | None:
    """Return an int, or the int that a string of digits spells (CivArchive's newer API), else None."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= _LONGEST_NUMBER:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def identity(value: Any) -> int | None:
    """Return a positive id that a vendor's database could hold, else None."""
    number = whole(value)
    return number if number is not None and 0 < number <= LARGEST_ID else None


def number(value: Any) -> float | None:
    """Return a finite number, else None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) else None


def flag(value: Any) -> bool | None:
    """Return a bool, else None."""
    return value if isinstance(value, bool) else None


def record(value: Any) -> dict[str, Any]:
    """Return a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def records(value: Any) -> list[dict[str, Any]]:
    """Return the JSON objects of a list, else nothing."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def texts(value: Any) -> tuple[str, ...]:
    """Return the strings of a list, else nothing."""
    return tuple(one for one in value if text(one)) if isinstance(value, list) else ()


def required_record(value: Any, what: str) -> dict[str, Any]:
    """Return a JSON object; raise `MalformedAnswerError` for anything else."""
    if not isinstance(value, dict):
        raise MalformedAnswerError(f"{what} is not an object.")
    return value


def required_records(value: Any, what: str) -> list[dict[str, Any]]:
    """Return a list of JSON objects; raise `MalformedAnswerError` for anything else."""
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise MalformedAnswerError(f"{what} is not a list of objects.")
    return value


def required_identity(value: Any, what: str) -> int:
    """Return a positive id; raise `MalformedAnswerError` for anything else."""
    found = identity(value)
    if found is None:
        raise MalformedAnswerError(f"{what} is not an id.")
    return found


def required_text(value: Any, what: str) -> str:
    """Return a string that says something; raise `MalformedAnswerError` for anything else."""
    found = text(value)
    if found is None:
        raise MalformedAnswerError(f"{what} is missing.")
    return found
