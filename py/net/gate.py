"""Know when the next request may go to one host: window, pace, quota, caution and the other processes."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from ..core.errors import RateLimitError
from ..core.ports import Clock, JsonObject, Lane, StoredWindow, WindowMemory
from .backoff import cautious_ladder, ladder, padding
from .pacing import Pacer
from .pause import Pause
from .policy import GatePolicy
from .quota import Quota
from .sharing import Sharing
from .slot import Slot
from .turnstile import Turnstile
from .window import PROBE_PATIENCE, Window

CAUTIOUS_PAUSE = (10.0, 20.0)  # seconds between two batch requests, at random
# The next request waits so long for the last one's answer: it may be a refusal that is on its way. An interval that is
# shorter than answers travel makes it one request at a time.
HEED, HEED_AT_SHORT_INTERVALS, SHORT_INTERVAL = 0.2, 1.0, 0.1


class HostGate:
    """Keep what is known about one host (or one bucket of it), and let its requests through.

    `notify` is called with the name when the window closes, grows or opens.
    """

    def __init__(
        self,
        name: str,
        clock: Clock,
        policy: Callable[[], GatePolicy],
        *,
        rng: Random,
        memory: WindowMemory | None,
        notify: Callable[[str], None],
    ) -> None:
        self.name = name
        self.window, self.pause, self.pacer, self.quota = Window(), Pause(), Pacer(), Quota()
        self.sharing = Sharing(name, clock, memory)
        self.sent = self.refused = self.saved = 0
        self._clock, self._policy, self._rng, self._notify = clock, policy, rng, notify
        self._turnstile = Turnstile(clock, self)
        self._opening_is_news = False
        self._last: Slot | None = None
        self._batch_in_flight = 0
        self._cautious_until = float("-inf")

    # --- one request ------------------------------------------------------------------------------------------------

    async def enter(self, lane: Lane, deadline: float) -> Slot:
        """Return a slot to send with at once; raise `RateLimitError` once the host is closed beyond `deadline`."""
        came, closed = self._clock.monotonic(), self.closed_clock()
        place = self._turnstile.ask(lane, deadline)
        if place is not None:
            await self._turnstile.wait_in(place)
        slot = self._sent(lane, wanted=place is not None)
        slot.in_line = slot.sent_at - came - (self.closed_clock() - closed)
        return slot

    def _sent(self, lane: Lane, *, wanted: bool) -> Slot:
        now, policy = self._clock.monotonic(), self._policy()
        self.pacer.sent(now, self._interval(policy), wanted=wanted)
        self.quota.sent(now)
        self.window.sent(now)
        self.sharing.sent()
        self.sent += 1
        if lane == "batch":
            self._batch_in_flight += 1
            self._cautious_until = now + self._rng.uniform(*CAUTIOUS_PAUSE) if policy.cautious_enabled else now
        if self._turnstile.lanes:
            self._turnstile.wake()
        self._last = Slot(gate=self, lane=lane, sent_at=now)
        return self._last

    def finish(self, slot: Slot) -> None:
        """Note that a request is over, however it ended; more than once does no harm."""
        if slot.finished:
            return
        slot.finished = True
        self._batch_in_flight -= slot.lane == "batch"
        self.window.abandoned(slot.sent_at)
        self._turnstile.wake()

    def refund(self, slot: Slot) -> None:
        """Take back a slot with which nothing was sent."""
        if not slot.finished:
            self.sent -= 1
            self.pacer.unsent(slot.sent_at)
            self.finish(slot)

    # --- answers ----------------------------------------------------------------------------------------------------

    def served(self, sent_at: float) -> None:
        """Note that the vendor served a request; it counts only if it was sent after the window."""
        if self.window.answered(sent_at):
            policy = self._policy()
            self.quota.accepted()
            self.pacer.accepted(sent_at, self._clock.monotonic(), policy.min_interval_seconds)

    def refuse(self, retry_after: float | None, sent_at: float, at: float) -> None:
        """Close the window from `at` on, for the named seconds or for the ladder's next step.

        A refusal of a request that left before an earlier one was known belongs to that one: it neither climbs
        the ladder nor cuts the pace, and closes nothing unless it names a later end.
        """
        self.refused += 1
        news = self.window.is_new_event(sent_at)
        self.window.refuse(at, sent_at)
        if retry_after is None and not news:
            return
        policy = self._policy()
        delay = self._ladder(policy) if retry_after is None else retry_after
        if news:
            self.pacer.refused(sent_at, at, delay, policy.min_interval_seconds)
            self.quota.refused(at, delay)
        delay += padding(delay, self._rng)
        if self.close(delay, at):
            self._share(delay)

    def close(self, delay: float, at: float) -> bool:
        """Send nothing for `delay` seconds from `at`; return False where that is no news."""
        if not self.window.close(self._clock.monotonic(), at + delay, delay):
            return False
        self._opening_is_news = True
        self._notify(self.name)
        self._turnstile.wake()
        return True

    def adopt(self, row: StoredWindow | None) -> None:
        """Take over what another process, or an earlier run, knows."""
        news = self.sharing.news(row)
        if news is None:
            return
        remaining, stored = news
        if stored.ceiling is not None:
            self.pacer.adopt(stored.ceiling)
        self.window.refusals = max(self.window.refusals, stored.refusals)
        if remaining > 0:
            self.close(remaining, self._clock.monotonic())

    def try_now(self) -> None:
        """Let one request through a closed window, or end a pause, because a person asked for it."""
        self.window.permit(self._clock.monotonic())
        self.pause.lift()
        self._turnstile.wake()

    def stop(self) -> None:
        """Refuse everyone who waits and sleep no more."""
        self._opening_is_news = False
        self._turnstile.refuse_all()

    # --- what there is to see ---------------------------------------------------------------------------------------

    def remaining(self) -> float:
        """Return the seconds until batch requests may go again, as far as window and quota are concerned."""
        now = self._clock.monotonic()
        return max(self.window.remaining(now), self.quota.wait("batch", now))

    def rest(self) -> float:
        """Return the seconds until the host is asked again: its window, its quota, and a pause whose end is known."""
        pause = 0.0 if self.pause.for_good else self.pause.remaining(self._clock.monotonic())
        return max(self.remaining(), pause)

    def row(self) -> JsonObject:
        """Return this host's row of GET /pantry/api/network."""
        remaining, pace, lanes = self.rest(), self._interval(self._policy()), self._turnstile.lanes
        return {
            "host": self.name,
            "window_open": remaining <= 0,
            "retry_at": self._clock.wall() + remaining if remaining > 0 else None,
            "remaining_seconds": remaining,
            "pace_per_second": 1.0 / pace if pace > 0 else None,
            "ceiling_per_second": self.pacer.ceiling,
            "sent": self.sent,
            "refused": self.refused,
            "waiting": len(lanes),
            "waiting_interactive": lanes.waiting("interactive"),
            "waiting_batch": lanes.waiting("batch"),
            "saved": self.saved,
            "paused_because": self.pause.reason if self.pause.remaining(self._clock.monotonic()) else None,
        }

    # --- the turnstile's rules --------------------------------------------------------------------------------------

    def wait(self, lane: Lane, now: float) -> float:
        """Return the seconds until the first of a lane may go."""
        policy = self._policy()
        closed = self.closed(lane, now)
        if not policy.gate_enabled:
            return closed
        pace = max(self.pacer.wait(now, self._interval(policy)), self.sharing.wait(now))
        wait = max(self.window.wait(now), closed, pace, self._heed(policy, now))
        return max(wait, self._caution(now)) if lane == "batch" and policy.cautious_enabled else wait

    def closed(self, lane: Lane, now: float) -> float:
        """Return the seconds for which a lane is closed by the vendor's window or quota, whatever the pace."""
        policy = self._policy()
        if not policy.gate_enabled:
            return float("inf") if self.window.is_closed(now) else 0.0
        if self.window.permitted(now):
            return 0.0
        return max(self.window.remaining(now), self.quota.wait(lane, now) if policy.adaptive_enabled else 0.0)

    def closed_clock(self) -> float:
        """Return the seconds for which the window has been closed altogether."""
        return self.window.closed_clock(self._clock.monotonic())

    def refusal(self, wait: float) -> RateLimitError:
        """Return the error for someone whose wait is longer than they have."""
        wait = self.remaining() if wait == float("inf") else wait
        return RateLimitError(
            f"{self.name} asked us to wait, for longer than this request may take.",
            host=self.name,
            retry_after=wait,
            retry_at=self._clock.wall() + wait,
            gate_handled=True,
        )

    @property
    def ready(self) -> bool:
        """Whether the other processes need not be asked."""
        return self.sharing.ready

    async def prepare(self, now: float) -> None:
        """Take a turn among the processes of this machine, and hear what they know."""
        self.adopt(await self.sharing.consult(now, self._interval(self._policy())))
        self.pacer.others_sent(self.sharing.take_others())

    def stale(self) -> None:
        """Note that time has passed since the others were asked."""
        self.sharing.stale()

    def news_in(self, now: float) -> float | None:
        """Return the seconds until watchers must hear that the window is open."""
        return self.window.remaining(now) if self._opening_is_news else None

    def tell(self) -> None:
        """Tell watchers that the window is open."""
        self._opening_is_news = False
        self._notify(self.name)

    def _share(self, delay: float) -> None:
        until = self._clock.wall() + self.window.remaining(self._clock.monotonic())
        refusals, ceiling = self.window.refusals, self.pacer.ceiling
        self.sharing.save_soon(
            StoredWindow(key=self.name, until=until, delay=delay, refusals=refusals, ceiling=ceiling)
        )

    def _interval(self, policy: GatePolicy) -> float:
        if not policy.gate_enabled:
            return 0.0
        fixed = policy.min_interval_seconds
        return self.pacer.interval(fixed) if policy.adaptive_enabled else fixed

    def _heed(self, policy: GatePolicy, now: float) -> float:
        last = self._last
        if last is None or last.finished:
            return 0.0
        heed = HEED_AT_SHORT_INTERVALS if policy.min_interval_seconds < SHORT_INTERVAL else HEED
        return max(0.0, last.sent_at + heed - now)

    def _caution(self, now: float) -> float:
        return PROBE_PATIENCE if self._batch_in_flight else self._cautious_until - now

    def _ladder(self, policy: GatePolicy) -> float:
        if policy.cautious_enabled:
            return cautious_ladder(self.window.refusals, self._rng)
        return ladder(self.window.refusals, base=policy.backoff_base_seconds, cap=policy.backoff_max_seconds)
