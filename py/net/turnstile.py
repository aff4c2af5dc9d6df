"""Let callers through one at a time, and let one task sleep however many wait.

When the moment has come the task hands the turn to the first in line and ends. That caller tests the rules once
more, with no await between the test and its return, and only then goes. Whoever is cancelled, at whatever moment,
passes the turn on. What the rules are is none of this module's business.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Protocol

from ..core.ports import Clock, Lane
from .lanes import Lanes, Ticket

logger = logging.getLogger(__name__)

Waiter = Ticket["asyncio.Future[None]"]

# The rules may change and the machine may be suspended while the task sleeps: look again this often.
LONGEST_NAP = 15.0
# Rounding must not make it spin just before its moment.
SHORTEST_NAP = 0.001
# Thousands who are refused at once are told in portions, so that the loop stays free.
PORTION = 50


class Rules(Protocol):
    """Say when the next caller may go."""

    name: str

    def wait(self, lane: Lane, now: float) -> float:
        """Return the seconds until the first of a lane may go; 0 for now, infinity for never."""
        ...

    def closed(self, lane: Lane, now: float) -> float:
        """Return the seconds for which a lane is shut; this alone uses up patience, standing in line does not."""
        ...

    def closed_clock(self) -> float:
        """Return a time that runs only while it is shut."""
        ...

    def refusal(self, wait: float) -> Exception:
        """Return the error for someone who would have to wait `wait` seconds, too long for them."""
        ...

    @property
    def ready(self) -> bool:
        """Whether nobody outside has to be asked before the next caller goes."""
        ...

    async def prepare(self, now: float) -> None:
        """Ask whoever is outside."""
        ...

    def stale(self) -> None:
        """Note that time has passed since."""
        ...

    def news_in(self, now: float) -> float | None:
        """Return the seconds until something has to be told though nobody waits; None for nothing."""
        ...

    def tell(self) -> None:
        """Tell it."""
        ...


class Turnstile:
    """Hold the queue of one host."""

    def __init__(self, clock: Clock, rules: Rules) -> None:
        self.lanes: Lanes[asyncio.Future[None]] = Lanes()
        self._clock, self._rules = clock, rules
        self._turn_of: Waiter | None = None
        self._sleeper: asyncio.Task[None] | None = None
        self._nap_until: float | None = None

    def ask(self, lane: Lane, deadline: float) -> Waiter | None:
        """Return None where the caller may go at once, else its place in the queue, to `wait_in`.

        Raise the rules' refusal where it is known to be shut beyond `deadline`.
        """
        now = self._clock.monotonic()
        closed, wait = self._rules.closed(lane, now), self._rules.wait(lane, now)
        if closed > 0 and now + closed > deadline:
            raise self._rules.refusal(closed)
        if wait <= 0 and not self.lanes and self._turn_of is None and self._rules.ready:
            return None
        patience_until = self._rules.closed_clock() + max(0.0, deadline - now)
        ticket: Waiter = Ticket(lane, now, patience_until, asyncio.get_running_loop().create_future())
        self.lanes.join(ticket)
        self._wake_for(ticket, now + wait)
        return ticket

    async def wait_in(self, ticket: Waiter) -> None:
        """Return when the caller must go, now; raise the refusal once the turn cannot come in time any more."""
        while True:
            try:
                await ticket.value
            except BaseException:  # cancelled or refused: leave no trace, and let the next one go
                self._withdraw(ticket)
                raise
            self._turn_of = None
            if self._rules.wait(ticket.lane, self._clock.monotonic()) <= 0:
                return
            ticket.value = asyncio.get_running_loop().create_future()
            self.lanes.rejoin(ticket)
            self.wake()

    def refuse_all(self) -> None:
        """Send everyone home."""
        for ticket in self.lanes.clear():
            self._refuse(ticket, self._rules.closed(ticket.lane, self._clock.monotonic()))
        self.wake()

    def wake(self) -> None:
        """Look again: something has changed that may let somebody go, or there is nobody left."""
        if self._sleeper is not None and self._nap_until is None:
            return  # awake: it looks again before it sleeps or ends
        if self._sleeper is not None:
            self._sleeper.cancel()
            self._sleeper = self._nap_until = None
        if self._has_work():
            name = f"gate {self._rules.name}"
            self._sleeper = asyncio.get_running_loop().create_task(self._serve(), name=name)

    def _withdraw(self, ticket: Waiter) -> None:
        self.lanes.leave(ticket)
        had_the_turn = self._turn_of is ticket
        if had_the_turn:
            self._turn_of = None
        if had_the_turn or not self.lanes:
            self.wake()

    def _wake_for(self, newcomer: Waiter, may_go_at: float) -> None:
        """Start the sleeper, or wake it where the newcomer changes what it waits for."""
        if self._nap_until is None or newcomer.lane == "interactive" or may_go_at < self._nap_until:
            self.wake()

    # --- the one sleeper --------------------------------------------------------------------------------------------

    def _has_work(self) -> bool:
        someone = bool(self.lanes) and self._turn_of is None
        return someone or self._rules.news_in(self._clock.monotonic()) is not None

    async def _serve(self) -> None:
        me = asyncio.current_task()
        try:
            while self._has_work():
                await self._step()
        except Exception as error:  # a defect, wherever it is, must not leave anyone waiting for ever
            logger.exception("The gate of %s failed.", self._rules.name)
            self._fail_all(error)
        finally:
            if self._sleeper is me:
                self._sleeper = self._nap_until = None

    async def _step(self) -> None:
        """Do the next thing: tell news, hand the turn, refuse the hopeless, ask outside, or sleep."""
        now = self._clock.monotonic()
        news_in = self._rules.news_in(now)
        if news_in is not None and news_in <= 0:
            self._rules.tell()
            return
        lanes = self.lanes.order(now) if self._turn_of is None else []
        for lane in lanes:
            if await self._refused_hopeless(lane, now):
                return
        waits = {lane: self._rules.wait(lane, now) for lane in lanes}
        free = [lane for lane, wait in waits.items() if wait <= 0]
        if not free:
            others = () if news_in is None else (news_in,)
            await self._nap(now, min((*waits.values(), *others), default=LONGEST_NAP))
        elif not self._rules.ready:
            await self._rules.prepare(now)
        else:
            self._hand_turn(free[0])

    async def _nap(self, now: float, wait: float) -> None:
        self._nap_until = now + min(wait, LONGEST_NAP)
        await self._clock.sleep(max(self._nap_until - now, SHORTEST_NAP))
        self._nap_until = None
        self._rules.stale()

    def _hand_turn(self, lane: Lane) -> None:
        ticket = self.lanes.take(lane)
        if not ticket.value.done():  # done: cancelled, and about to find itself gone
            self._turn_of = ticket
            ticket.value.set_result(None)

    async def _refused_hopeless(self, lane: Lane, now: float) -> bool:
        """Send those home whose patience ends before a lane opens; return whether there were any."""
        closed = self._rules.closed(lane, now)
        opens = self._rules.closed_clock() + closed
        hopeless = self.lanes.hopeless(lane, opens, PORTION) if closed > 0 else []
        for ticket in hopeless:
            self._refuse(ticket, closed)
        if hopeless:
            await asyncio.sleep(0)
        return bool(hopeless)

    def _fail_all(self, error: Exception) -> None:
        for ticket in self.lanes.clear():
            if not ticket.value.done():
                ticket.value.set_exception(error)

    def _refuse(self, ticket: Waiter, wait: float) -> None:
        if not ticket.value.done():
            ticket.value.set_exception(self._rules.refusal(wait))
