"""Whatever happens in whatever order, the gate keeps its promises."""

from __future__ import annotations

import asyncio
import heapq

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from py.core.errors import RateLimitError
from tests.doubles.fake_clock import FakeClock
from tests.doubles.window_memory import MemoryOfWindows
from tests.services.gate_kit import HOST, Lab

NEVER = float("-inf")
SECONDS = st.sampled_from([0.01, 0.3, 0.75, 2, 16, 31, 70, 700, 2600])
WAITS = st.sampled_from([None, 1, 5, 60, 600, 2520])
LANES = st.sampled_from(["interactive", "batch"])
BUDGETS = st.sampled_from([0.0, 1.0, 20.0, 300.0, 100_000.0])


class QuickClock(FakeClock):
    """Give tasks just enough turns: from a sleeper's wake-up to the caller's send there are six."""

    async def settle(self, rounds=8):
        await super().settle(rounds)

    def wake_next(self):
        """Move to the next sleeper's moment and wake it, and let nobody run yet."""
        when = self.next_wake
        while self._sleepers and self._sleepers[0][0] <= when:
            _, _, future = heapq.heappop(self._sleepers)
            if not future.done():
                future.set_result(None)
        self.now = max(self.now, when)


class Gates(RuleBasedStateMachine):
    """Two processes on one machine, their callers, one vendor, and a clock that somebody plays with."""

    def __init__(self):
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.clock = QuickClock()
        self.labs, self.waiting, self.in_flight = [], [], []
        self.own_until, self.shared_until, self.shared_at = [NEVER, NEVER], NEVER, NEVER
        self.last_send, self.interval, self.stepped = [NEVER, NEVER], 0.75, NEVER
        self.arrived = self.ended = 0
        self.budgets, self.told = {}, []

    def run(self, awaitable):
        return self.loop.run_until_complete(awaitable)

    @initialize(shared=st.booleans(), adaptive=st.booleans(), cautious=st.booleans())
    def open(self, shared, adaptive, cautious):
        self.options = {"adaptive_enabled": adaptive, "cautious_enabled": cautious}
        self.memory = MemoryOfWindows() if shared else None
        self.labs = [self.lab(), self.lab()]

    def lab(self):
        return Lab(memory=self.memory, clock=self.clock, min_interval_seconds=self.interval, **self.options)

    # --- what happens -----------------------------------------------------------------------------------------------

    @rule(which=st.integers(0, 1), lane=LANES, budget=BUDGETS)
    def arrive(self, which, lane, budget):
        self.arrived += 1
        self.waiting.append(self.loop.create_task(self.caller(which, lane, budget)))
        self.run(self.clock.settle(5))

    async def caller(self, which, lane, budget):
        """Wait, check the moment of the send against everything that is known, and stay in flight."""
        clock, lab = self.clock, self.labs[which]
        deadline = clock.monotonic() + budget
        self.budgets[asyncio.current_task()] = which, budget
        try:
            # In this very task: nothing may happen between the gate's test and the checks below.
            slot = await lab.gate.wait_for_slot(HOST, deadline, lane)
        except RateLimitError as error:
            self.told.append(error.retry_at >= clock.wall())
            return
        finally:
            self.ended += 1
        now = slot.sent_at
        assert now - slot.in_line <= deadline + 1e-6, "waited longer than it had"
        assert now >= self.own_until[which], "a send into a window of our own"
        assert now >= self.shared_until or now == self.shared_at, "a send into a window that another process has met"
        assert now - self.last_send[which] >= self.interval - 1e-9, "too close to our last send"
        if self.memory is not None and self.stepped == NEVER:
            assert now - max(self.last_send) >= 0.85 * self.interval, "too close to the other process"
        self.last_send[which] = now
        self.in_flight.append((which, slot))

    @rule(seconds=SECONDS)
    def time_passes(self, seconds):
        self.run(self.clock.advance(seconds))

    @precondition(lambda self: self.in_flight)
    @rule(data=st.data(), outcome=st.sampled_from(["served", "refused", "lost"]), wait=WAITS)
    def answer(self, data, outcome, wait):
        which, slot = self.in_flight.pop(data.draw(st.integers(0, len(self.in_flight) - 1)))
        self.run(self.hear(which, slot, outcome, wait))

    @precondition(lambda self: len(self.in_flight) > 1)
    @rule(which=st.integers(0, 1), wait=WAITS)
    def late_success(self, which, wait):
        """A refusal overtakes the success of a request that was sent before it; then somebody comes."""
        self.run(self.hear(*self.in_flight.pop(), "refused", wait))
        self.run(self.hear(*self.in_flight.pop(0), "served", None))
        self.arrive(which, "batch", 300.0)

    async def hear(self, which, slot, outcome, wait, *, settle=True):
        lab, now = self.labs[which], self.clock.monotonic()
        if outcome == "served":
            lab.gate.register_success(HOST, slot=slot)
        elif outcome == "refused":
            before = lab.gate.remaining_seconds(HOST)
            lab.refuse(wait, slot=slot)
            assert lab.gate.remaining_seconds(HOST) >= max(before, wait or 0), "a window shrank"
            self.own_until[which] = max(self.own_until[which], now + (wait or 0))
            self.share()
        slot.finish()
        if settle:
            await self.clock.settle(5)

    def share(self):
        """A window is everybody's, unless somebody moves the clock that it is written in."""
        if self.memory is not None and self.stepped == NEVER:
            # In the very instant of the refusal the other process cannot know yet.
            self.shared_until, self.shared_at = max(self.own_until), self.clock.monotonic()

    @precondition(lambda self: any(not task.done() for task in self.waiting))
    @rule(data=st.data())
    def cancel(self, data):
        data.draw(st.sampled_from([task for task in self.waiting if not task.done()])).cancel()
        self.run(self.clock.settle(5))

    @precondition(lambda self: self.clock.next_wake is not None)
    @rule(turns=st.integers(0, 7), what=st.sampled_from(["cancel", "refuse", "arrive"]), lane=LANES)
    def race(self, turns, what, lane):
        """Something happens in the very moment in which the sleeper wakes and hands the turn on."""
        self.run(self.wake_and(turns, what, lane))

    async def wake_and(self, turns, what, lane):
        self.clock.wake_next()
        for _ in range(turns):
            await asyncio.sleep(0)
        alive = [task for task in self.waiting if not task.done()]
        if what == "cancel":
            for task in alive[:-1]:
                task.cancel()
        elif what == "arrive":
            self.arrived += 1
            self.waiting.append(self.loop.create_task(self.caller(0, lane, 300.0)))
        elif what == "refuse" and self.in_flight:
            await self.hear(*self.in_flight.pop(0), "refused", 60, settle=False)
        await self.clock.settle()

    @rule(seconds=st.sampled_from([-3600, 3600]))
    def clock_is_moved(self, seconds):
        self.clock.step_wall(seconds)
        self.stepped = self.clock.monotonic()
        self.shared_until = NEVER

    @rule(which=st.integers(0, 1))
    def restart(self, which):
        """A process ends and starts again: what it knew is what it has written."""
        old = self.labs[which]
        self.run(old.close())
        self.in_flight = [one for one in self.in_flight if one[0] != which]
        self.own_until[which], self.last_send[which] = NEVER, NEVER
        self.labs[which] = self.lab()
        self.run(self.labs[which].gate.load())

    # --- what always holds ------------------------------------------------------------------------------------------

    @invariant()
    def one_sleeper_per_host(self):
        assert self.clock.sleeping <= len(self.labs)

    @invariant()
    def nobody_is_lost_and_nobody_counts_twice(self):
        alive = sum(not task.done() for task in self.waiting)
        shown = sum(row["waiting"] for lab in self.labs for row in lab.gate.snapshot())
        assert self.arrived == self.ended + alive
        assert shown == alive

    @invariant()
    def nobody_waits_for_a_window_that_is_too_long(self):
        for task in self.waiting:
            which, budget = self.budgets.get(task, (0, float("inf")))
            assert task.done() or self.labs[which].gate.remaining_seconds(HOST) <= budget

    @invariant()
    def nobody_is_told_to_come_back_in_the_past(self):
        assert all(self.told)

    @invariant()
    def no_caller_has_failed(self):
        for task in self.waiting:
            if task.done() and not task.cancelled():
                task.result()

    async def finish_all(self):
        for _, slot in self.in_flight:
            slot.finish()
        self.in_flight.clear()

    def teardown(self):
        """In the end everyone who may still wait is served or told: no turn is lost, no window stays shut."""
        try:
            for _ in range(400 if self.labs else 0):
                self.run(self.finish_all())
                if all(task.done() for task in self.waiting):
                    break
                self.run(self.clock.advance(600))
            self.no_caller_has_failed()
            assert all(task.done() for task in self.waiting), "somebody waits for ever"
        finally:
            for lab in self.labs:
                self.run(lab.close())
            self.loop.close()


Gates.TestCase.settings = settings(max_examples=50, stateful_step_count=30, deadline=None)
TestGates = Gates.TestCase
