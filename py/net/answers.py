"""Turn a verdict into the next step of a logical call: send again, wait first, or give up with a typed error."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from random import Random

from ..core.errors import (
    GoneError,
    MalformedAnswerError,
    RateLimitError,
    RegionBlockedError,
    UnauthorisedError,
    UnreachableError,
    VendorError,
    VendorNotFoundError,
    VendorRefusedError,
)
from .backoff import full_jitter
from .call import Call
from .verdict import Kind, Verdict

TRIES = 3

_FINAL: dict[Kind, type[VendorError]] = {
    Kind.UNAUTHORISED: UnauthorisedError,
    Kind.NOT_FOUND: VendorNotFoundError,
    Kind.GONE: GoneError,
    Kind.REGION_BLOCKED: RegionBlockedError,
    Kind.REFUSED: VendorRefusedError,
    Kind.MALFORMED: MalformedAnswerError,
}
_PASSING = {Kind.TRANSIENT, Kind.PAUSED, Kind.MALFORMED}


@dataclass(frozen=True, slots=True)
class Again:
    """Send the request again after `wait` seconds, through guard and gate as the first time."""

    wait: float = 0.0


@dataclass(frozen=True, slots=True)
class GiveUp:
    """End the call with this error."""

    error: VendorError


def next_step(verdict: Verdict, call: Call, *, status: int, rng: Random, wall: float) -> Again | GiveUp:
    """Decide after an answer that is not OK; `wall` is now, in seconds since the epoch.

    A refusal is asked again for as long as the gate and the deadline allow; a passing fault three times in all.
    """
    if verdict.kind is Kind.RATE_LIMITED:
        return Again()
    may_pass = verdict.kind in _PASSING and not (verdict.kind is Kind.MALFORMED and status == HTTPStatus.NOT_FOUND)
    if may_pass and call.tries < TRIES:
        return Again(full_jitter(call.tries, rng))
    return GiveUp(final_error(verdict, call, status=status, wall=wall))


def final_error(verdict: Verdict, call: Call, *, status: int, wall: float) -> VendorError:
    """Return the error that says what the vendor said."""
    message = verdict.detail or f"{call.host} answered with status {status}."
    retry_at = None if verdict.delay is None else wall + verdict.delay
    if verdict.kind is Kind.QUOTA:
        return RateLimitError(
            message,
            host=call.host,
            provider=call.provider,
            retry_after=verdict.delay,
            retry_at=retry_at,
            gate_handled=True,
        )
    error = _FINAL.get(verdict.kind)
    if error is None:
        return UnreachableError(message, host=call.host, provider=call.provider, retry_at=retry_at)
    failure = error(message, host=call.host, provider=call.provider)
    if isinstance(failure, MalformedAnswerError):
        failure.sample = verdict.sample
    return failure
