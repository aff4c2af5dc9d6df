"""Learn a vendor's long quota (so many an hour) from the refusals that end it, and stop just short of the next.

A penalty looks like a quota at first. It is taken for one only when two whole cycles agree on both length and
number; a penalty does not, because the pace is halved between them.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..core.ports import Lane

LONG = 120.0  # seconds; shorter waits are a matter of pace
LONGEST_CYCLE = 26 * 3600.0
SPEND = 0.95  # of what was served in a cycle
FOR_BATCH = 0.9  # of that; the rest is kept for what a person clicks, until
RESERVE_ENDS = 0.9  # of the cycle has gone: what is not used by then would be lost
LIFT = 1.05  # after a cycle without a refusal: the quota may have grown
_LENGTHS_AGREE, _NUMBERS_AGREE = 0.05, 0.1


@dataclass(slots=True)
class Quota:
    """Hold the present cycle and what the last ones taught; seconds of `monotonic`."""

    opened_at: float | None = None
    served: int = 0
    seen: tuple[float, int] | None = None
    length: float | None = None
    allowance: float = 0.0

    def sent(self, now: float) -> None:
        """Begin a new cycle where the last one has run out."""
        if self.length is not None and self.opened_at is not None and now >= self.opened_at + self.length:
            if self.served:
                self.allowance *= LIFT
            self.opened_at, self.served = now, 0

    def accepted(self) -> None:
        """Count a served request."""
        self.served += 1

    def refused(self, now: float, delay: float) -> None:
        """Close a cycle: the vendor named a long wait of `delay` seconds."""
        if delay < LONG:
            return
        if self.opened_at is not None and self.served:
            self._learn(now + delay - self.opened_at, self.served)
        self.opened_at, self.served = now + delay, 0

    def wait(self, lane: Lane, now: float) -> float:
        """Return the seconds until this lane may spend again."""
        if self.length is None or self.opened_at is None:
            return 0.0
        left = max(0.0, self.opened_at + self.length - now)
        if self.served >= self.allowance * SPEND:
            return left
        reserved = max(0.0, left - (1.0 - RESERVE_ENDS) * self.length)
        return reserved if lane == "batch" and self.served >= self.allowance * SPEND * FOR_BATCH else 0.0

    def _learn(self, length: float, served: int) -> None:
        if self.seen is not None and _agree(self.seen, (length, served)) and length <= LONGEST_CYCLE:
            self.length, self.allowance = length, float(served)
        elif self.length is not None and served < self.allowance:
            self.length = None  # refused before the allowance was spent: it is not what we took it for
        self.seen = (length, served)


def _agree(one: tuple[float, int], other: tuple[float, int]) -> bool:
    lengths = abs(one[0] - other[0]) <= _LENGTHS_AGREE * max(one[0], other[0])
    return lengths and abs(one[1] - other[1]) <= _NUMBERS_AGREE * max(one[1], other[1])
