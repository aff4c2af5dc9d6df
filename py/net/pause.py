"""Leave a host alone for a while though it named no wait: it wants a browser, or talks nonsense.

This is neither a refusal (no pace is cut) nor an outage (the wire works); callers hear that the host cannot be used
and may ask elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass

CHALLENGE_STEPS = (300.0, 900.0, 3600.0)
NONSENSE_IN_A_ROW = 3
NONSENSE_SECONDS = 60.0


@dataclass(slots=True)
class Pause:
    """Hold one host's pause; `until` in seconds of `monotonic`, infinite for the rest of this session."""

    until: float = 0.0
    challenges: int = 0
    nonsense: int = 0
    reason: str = ""
    for_good: bool = False

    def remaining(self, now: float) -> float:
        """Return the seconds left, 0 when there is no pause."""
        return max(0.0, self.until - now)

    def challenged(self, now: float) -> bool:
        """Note a page that only a browser can answer: 5, 15, then 60 minutes; return whether a pause begins."""
        if self.remaining(now) > 0:
            return False  # answers to what was sent before the pause belong to it
        seconds = CHALLENGE_STEPS[min(self.challenges, len(CHALLENGE_STEPS) - 1)]
        self.challenges += 1
        return self._pause(now + seconds, "wants to see a browser")

    def malformed(self, now: float) -> bool:
        """Note a call that ended in nonsense; three in a row are worth a minute. Return whether a pause begins."""
        self.nonsense += 1
        if self.nonsense < NONSENSE_IN_A_ROW:
            return False
        self.nonsense = 0
        return self._pause(now + NONSENSE_SECONDS, "answers with something unusable")

    def blocked(self) -> bool:
        """Note that the vendor does not serve this region, which will not change while we run."""
        self.for_good = True
        return self._pause(float("inf"), "does not serve this region")

    def lift(self) -> None:
        """Ask again, because a person wants it; the next nonsense or page for browsers pauses anew."""
        if not self.for_good and self.until > 0:
            self.until, self.nonsense = 0.0, NONSENSE_IN_A_ROW - 1

    def made_sense(self) -> None:
        """Note a sensible answer."""
        self.challenges = self.nonsense = 0

    def _pause(self, until: float, reason: str) -> bool:
        longer = until > self.until
        if longer:
            self.until, self.reason = until, reason
        return longer
