"""Learn how fast a vendor lets us ask, from nothing but its refusals.

One cut per congestion event (half of what it last accepted), a remembered ceiling, a cubic return to just below it,
and rare probes above it, priced by what the last refusal cost. Never faster than the fixed interval, never slower
than one request in ten seconds.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

FLOOR = 0.1  # requests a second: "such as one request per ten seconds" is what people asked for
CUT = 0.5
HOLD = 0.95  # of the ceiling, where the return ends
PROBE_STEP = 1.05
PROBE_SHARE = 0.02  # of the time that a failed probe may cost
PROBE_CALM = 300.0
SLOWEST_RETURN = 60.0
MEMORY = 60.0  # seconds of accepted requests that a ceiling is measured from
ENOUGH = 8  # accepted requests that make a measurement; fewer say nothing about the vendor
# Without a fixed interval nothing bounds the pace until the first refusal; what is learned then stays below this.
FASTEST = 10.0
# A wait longer than this is a penalty rather than the rest of a quota's minute, and no part of the measured time.
PENALTY = 60.0


@dataclass(slots=True)
class Pacer:
    """Hold what is known about one host's pace; times in seconds of `monotonic`, rates in requests a second."""

    ceiling: float | None = None
    cut_at: float = float("-inf")
    price: float = 0.0
    failed_probes: int = 0
    probed_at: float | None = None
    _lifted_at: float = float("-inf")
    _last_sent: float | None = None
    _counted_from: float | None = None
    _busy: float = 0.0  # seconds in which somebody wanted to send
    _grown: float = 0.0  # the same since the last cut, for the return
    _accepted: deque[float] = field(default_factory=lambda: deque(maxlen=1024))  # by busy time

    def rate(self, min_interval: float) -> float:
        """Return the pace now; infinite where neither an interval nor a refusal bounds it."""
        fastest = 1.0 / min_interval if min_interval > 0 else float("inf")
        if self.ceiling is None:
            return fastest
        return min(fastest, max(FLOOR, self._returned(self.ceiling)))

    def interval(self, min_interval: float) -> float:
        """Return the seconds between two requests."""
        return 1.0 / self.rate(min_interval)

    def wait(self, now: float, interval: float) -> float:
        """Return the seconds until the next request may go."""
        return 0.0 if self._last_sent is None else max(0.0, self._last_sent + interval - now)

    def sent(self, now: float, interval: float, *, wanted: bool) -> None:
        """Note that a request leaves now; `wanted` says that it had to wait for its turn.

        Time in which nobody waited is no evidence: the pace must not grow while the caller is the bottleneck.
        """
        gap = 0.0 if self._counted_from is None else max(0.0, now - self._counted_from)
        self._busy += gap if wanted else min(gap, interval)
        if wanted:
            self._grown += min(gap, 2 * interval)
        self._last_sent = self._counted_from = now

    def unsent(self, sent_at: float) -> None:
        """Take back a request that did not leave after all."""
        if self._last_sent == sent_at:
            self._last_sent = None

    def others_sent(self, count: int) -> None:
        """Note requests of other processes: the vendor counts them with ours."""
        self._accepted.extend([self._busy] * count)

    def accepted(self, sent_at: float, now: float, min_interval: float) -> None:
        """Note that the vendor served a request that was sent at `sent_at`."""
        self._accepted.append(self._busy)
        if self.ceiling is not None and sent_at > self.cut_at:
            self._consider_probe(now, min_interval)

    def refused(self, sent_at: float, now: float, delay: float, min_interval: float) -> bool:
        """Cut the pace, once per congestion event; return whether this refusal was one.

        Refusals of requests that left before the last cut belong to it. So does a refusal before anything was
        served: the vendor is still where it was.
        """
        if sent_at <= self.cut_at:
            return False
        served = self._served_since(self._busy - MEMORY)
        if self.ceiling is None or served:
            self._cut(served, delay, min_interval)
        self.cut_at, self.price, self._grown = now, delay, 0.0
        self._forget_penalty(now, delay)
        return True

    def adopt(self, ceiling: float) -> None:
        """Take over a lower ceiling that another process, or an earlier run, has learned."""
        if self.ceiling is None or ceiling < self.ceiling:
            self.ceiling, self._grown = max(FLOOR, ceiling), 0.0

    def _returned(self, ceiling: float) -> float:
        """Return the pace on the cubic curve from half the ceiling back to just below it."""
        duration = min(SLOWEST_RETURN, max(10.0, 10.0 * self.price))
        if self._grown >= duration:
            return HOLD * ceiling
        return HOLD * ceiling + (HOLD - CUT) * ceiling * (self._grown / duration - 1.0) ** 3

    def _cut(self, served: int, delay: float, min_interval: float) -> None:
        pace = min(self.rate(min_interval), FASTEST)
        if served >= ENOUGH:
            shortest = min(10.0, max(1.0, delay))
            pace = min(served / min(MEMORY, max(self._measured(), shortest)), FASTEST)
        self.ceiling = max(FLOOR, pace if self.ceiling is None else min(self.ceiling, pace))
        if self.probed_at is not None:
            self.failed_probes += 1
            self.probed_at = None

    def _served_since(self, start: float) -> int:
        while self._accepted and self._accepted[0] < start:
            self._accepted.popleft()
        return len(self._accepted)

    def _measured(self) -> float:
        return self._busy - self._accepted[0]

    def _forget_penalty(self, now: float, delay: float) -> None:
        """Leave a long block out of the measured time: the pace before it is what the vendor judged."""
        if delay > PENALTY:
            self._counted_from = now + delay
            self._accepted.clear()

    def _consider_probe(self, now: float, min_interval: float) -> None:
        """Lift the ceiling a little, if that has been safe for long enough to pay for being wrong."""
        if self.probed_at is not None and now - self.probed_at >= MEMORY:
            self.failed_probes, self.probed_at = 0, None
        calm = max(PROBE_CALM, self.price / PROBE_SHARE) * 2.0 ** min(self.failed_probes, 10)
        held = self._grown >= SLOWEST_RETURN and self.rate(min_interval) < FASTEST
        if held and self.ceiling is not None and now - max(self.cut_at, self._lifted_at) >= calm:
            self.ceiling *= PROBE_STEP
            self.probed_at = self._lifted_at = now
