"""Read how long a vendor asks us to wait, in every spelling that is in use.

Never trusts: zero, negative, NaN, infinity, junk and anything at or above the ceiling count as *not said*, and the
caller falls back to its ladder. Never shortens: decimals round up, and of repeated values the longest counts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime

Headers = Mapping[str, str]

# ASCII digits only: float() would also take "nan", "1e9", "+5", "1_000" and other scripts' digits.
_NUMBER = re.compile(r"[0-9]{1,15}(?:\.[0-9]{0,9})?|\.[0-9]{1,9}")
# A comma ends a value unless it follows a weekday ("Wed," or "Wednesday,").
_LIST_COMMA = re.compile(r"(?<!Mon|Tue|Wed|Thu|Fri|Sat|Sun|day),")
_RESET_NAMES = ("ratelimit-reset", "x-ratelimit-reset", "x-rate-limit-reset")
_EPOCH_SECONDS = 8e8
_EPOCH_MILLISECONDS = 1e12


def requested_delay(headers: Headers, *, received_wall: float, ceiling: float) -> float | None:
    """Return the wait in seconds that the headers name, or None where they name none that can be believed.

    `headers` have lower-case names. Dates are measured against the answer's own Date header, so that a wrong
    local clock does not matter; without one, against `received_wall` (seconds since the epoch). Order: the
    de-facto ``retry-after-ms``, Retry-After (RFC 9110 §10.2.3), the IETF draft's RateLimit fields, X-RateLimit-Reset.
    """
    now = _date(headers.get("date", ""))
    now = received_wall if now is None else now
    for read in (_milliseconds, _retry_after, _ietf_item, _reset, _ietf_policy):
        delay = read(headers, now)
        if delay is not None and 0 < delay < ceiling:
            return delay
    return None


def _milliseconds(headers: Headers, _now: float) -> float | None:
    return _longest(headers.get("retry-after-ms", ""), lambda text: _scaled(_number(text), 0.001))


def _retry_after(headers: Headers, now: float) -> float | None:
    return _longest(headers.get("retry-after", ""), lambda text: _seconds_or_date(text, now))


def _ietf_item(headers: Headers, _now: float) -> float | None:
    """Read ``"name";r=0;t=55`` (drafts 8 and later) and ``limit=9, remaining=0, reset=55`` (3 to 7)."""
    value = headers.get("ratelimit", "")
    items = [_parameters(item) for item in value.split(",")]
    if any("reset" in item for item in items):
        return _maximum(item.get("reset") for item in items)
    spent = [item for item in items if item.get("r") == 0]
    return _maximum(item.get("t") for item in spent or items)


def _ietf_policy(headers: Headers, _now: float) -> float | None:
    """Read the window of ``"name";q=500;w=300``: no one names a wait, but a window can last no longer."""
    windows = [_parameters(item).get("w") for item in headers.get("ratelimit-policy", "").split(",")]
    return min((window for window in windows if window), default=None)


def _reset(headers: Headers, now: float) -> float | None:
    """Read a reset as epoch milliseconds, epoch seconds or a delta, told apart by size."""
    values = (headers.get(name, "") for name in _RESET_NAMES)
    return _maximum(_longest(value, lambda text: _until(_number(text), now)) for value in values)


def _until(value: float | None, now: float) -> float | None:
    if value is None or value < _EPOCH_SECONDS:
        return value
    return (value / 1000 if value >= _EPOCH_MILLISECONDS else value) - now


def _parameters(item: str) -> dict[str, float]:
    pairs = (part.partition("=") for part in item.split(";"))
    numbers = ((name.strip().lower(), _number(value.strip())) for name, _, value in pairs)
    return {name: number for name, number in numbers if number is not None}


def _longest(value: str, read: Callable[[str], float | None]) -> float | None:
    return _maximum(read(part.strip()) for part in _LIST_COMMA.split(value))


def _maximum(values: Iterable[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)


def _scaled(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor


def _number(text: str) -> float | None:
    return float(text) if _NUMBER.fullmatch(text) else None


def _seconds_or_date(text: str, now: float) -> float | None:
    seconds = _number(text)
    if seconds is not None:
        return float(math.ceil(seconds))
    moment = _date(text)
    return None if moment is None else moment - now


def _date(text: str) -> float | None:
    """Return seconds since the epoch for the three forms of RFC 9110 §5.6.7; without a zone they mean UTC."""
    try:
        moment = parsedate_to_datetime(text)
        return _as_utc(moment).timestamp()
    except (ValueError, TypeError, OverflowError, IndexError):  # what email.utils lets through for junk
        return None


def _as_utc(moment: datetime) -> datetime:
    return moment.replace(tzinfo=timezone.utc) if moment.tzinfo is None else moment
