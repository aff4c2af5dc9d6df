"""Say whether a vendor takes one more request now; pure, time in seconds of any clock that only grows.

`admit` returns None for yes, else the seconds until the next request would be taken.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field


class Open:
    """Take everything."""

    def admit(self, now):
        return None


@dataclass
class TokenBucket:
    """Take `rate` requests a second on average, `burst` at once."""

    rate: float
    burst: float
    tokens: float = field(init=False)
    at: float = field(default=-math.inf, init=False)

    def __post_init__(self):
        self.tokens = self.burst

    def admit(self, now):
        if now > self.at:
            refill = 0 if self.at == -math.inf else (now - self.at) * self.rate
            self.tokens, self.at = min(self.burst, self.tokens + refill), now
        if self.tokens >= 1:
            self.tokens -= 1
            return None
        return (1 - self.tokens) / self.rate


@dataclass
class FixedWindow:
    """Take `limit` requests in each window of `seconds`, which starts with its first request."""

    limit: int
    seconds: float
    opened: float = field(default=-math.inf, init=False)
    taken: int = field(default=0, init=False)

    def admit(self, now):
        if now >= self.opened + self.seconds:
            self.opened, self.taken = now, 0
        if self.taken < self.limit:
            self.taken += 1
            return None
        return self.opened + self.seconds - now


@dataclass
class SlidingWindow:
    """Take `limit` requests in any `seconds`."""

    limit: int
    seconds: float
    taken: deque = field(default_factory=deque, init=False)

    def admit(self, now):
        while self.taken and self.taken[0] <= now - self.seconds:
            self.taken.popleft()
        if len(self.taken) < self.limit:
            self.taken.append(now)
            return None
        return self.taken[0] + self.seconds - now


@dataclass
class Mitigation:
    """Block everything for `block` seconds once `limit` requests came within `seconds` (Cloudflare's rules)."""

    limit: int
    seconds: float
    block: float
    blocked_until: float = field(default=-math.inf, init=False)
    window: SlidingWindow = field(init=False)

    def __post_init__(self):
        self.window = SlidingWindow(self.limit, self.seconds)

    def admit(self, now):
        if now < self.blocked_until:
            return self.blocked_until - now
        if self.window.admit(now) is None:
            return None
        self.blocked_until = now + self.block
        return self.block


def parse(text):
    """Build a policy from the command line: ``open``, ``fixed:20/5``, ``sliding:20/5``, ``bucket:2/20``,
    ``mitigation:20/10/600``.
    """
    kind, _, rest = text.partition(":")
    numbers = [float(one) for one in rest.split("/") if one]
    if kind in ("fixed", "sliding"):
        limit, seconds = numbers
        return {"fixed": FixedWindow, "sliding": SlidingWindow}[kind](int(limit), seconds)
    if kind == "bucket":
        return TokenBucket(*numbers)
    if kind == "mitigation":
        return Mitigation(int(numbers[0]), *numbers[1:])
    if kind == "open":
        return Open()
    raise ValueError(f"unknown policy {text!r}")
