"""Turn a verdict into the next step of a logical call: send again, wait first, or give up with a typed error."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from random import Random

from ..core.errors import (
    GoneError,
    MalformedAnswerError,
    PantryError,
    RateLimitError,
    RegionBlockedError,
    UnauthorisedError,
    UnreachableError,
    VendorError,
    VendorNotFoundError,
    VendorRefusedError,
)
from .backoff import full_jitter
from .verdict import Kind, Verdict

TRIES = 3

_FINAL: dict[Kind, type[VendorError]] = {
    Kind.UNAUTHORISED: UnauthorisedError,
    Kind.NOT_FOUND: VendorNotFoundError,
    Kind.GONE: GoneError,
    Kind.REGION_BLOCKED: RegionBlockedError,
    Kind.REFUSED: VendorRefusedError,
    Kind.MALFORMED: MalformedAnswerError,
    Kind.QUOTA: RateLimitError,
}
_PASSING = {Kind.TRANSIENT, Kind.PAUSED, Kind.MALFORMED}


@dataclass(frozen=True, slots=True)
class Again:
    """Send the request again after `wait` seconds, through guard and gate as the first time."""

    wait: float = 0.0


@dataclass(frozen=True, slots=True)
class GiveUp:
    """End the call with this error."""

    error: PantryError


def next_step(verdict: Verdict, *, tries: int, status: int, host: str, provider: str, rng: Random) -> Again | GiveUp:
    """Decide after an answer that is not OK; `tries` counts the sends so far that ended in a passing fault."""
    if verdict.kind is Kind.RATE_LIMITED:
        return Again()
    may_pass = verdict.kind in _PASSING and not (verdict.kind is Kind.MALFORMED and status == HTTPStatus.NOT_FOUND)
    if may_pass and tries < TRIES:
        return Again(full_jitter(tries, rng))
    return GiveUp(final_error(verdict, host=host, provider=provider, status=status))


def final_error(verdict: Verdict, *, host: str, provider: str, status: int) -> VendorError:
    """Return the error that says what the vendor said."""
    error = _FINAL.get(verdict.kind, UnreachableError)
    message = verdict.detail or f"{host} answered with status {status}."
    return error(message, host=host, provider=provider)
