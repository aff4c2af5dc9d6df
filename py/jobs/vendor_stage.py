"""Decide, after each look-up of a job, what it means for the images that wait for it and for those behind them.

Pure. A refusal concerns every image that needs the same vendor: asking on would only collect more refusals.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..core.outcomes import AbsentConfirmed, Found, Malformed, RateLimited, Unauthorised, Unreachable
from .states import Reason

UNAUTHORISED_LIMIT = 3  # consecutive refusals of the key that end the vendor stage
TROUBLE_LIMIT = 5  # consecutive 5xx, unreachable or malformed answers after which the first vendor is left alone

# What a person reads of an image, or a model, that waits for a vendor.
ASKED_TO_WAIT = "{host} asked to wait; this goes on by itself when the wait is over, or with Retry."
REFUSED_THE_KEY = "{host} did not accept the API key, or wants one: check it in the settings, then retry."
OUT_OF_REACH = "{host} cannot be reached at the moment; retry later."
NOT_UNDERSTOOD = "{host} gave an answer that cannot be understood; retry later."

Outcome = Found[Any] | AbsentConfirmed | RateLimited | Unreachable | Unauthorised | Malformed


@dataclass(frozen=True, slots=True)
class Settled:
    """The look-up is answered, for every image that waits for it."""


@dataclass(frozen=True, slots=True)
class PutOff:
    """The images that wait for this look-up, or (`everyone`) for any, cannot be finished now.

    `retry_at` is in seconds since the epoch, None where nobody knows.
    """

    reason: Reason
    host: str
    retry_at: float | None
    detail: str
    everyone: bool = False

    @property
    def what_happened(self) -> str:
        """The sentence without the advice, which is for a single image."""
        return self.detail.split(";", maxsplit=1)[0].removesuffix(".") + "."


class VendorStage:
    """Follow the outcomes of one run; `primary_host` is the vendor that every look-up asks first."""

    def __init__(self, primary_host: str) -> None:
        self._primary = primary_host
        self._refused_keys = 0
        self._troubles = 0

    def judge(self, outcome: Outcome, now: float) -> Settled | PutOff:
        """Return what follows from one outcome; `now` is in seconds since the epoch."""
        if not isinstance(outcome, Unauthorised):
            self._refused_keys = 0
        if isinstance(outcome, Found | AbsentConfirmed):
            self._troubles = 0
            return Settled()
        if isinstance(outcome, RateLimited):
            return self._rate_limited(outcome)
        if isinstance(outcome, Unauthorised):
            return self._unauthorised(outcome)
        return self._trouble(outcome, now)

    def _rate_limited(self, outcome: RateLimited) -> PutOff:
        detail = ASKED_TO_WAIT.format(host=outcome.host)
        return PutOff(
            Reason.RATE_LIMITED, outcome.host, outcome.retry_at, detail, everyone=outcome.host == self._primary
        )

    def _unauthorised(self, outcome: Unauthorised) -> PutOff:
        self._refused_keys += 1
        detail = REFUSED_THE_KEY.format(host=outcome.host)
        over = self._refused_keys >= UNAUTHORISED_LIMIT
        return PutOff(Reason.UNAUTHORISED, outcome.host, None, detail, everyone=over)

    def _trouble(self, outcome: Unreachable | Malformed, now: float) -> PutOff:
        # Few images need another vendor than the first: its trouble ends nothing for the rest.
        needed = outcome.host == self._primary
        self._troubles += needed
        retry_at = outcome.retry_at
        left_alone = retry_at is not None and retry_at > now
        words = NOT_UNDERSTOOD if isinstance(outcome, Malformed) else OUT_OF_REACH
        detail = words.format(host=outcome.host)
        everyone = needed and (left_alone or self._troubles >= TROUBLE_LIMIT)
        return PutOff(Reason.UNREACHABLE, outcome.host, retry_at, detail, everyone=everyone)
