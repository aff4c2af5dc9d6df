"""Say what an answer means, by its status first and its body second; never decides what to do about it.

The table is docs/rate-limits.md#what-each-answer-means.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from http import HTTPStatus
from typing import Any

from ..core.ports import Response
from . import body
from .retry_after import requested_delay
from .sample import sample_of

QUOTA_DELAY = 3600.0  # CivitAI re-counts downloads by the hour and names no wait


class Kind(Enum):
    """Name the meanings that are treated differently."""

    OK = "ok"
    REDIRECT = "redirect"
    RATE_LIMITED = "rate_limited"  # the host wants us to wait
    QUOTA = "quota"  # the download quota is used up; the API is not meant
    PAUSED = "paused"  # one route family is overloaded and says for how long
    TRANSIENT = "transient"  # the server failed; asking again may help
    CHALLENGE = "challenge"  # a page that wants a browser and a person
    UNAUTHORISED = "unauthorised"
    NOT_FOUND = "not_found"
    GONE = "gone"
    REGION_BLOCKED = "region_blocked"
    REFUSED = "refused"  # this request can never work
    MALFORMED = "malformed"  # not what was asked for, whatever the status says


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Hold the meaning, the vendor's words, the wait it named (seconds), for OK the JSON, for MALFORMED a sample."""

    kind: Kind
    detail: str = ""
    delay: float | None = None
    data: Any = None
    sample: str = ""

    @property
    def proves_capacity(self) -> bool:
        """Whether the vendor let the request through its limits."""
        return self.kind in _SERVED


_SERVED = {Kind.OK, Kind.REDIRECT, Kind.UNAUTHORISED, Kind.NOT_FOUND, Kind.GONE, Kind.REFUSED}

# 520 to 530 are Cloudflare's words for an origin that fails; 499 is its word for a client that left.
_TRANSIENT = {408, 425, 499, 500, 502, 503, 504, *range(520, 528), 530}
_REDIRECTS = {301, 302, 303, 307, 308}


def judge(response: Response, ceiling: float, wants: str = "json", *, any_404: bool = False) -> Verdict:
    """Return the meaning of an answer; a named wait at or above `ceiling` seconds counts as not named.

    `wants` is ``json``, ``bytes`` (a file: anything but a page for people) or ``headers``; with `any_404` a "not
    found" needs no JSON to be one.
    """
    verdict = _meaning(response, ceiling, wants, any_404=any_404)
    if verdict.kind is not Kind.MALFORMED:
        return verdict
    return replace(verdict, sample=sample_of(response.url, response.status, response.headers, response.body))


def _meaning(response: Response, ceiling: float, wants: str, *, any_404: bool) -> Verdict:
    status = response.status
    if status in _REDIRECTS:
        return Verdict(kind=Kind.REDIRECT)
    if status < HTTPStatus.MULTIPLE_CHOICES:
        return _success(response, ceiling) if wants == "json" else _file(response, wants)
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return _too_many(response, ceiling)
    if status in _TRANSIENT:
        return _failed(response, ceiling)
    return _refused(response, any_404=any_404)


def is_from_cache(response: Response) -> bool:
    """Tell whether an edge cache answered: that says nothing about what the vendor permits."""
    return response.status == HTTPStatus.NOT_MODIFIED or response.headers.get("cf-cache-status", "").upper() == "HIT"


def _success(response: Response, ceiling: float) -> Verdict:
    try:
        data = body.parsed(response)
    except body.NotJson:
        return Verdict(kind=Kind.MALFORMED, detail="The answer is not JSON.")
    if not body.only_an_error(data):
        return Verdict(kind=Kind.OK, data=data)
    text = body.error_text(response) or "The answer is an error."
    delay = body.named_delay(response, ceiling)
    kind = Kind.RATE_LIMITED if delay is not None and "limit" in text.lower() else Kind.MALFORMED
    return Verdict(kind=kind, detail=text, delay=delay)


def _file(response: Response, wants: str) -> Verdict:
    if wants == "bytes" and body.is_html(response):
        return Verdict(kind=Kind.MALFORMED, detail="The vendor sent a web page instead of a file.")
    return Verdict(kind=Kind.OK)


def _too_many(response: Response, ceiling: float) -> Verdict:
    text = body.error_text(response)
    if "too many pages" in text.lower() or "use cursors" in text.lower():
        return Verdict(kind=Kind.REFUSED, detail=text)  # waiting never cures page * limit > 1000
    delay = _delay(response, ceiling)
    if "amount of downloading" in text.lower():
        return Verdict(kind=Kind.QUOTA, detail=text, delay=delay or QUOTA_DELAY)
    return Verdict(kind=Kind.RATE_LIMITED, detail=text, delay=delay)


def _failed(response: Response, ceiling: float) -> Verdict:
    text = body.error_text(response)
    delay = _delay(response, ceiling) if response.status == HTTPStatus.SERVICE_UNAVAILABLE else None
    return Verdict(kind=Kind.TRANSIENT if delay is None else Kind.PAUSED, detail=text, delay=delay)


def _refused(response: Response, *, any_404: bool) -> Verdict:
    status, text = response.status, body.error_text(response)
    if status == HTTPStatus.FORBIDDEN and _is_challenge(response):
        return Verdict(kind=Kind.CHALLENGE, detail="The vendor wants to see a browser.")
    if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        return Verdict(kind=Kind.UNAUTHORISED, detail=text)
    if status == HTTPStatus.NOT_FOUND:
        # Only the vendor's own JSON confirms a miss; any proxy can say 404 with a page.
        confirmed = body.is_json(response) or (any_404 and not _bears_marks(response))
        return Verdict(kind=Kind.NOT_FOUND if confirmed else Kind.MALFORMED, detail=text)
    if status == HTTPStatus.GONE:
        return Verdict(kind=Kind.GONE, detail=text)
    if status == HTTPStatus.UNAVAILABLE_FOR_LEGAL_REASONS:
        return Verdict(kind=Kind.REGION_BLOCKED, detail=text)
    return Verdict(kind=Kind.REFUSED if status < HTTPStatus.INTERNAL_SERVER_ERROR else Kind.TRANSIENT, detail=text)


def _is_challenge(response: Response) -> bool:
    return _bears_marks(response) or body.is_html(response) or b"error code: 10" in response.body[:200]


def _bears_marks(response: Response) -> bool:
    """Tell whether Cloudflare put its challenge in the answer's place."""
    return "cf-mitigated" in response.headers or b"/cdn-cgi/challenge-platform/" in response.body


def _delay(response: Response, ceiling: float) -> float | None:
    named = requested_delay(response.headers, received_wall=response.received_wall, ceiling=ceiling)
    return body.named_delay(response, ceiling) if named is None else named
