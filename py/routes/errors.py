"""Turn errors into HTTP answers; the only place that knows statuses."""

from __future__ import annotations

import math
from typing import Any

from aiohttp import web

from ..core import errors

# The first class that fits counts, so branches stand before their root.
STATUSES: tuple[tuple[type[errors.PantryError], int], ...] = (
    (errors.InvalidRequestError, 400),
    (errors.NotAllowedError, 403),
    (errors.NotFoundError, 404),
    (errors.VendorNotFoundError, 404),
    (errors.ConflictError, 409),
    (errors.UnreadableImageError, 422),
    (errors.RateLimitError, 503),
    (errors.UnreachableError, 502),
    (errors.VendorError, 502),
    (errors.StorageError, 503),
    (errors.PantryError, 500),
)


def status_of(error: errors.PantryError) -> int:
    """Return the HTTP status of an error."""
    return next(status for kind, status in STATUSES if isinstance(error, kind))


def error_answer(status: int, code: str, message: str, **facts: Any) -> web.Response:
    """Return the one JSON shape of every error: code for programs, message for people."""
    return web.json_response({"error": {"code": code, "message": message, **facts}}, status=status)


def answer_for(error: errors.PantryError) -> web.Response:
    """Return the answer for an error; one that will pass carries when, also as a Retry-After header."""
    retry_at = getattr(error, "retry_at", None)
    facts = {} if retry_at is None else {"retry_at": retry_at}
    answer = error_answer(status_of(error), error.code, str(error), **facts)
    retry_after = getattr(error, "retry_after", None)
    if retry_after is not None:
        answer.headers["Retry-After"] = str(max(1, math.ceil(retry_after)))
    return answer
