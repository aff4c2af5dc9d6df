"""Look into an answer's body: JSON or not, an error or not, and a wait named in words."""

from __future__ import annotations

import json
import re
from typing import Any

from ..core.ports import Response

# "Try again in about 42 minutes": what an hourly quota says when it names no header.
_IN_WORDS = re.compile(r"\b(?:in|after)\s+(?:about\s+)?([0-9]{1,5})\s*(second|minute|hour)s?\b", re.IGNORECASE)
_UNITS = {"second": 1.0, "minute": 60.0, "hour": 3600.0}
_DELAY_FIELDS = ("retry_after", "retryAfter", "retryAfterSeconds", "retry_after_seconds")
_ERROR_FIELDS = ("error", "message", "detail")
# Enough for every error that vendors send; a page of HTML is not searched whole.
_TEXT_LIMIT = 4096


class NotJson(Exception):  # noqa: N818 - a finding, not a failure
    """The body is not JSON."""


def parsed(response: Response) -> Any:
    """Return the body's JSON; raise `NotJson` for anything else, an empty body included."""
    try:
        return json.loads(response.body)
    except (ValueError, RecursionError) as error:  # ValueError covers bad UTF-8, too
        raise NotJson from error


def is_json(response: Response) -> bool:
    """Tell whether the body is a JSON object or array."""
    try:
        return isinstance(parsed(response), dict | list)
    except NotJson:
        return False


def is_html(response: Response) -> bool:
    """Tell whether the answer is a page for people."""
    kind = response.headers.get("content-type", "")
    return "html" in kind.lower() or response.body.lstrip()[:1] == b"<"


def error_text(response: Response) -> str:
    """Return the sentence that an error answer carries, at most 200 characters; empty where there is none."""
    try:
        data = parsed(response)
    except NotJson:
        return "" if is_html(response) else _text(response).strip()[:200]
    found = (data.get(name) for name in _ERROR_FIELDS) if isinstance(data, dict) else ()
    return next((one.strip()[:200] for one in found if isinstance(one, str) and one.strip()), "")


def only_an_error(data: Any) -> bool:
    """Tell whether JSON is nothing but an error: some vendors say 200 with it."""
    return isinstance(data, dict) and bool(data.get("error")) and not ({"id", "items", "data", "files"} & data.keys())


def named_delay(response: Response, ceiling: float) -> float | None:
    """Return the wait in seconds that the body names, as a number or in words; None where it names none."""
    delay = _field(response)
    if delay is None and (match := _IN_WORDS.search(_text(response))):
        delay = float(match[1]) * _UNITS[match[2].lower()]
    return delay if delay is not None and 0 < delay < ceiling else None


def _field(response: Response) -> float | None:
    try:
        data = parsed(response)
    except NotJson:
        return None
    values = (data.get(name) for name in _DELAY_FIELDS) if isinstance(data, dict) else ()
    return next((float(one) for one in values if isinstance(one, int | float) and not isinstance(one, bool)), None)


def _text(response: Response) -> str:
    return response.body[:_TEXT_LIMIT].decode("utf-8", "replace")
