"""Spell a refusal in every way that vendors do: status, Retry-After, body."""

from __future__ import annotations

import json
import math
import time
from dataclasses import dataclass
from email.utils import formatdate

HTML_1015 = (
    "<!DOCTYPE html><html><head><title>Access denied</title></head><body><h1>You are being rate limited</h1>"
    "<p>error code: 1015</p></body></html>"
)

# What Retry-After says, by spelling; the rest name no time, or none that can be believed.
NAMED = ("seconds", "decimal", "milliseconds", "imf", "rfc850", "asctime", "body")
JUNK = {"negative": "-5", "garbage": "in a bit", "nan": "nan", "zero": "0", "huge": "9" * 40, "empty": ""}
SPELLINGS = (*NAMED, *JUNK, "none")


@dataclass(frozen=True)
class Refusal:
    """Say how a request is refused: `seconds` None takes the policy's own time; `body` is json, html, text, empty."""

    spelling: str = "seconds"
    seconds: float | None = None
    body: str = "json"
    status: int = 429

    def wait(self, policy_seconds):
        """Return the seconds that the refusal speaks of, a whole number as most vendors send."""
        return max(1, math.ceil(policy_seconds if self.seconds is None else self.seconds))

    def names_a_window(self):
        return self.spelling in NAMED

    def headers(self, wait, wall):
        """Return the headers; `wall` is the vendor's time in seconds since the epoch."""
        dated = {"Date": formatdate(wall, usegmt=True)}
        if self.spelling == "milliseconds":
            return dated | {"Retry-After-Ms": str(int(wait * 1000))}
        value = self._value(wait, wall)
        return dated if value is None else dated | {"Retry-After": value}

    def _value(self, wait, wall):
        at = time.gmtime(wall + wait)
        return {
            "seconds": str(wait),
            "decimal": f"{wait - 0.5:.1f}",
            "imf": formatdate(wall + wait, usegmt=True),
            "rfc850": time.strftime("%A, %d-%b-%y %H:%M:%S GMT", at),
            "asctime": time.asctime(at),
            **JUNK,
        }.get(self.spelling)

    def content(self, wait):
        """Return content type and body."""
        if self.body == "html":
            return "text/html", HTML_1015
        if self.body == "text":
            return "text/plain", "error code: 1015"
        if self.body == "empty":
            return "application/json", ""
        if self.body == "archive":
            return "application/json", json.dumps(
                {"error": f"You've hit our hourly API limit. Try again in about {wait // 60} minutes."}
            )
        told = {"retry_after": wait} if self.spelling == "body" else {}
        return "application/json", json.dumps({"error": "Rate limit exceeded, please retry shortly.", **told})
