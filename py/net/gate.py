"""Let the requests to one host through, one at a time: window, pace, turn.

However many wait, one task sleeps. It hands the turn to the first in line; that caller tests the gate once more,
with no await between the test and its return, and only then takes the slot. Whoever is cancelled, at whatever
moment, passes the turn on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from random import Random

from ..core.errors import RateLimitError
from ..core.ports import Clock, Lane, WindowMemory
from .lanes import Lanes, Ticket
from .pacing import Pacer
from .policy import GatePolicy
from .sharing import Sharing
from .slot import Slot
from .window import PROBE_PATIENCE, Window

Waiter = Ticket["asyncio.Future[None]"]

# The policy may change and the machine may be suspended while the task sleeps: look again this often.
LONGEST_NAP = 15.0
# Rounding must not make it spin just before its moment.
SHORTEST_NAP = 0.001
# Thousands who are refused at once are told in portions, so that the loop stays free.
PORTION = 50


class HostGate:
    """Keep one host's queue, window and pace."""

    def __init__(
        self,
        host: str,
        clock: Clock,
        policy: Callable[[], GatePolicy],
        *,
        rng: Random,
        memory: WindowMemory | None,
        notify: Callable[[str], None],
    ) -> None:
        self.host = host
        self.window = Window()
        self.pacer = Pacer()
        self.lanes: Lanes[asyncio.Future[None]] = Lanes()
        self.sent = self.refused = self.saved = 0
        self.sharing = Sharing(host, clock, memory)
        self._clock, self._policy, self._rng, self._notify = clock, policy, rng, notify
        self._turn_of: Waiter | None = None
        self._sleeper: asyncio.Task[None] | None = None
        self._nap_until: float | None = None
        self._opening_is_news = False
        self._batch_in_flight = 0
        self._cautious_until = float("-inf")

    # --- callers ----------------------------------------------------------------------------------------------------

    async def enter(self, lane: Lane, deadline: float) -> Slot:
        """Wait for a slot; raise `RateLimitError` as soon as it is known that none comes before `deadline`."""
        now = self._clock.monotonic()
        wait = self.known_wait(lane, now)
        if now + wait > deadline:
            raise self._refusal(wait)
        if wait <= 0 and self._turn_of is None and not self.sharing.enabled:
            return self._go(lane, now, wanted=False)
        ticket: Waiter = Ticket(lane, now, deadline, asyncio.get_running_loop().create_future())
        self.lanes.join(ticket)
        self._wake_for(ticket)
        return await self._take_turn(ticket)

    def known_wait(self, lane: Lane, now: float) -> float:
        """Return the seconds that someone who comes now has to wait at least, with the queue before it."""
        ahead = self.lanes.ahead(lane)
        return self.wait(lane, now) + ahead * self._interval() if ahead else self.wait(lane, now)

    def wait(self, lane: Lane, now: float) -> float:
        """Return the seconds until the first in line may go."""
        policy = self._policy()
        if not policy.gate_enabled:
            return float("inf") if self.window.is_closed(now) else 0.0
        waits = [self.window.wait(now), self.pacer.wait(now, self._interval()), self.sharing.wait(now)]
        if lane == "batch" and policy.cautious_enabled:
            waits += [self._cautious_until - now, PROBE_PATIENCE if self._batch_in_flight else 0.0]
        return max(waits)

    def rate(self) -> float:
        """Return the present pace in requests a second."""
        return 1.0 / interval if (interval := self._interval()) > 0 else float("inf")

    def finish(self, slot: Slot) -> None:
        """Note that a request is over, however it ended; more than once does no harm."""
        if slot.finished:
            return
        slot.finished = True
        self._batch_in_flight -= slot.lane == "batch"
        self.window.abandoned(slot.sent_at)
        self._wake()

    def refund(self, slot: Slot) -> None:
        """Take back a slot with which nothing was sent."""
        self.sent -= 1
        self.pacer.unsent(slot.sent_at)
        self.finish(slot)

    # --- the turn ---------------------------------------------------------------------------------------------------

    async def _take_turn(self, ticket: Waiter) -> Slot:
        while True:
            try:
                await ticket.value
            except BaseException:  # cancelled or refused: leave no trace, and let the next one go
                self._withdraw(ticket)
                raise
            self._turn_of = None
            now = self._clock.monotonic()
            if self.wait(ticket.lane, now) <= 0:
                return self._go(ticket.lane, now, wanted=True)
            ticket.value = asyncio.get_running_loop().create_future()
            self.lanes.rejoin(ticket)
            self._wake()

    def _withdraw(self, ticket: Waiter) -> None:
        self.lanes.leave(ticket)
        if self._turn_of is ticket:
            self._turn_of = None
        self._wake()

    def _go(self, lane: Lane, now: float, *, wanted: bool) -> Slot:
        policy = self._policy()
        self.pacer.sent(now, self._interval(), wanted=wanted)
        self.window.sent(now)
        self.sharing.sent()
        self.sent += 1
        if lane == "batch":
            self._batch_in_flight += 1
            self._cautious_until = now + self._rng.uniform(10.0, 20.0) if policy.cautious_enabled else now
        if self.lanes:
            self._wake()
        return Slot(host=self.host, lane=lane, sent_at=now)

    def _interval(self) -> float:
        policy = self._policy()
        if not policy.gate_enabled:
            return 0.0
        if not policy.adaptive_enabled:
            return policy.min_interval_seconds
        return self.pacer.interval(policy.min_interval_seconds)

    def _refusal(self, wait: float) -> RateLimitError:
        if wait == float("inf"):
            wait = self.window.remaining(self._clock.monotonic())
        return RateLimitError(
            f"{self.host} asked us to wait; the wait is longer than this request may take.",
            host=self.host,
            retry_after=wait,
            retry_at=self._clock.wall() + wait,
            gate_handled=True,
        )

    # --- the one sleeper --------------------------------------------------------------------------------------------

    def announce_opening(self) -> None:
        """See to it that watchers hear when the window ends, even if nobody waits."""
        self._opening_is_news = True
        self._wake()

    def stop(self) -> None:
        """End the sleeper and refuse everyone who waits."""
        self._opening_is_news = False
        for ticket in self.lanes.hopeless(float("inf"), len(self.lanes)):
            self._refuse(ticket, self.window.remaining(self._clock.monotonic()))
        self._wake()

    def _wake_for(self, ticket: Waiter) -> None:
        """Start the sleeper, or wake it where the newcomer changes what it waits for."""
        napping = self._nap_until
        if napping is None or ticket.deadline < napping or ticket.lane == "interactive":
            self._wake()

    def _wake(self) -> None:
        if self._sleeper is not None and self._nap_until is None:
            return  # awake: it looks again before it sleeps or ends
        if self._sleeper is not None:
            self._sleeper.cancel()
            self._sleeper = self._nap_until = None
        if self._has_work():
            self._sleeper = asyncio.get_running_loop().create_task(self._serve(), name=f"gate {self.host}")

    def _has_work(self) -> bool:
        return (bool(self.lanes) and self._turn_of is None) or self._opening_is_news

    async def _serve(self) -> None:
        """Sleep until the first in line may go, hand it the turn, and end; start anew for the next."""
        me = asyncio.current_task()
        try:
            while self._has_work():
                if await self._step():
                    continue
                break
        finally:
            if self._sleeper is me:
                self._sleeper = self._nap_until = None

    async def _step(self) -> bool:
        """Do the next thing; return whether there may be more to do."""
        now = self._clock.monotonic()
        self._tell_opening(now)
        lane = self.lanes.next_lane(now) if self._turn_of is None else None
        if lane is None:
            return await self._nap(now, self.window.remaining(now)) if self._opening_is_news else False
        wait = self.wait(lane, now)
        if await self._refused_hopeless(now + wait, wait):
            return True
        if wait > 0:
            return await self._nap(now, wait)
        if not self.sharing.ready:
            await self._consult(now)
            return True
        self._hand_turn(lane)
        return True

    async def _nap(self, now: float, wait: float) -> bool:
        until = min(now + wait, now + LONGEST_NAP, self.lanes.next_deadline() or float("inf"))
        self._nap_until = until
        await self._clock.sleep(max(until - now, SHORTEST_NAP))
        self._nap_until = None
        self.sharing.stale()
        return True

    async def _consult(self, now: float) -> None:
        other = await self.sharing.consult(now, self._interval())
        if other is not None:
            self.adopt(*other)

    def adopt(self, remaining: float, delay: float, refusals: int, ceiling: float | None) -> None:
        """Take over what another process, or an earlier run, knows: `remaining` and `delay` in seconds."""
        if ceiling is not None:
            self.pacer.adopt(ceiling)
        self.window.refusals = max(self.window.refusals, refusals)
        if remaining > 0 and self.window.close(self._clock.monotonic() + remaining, delay):
            self._notify(self.host)
            self._opening_is_news = True

    def _hand_turn(self, lane: Lane) -> None:
        ticket = self.lanes.take(lane)
        if not ticket.value.done():  # done: cancelled, and about to find itself gone
            self._turn_of = ticket
            ticket.value.set_result(None)

    async def _refused_hopeless(self, earliest: float, wait: float) -> bool:
        hopeless = self.lanes.hopeless(earliest, PORTION)
        for ticket in hopeless:
            self._refuse(ticket, wait)
        if hopeless:
            await asyncio.sleep(0)
        return bool(hopeless)

    def _refuse(self, ticket: Waiter, wait: float) -> None:
        if not ticket.value.done():
            ticket.value.set_exception(self._refusal(wait))

    def _tell_opening(self, now: float) -> None:
        if self._opening_is_news and not self.window.is_closed(now):
            self._opening_is_news = False
            self._notify(self.host)
