"""Find the gate of a host, of one of its buckets, or of a route family that is paused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

from ..core.ports import Clock, Lane, WindowMemory
from .gate import HostGate
from .policy import GatePolicy, OncePerTurn
from .slot import Slot

Policy = Callable[[], GatePolicy]


def downloads_of(host: str) -> str:
    """Name the bucket for a host's files: a download quota must not close its API."""
    return f"{host} downloads"


class Buckets:
    """Make gates as they are needed; `notify` is called with a gate's name when its window changes."""

    def __init__(
        self, clock: Clock, policy: Policy, *, rng: Random, memory: WindowMemory | None, notify: Callable[[str], None]
    ) -> None:
        self._clock, self._policy, self._rng = clock, OncePerTurn(policy), rng
        self._memory, self._notify = memory, notify
        self._gates: dict[str, HostGate] = {}
        self._families: dict[tuple[str, str], HostGate] = {}

    def all(self) -> list[HostGate]:
        """Return every gate, families included."""
        return [*self._gates.values(), *self._families.values()]

    def visible(self) -> list[HostGate]:
        """Return the gates worth showing, by name: families only while they are closed."""
        families = [gate for gate in self._families.values() if gate.remaining() > 0]
        return sorted((*self._gates.values(), *families), key=lambda gate: gate.name)

    def find(self, host: str) -> HostGate | None:
        """Return a host's gate, None where nothing is known about it."""
        return self._gates.get(self._shared(host))

    def gate(self, host: str) -> HostGate:
        """Return a host's gate, made where there is none."""
        name = self._shared(host)
        if name not in self._gates:
            self._gates[name] = self._made(name, self._policy, self._memory)
        return self._gates[name]

    def family(self, host: str, family: str) -> HostGate:
        """Return the gate of a route family: a window without a pace, not shared, because it is short."""
        key = (self._shared(host), family)
        if key not in self._families:
            self._families[key] = self._made(f"{key[0]} /{family}", self._unpaced, None)
        return self._families[key]

    async def enter(self, host: str, family: str, lane: Lane, deadline: float) -> Slot:
        """Return a slot of the host, and of its family where that has been paused."""
        while True:
            passed = await self._family_pass(host, family, lane, deadline)
            try:
                slot = await self.gate(host).enter(lane, deadline)
            except BaseException:  # refused or cancelled: the family's pass goes to the next
                if passed is not None:
                    passed.refund()
                raise
            slot.family = passed
            if not self._paused_meanwhile(host, family, lane, passed):
                return slot
            slot.refund()

    async def _family_pass(self, host: str, family: str, lane: Lane, deadline: float) -> Slot | None:
        gate = self._families.get((self._shared(host), family))
        return None if gate is None else await gate.enter(lane, deadline)

    def _paused_meanwhile(self, host: str, family: str, lane: Lane, passed: Slot | None) -> bool:
        gate = self._families.get((self._shared(host), family))
        if gate is None:
            return False
        now = self._clock.monotonic()
        return gate.window.is_closed(now) or (passed is None and gate.wait(lane, now) > 0)

    def _shared(self, host: str) -> str:
        """Return the first of the hosts that share one window, if `host` is among them."""
        aliases = self._policy().shared_hosts
        return aliases[0] if host in aliases else host

    def _unpaced(self) -> GatePolicy:
        return replace(self._policy(), min_interval_seconds=0.0, adaptive_enabled=False, cautious_enabled=False)

    def _made(self, name: str, policy: Policy, memory: WindowMemory | None) -> HostGate:
        return HostGate(name, self._clock, policy, rng=self._rng, memory=memory, notify=self._notify)
