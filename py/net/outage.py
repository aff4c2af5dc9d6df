"""Decide when a host counts as unreachable: only failures of the wire move this, never an HTTP answer."""

from __future__ import annotations

from dataclasses import dataclass

from .backoff import ladder

FAILURES = 3  # in a row, before the first cooldown
BASE = 30.0
CAP = 300.0


@dataclass(slots=True)
class Outage:
    """Hold one host's cooldown; moments in seconds of `monotonic`."""

    failures: int = 0
    level: int = 0
    until: float = 0.0
    probing: bool = False

    def remaining(self, now: float) -> float:
        """Return the seconds left of the cooldown."""
        return max(0.0, self.until - now)

    def refuses(self, now: float) -> bool:
        """Tell whether a request must not be sent: cooling down, or one is finding out already."""
        return now < self.until or self.probing

    def begin(self) -> None:
        """Note that a request is sent; after a cooldown it is the only one until it ends."""
        self.probing = self.level > 0

    def end(self) -> None:
        """Note that a request ended without saying anything about the wire."""
        self.probing = False

    def succeeded(self) -> bool:
        """Note an answer; return whether that ended an outage."""
        was_out = self.level > 0
        self.failures, self.level, self.until, self.probing = 0, 0, 0.0, False
        return was_out

    def failed(self, now: float) -> bool:
        """Note a failure; return whether it started a cooldown (a longer one each time, 30 to 300 s)."""
        self.probing = False
        self.failures += 1
        if now < self.until or (self.level == 0 and self.failures < FAILURES):
            return False
        self.level += 1
        self.until = now + self.cooldown
        return True

    @property
    def cooldown(self) -> float:
        """The length of the present cooldown in seconds."""
        return ladder(self.level, base=BASE, cap=CAP) if self.level else 0.0

    @property
    def at_cap(self) -> bool:
        """Whether the host has been unreachable for so long that the cooldown no longer grows."""
        return self.cooldown >= CAP
