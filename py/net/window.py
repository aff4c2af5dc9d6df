"""Keep the time in which a vendor does not want to hear from us.

A window only extends, and only time opens it. After it, one request goes first; the rest follow on its answer.
"""

from __future__ import annotations

from dataclasses import dataclass

# A first request whose answer never comes must not hold the others for ever.
PROBE_PATIENCE = 60.0
# A press of "try now" that nobody uses is forgotten.
PERMIT_LIFETIME = 60.0


@dataclass(slots=True)
class Window:
    """Hold one window; every moment is in seconds of the clock's `monotonic`."""

    closed_until: float = 0.0
    closed_from: float = 0.0
    closed_before: float = 0.0
    delay: float = 0.0
    refusals: int = 0
    last_refusal: float = float("-inf")
    unproved: bool = False
    probe_sent_at: float | None = None
    permit_until: float = float("-inf")

    def is_closed(self, now: float) -> bool:
        """Tell whether the vendor's wait is still running."""
        return now < self.closed_until

    def remaining(self, now: float) -> float:
        """Return the seconds until the window ends, 0 when it has."""
        return max(0.0, self.closed_until - now)

    def closed_clock(self, now: float) -> float:
        """Return the seconds for which the window has been closed altogether; it stands still while it is open."""
        return self.closed_before + max(0.0, min(now, self.closed_until) - self.closed_from)

    def wait(self, now: float) -> float:
        """Return the seconds until one request may go, as far as this window is concerned."""
        if self.is_closed(now):
            return 0.0 if self.permitted(now) else self.closed_until - now
        if self.unproved and self.probe_sent_at is not None:
            return max(0.0, self.probe_sent_at + PROBE_PATIENCE - now)
        return 0.0

    def permitted(self, now: float) -> bool:
        """Tell whether a person has asked for one request, window or not."""
        return now < self.permit_until

    def is_new_event(self, sent_at: float) -> bool:
        """Tell whether a refusal is news: its request left after the last refusal was known."""
        return sent_at > self.last_refusal

    def refuse(self, now: float, sent_at: float) -> None:
        """Count a refusal; those of requests that were already under way belong to the one before."""
        if self.is_new_event(sent_at):
            self.refusals += 1
            self.last_refusal = now

    def close(self, now: float, until: float, delay: float) -> bool:
        """Extend the window to `until`; return False where it already lasts as long."""
        if until <= self.closed_until:
            return False
        if not self.is_closed(now):
            self.closed_before, self.closed_from = self.closed_clock(now), now
        self.closed_until, self.delay = until, delay
        self.unproved, self.probe_sent_at = True, None
        return True

    def permit(self, now: float) -> None:
        """Let one request through a closed window, because a person asked for it."""
        self.permit_until = now + PERMIT_LIFETIME

    def sent(self, now: float) -> None:
        """Note that a request leaves now."""
        self.permit_until = float("-inf")
        if self.unproved and not self.is_closed(now):
            self.probe_sent_at = now

    def answered(self, sent_at: float) -> bool:
        """Note that the vendor let a request through; return whether it was sent after the window, and so counts."""
        if sent_at < self.closed_until:
            return False
        self.refusals = 0
        self.unproved, self.probe_sent_at = False, None
        return True

    def abandoned(self, sent_at: float) -> None:
        """Note that a request ended without an answer: another may go first."""
        if self.probe_sent_at == sent_at:
            self.probe_sent_at = None
