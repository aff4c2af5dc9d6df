"""Keep every vendor's window and pace, for everybody who asks."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable
from datetime import datetime, timezone

from ..core.errors import StorageError
from ..core.ports import Clock, JsonObject, Lane, StoredWindow, WindowMemory
from ..net.backoff import cautious_ladder, ladder, padding
from ..net.gate import HostGate
from ..net.policy import GatePolicy
from ..net.slot import Slot

logger = logging.getLogger(__name__)


class RateLimitCoordinator:
    """Hand out slots per host; `policy` is read anew for every request, so that settings act on the next one."""

    def __init__(
        self,
        clock: Clock,
        policy: Callable[[], GatePolicy],
        *,
        rng: random.Random | None = None,
        memory: WindowMemory | None = None,
    ) -> None:
        self._clock, self._policy, self._memory = clock, policy, memory
        self._rng = rng or random.Random()  # noqa: S311 - jitter, not secrets
        self._gates: dict[str, HostGate] = {}
        self._watchers: list[Callable[[str], None]] = []
        self._saving: set[asyncio.Task[None]] = set()
        self._closed_hosts: set[str] = set()

    def __repr__(self) -> str:
        return f"<RateLimitCoordinator [{', '.join(map(_in_words, self.snapshot()))}]>"

    async def load(self) -> None:
        """Restore the windows that an earlier run, or another process, has met."""
        if self._memory is None:
            return
        try:
            rows = await self._memory.load()
        except StorageError:
            logger.warning("The windows of the last run could not be read.")
            return
        for row in rows:
            gate = self._gate(row.key)
            if (news := gate.sharing.news(row)) is not None:
                gate.adopt(*news)
                gate.announce_opening()

    async def close(self) -> None:
        """Refuse everyone who waits and finish writing."""
        for gate in self._gates.values():
            gate.stop()
        await asyncio.gather(*self._saving)

    async def wait_for_slot(self, host: str, deadline: float, lane: Lane = "batch") -> Slot:
        """Return a slot to send with at once; raise `RateLimitError` as soon as none can come before `deadline`.

        `deadline` is in seconds of the clock's `monotonic`. Between this method's last test and its return
        nothing is awaited; the caller must not await anything before it sends either. `finish` must follow.
        """
        return await self._gate(host).enter(lane, deadline)

    def finish(self, slot: Slot) -> None:
        """Give a slot back when its request is over, however it ended."""
        self._gate(slot.host).finish(slot)

    def register_rate_limit(self, host: str, retry_after: float | None, *, slot: Slot | None = None) -> None:
        """Close `host` for `retry_after` seconds, or for the ladder's next step where the vendor named nothing.

        `slot` is the refused request's; what was sent before an earlier refusal was known adds nothing to it.
        """
        gate, policy, now = self._gate(host), self._policy(), self._clock.monotonic()
        sent_at = now if slot is None else slot.sent_at
        news = gate.window.is_new_event(sent_at)
        gate.refused += 1
        gate.window.refuse(now, sent_at)
        if retry_after is None and not news:
            return
        delay = self._ladder(gate.window.refusals, policy) if retry_after is None else retry_after
        gate.pacer.refused(sent_at, now, delay, policy.min_interval_seconds)
        delay += padding(delay, self._rng)
        if gate.window.close(now + delay, delay):
            self._changed(host)
            gate.announce_opening()
            self._save(gate, delay)

    def register_success(self, host: str, *, slot: Slot | None = None) -> None:
        """Note that the vendor served a request; it counts only if it was sent after the window."""
        gate, now = self._gate(host), self._clock.monotonic()
        sent_at = now if slot is None else slot.sent_at
        if gate.window.answered(sent_at):
            gate.pacer.accepted(sent_at, now, self._policy().min_interval_seconds)

    def remaining_seconds(self, host: str) -> float:
        """Return the seconds until the host's window ends, 0 when it is open."""
        gate = self._gates.get(host)
        return 0.0 if gate is None else gate.window.remaining(self._clock.monotonic())

    def in_cooldown(self, host: str) -> bool:
        """Tell whether the host's window is closed."""
        return self.remaining_seconds(host) > 0

    def retry_at(self, host: str) -> float | None:
        """Return when the window ends, in seconds since the epoch; None when it is open."""
        remaining = self.remaining_seconds(host)
        return self._clock.wall() + remaining if remaining > 0 else None

    def note_saved(self, host: str, count: int = 1) -> None:
        """Count look-ups that were answered without a request."""
        self._gate(host).saved += count

    def subscribe(self, callback: Callable[[str], None]) -> Callable[[], None]:
        """Call back with a host whose window closed, was extended or opened; return how to stop."""
        self._watchers.append(callback)
        return lambda: self._watchers.remove(callback) if callback in self._watchers else None

    def snapshot(self) -> list[JsonObject]:
        """Return one row per host for GET /pantry/api/network."""
        return [self._row(gate) for _, gate in sorted(self._gates.items())]

    def _row(self, gate: HostGate) -> JsonObject:
        pace, ceiling = gate.rate(), gate.pacer.ceiling
        return {
            "host": gate.host,
            "window_open": not self.in_cooldown(gate.host),
            "retry_at": self.retry_at(gate.host),
            "remaining_seconds": self.remaining_seconds(gate.host),
            "pace_per_second": None if pace == float("inf") else pace,
            "ceiling_per_second": ceiling,
            "sent": gate.sent,
            "refused": gate.refused,
            "waiting": len(gate.lanes),
            "waiting_interactive": gate.lanes.waiting("interactive"),
            "waiting_batch": gate.lanes.waiting("batch"),
            "saved": gate.saved,
        }

    def _gate(self, host: str) -> HostGate:
        if host not in self._gates:
            self._gates[host] = HostGate(
                host, self._clock, self._policy, rng=self._rng, memory=self._memory, notify=self._changed
            )
        return self._gates[host]

    def _ladder(self, refusals: int, policy: GatePolicy) -> float:
        if policy.cautious_enabled:
            return cautious_ladder(refusals, self._rng)
        return ladder(refusals, base=policy.backoff_base_seconds, cap=policy.backoff_max_seconds)

    def _save(self, gate: HostGate, delay: float) -> None:
        if self._memory is None:
            return
        row = StoredWindow(
            key=gate.host,
            until=self._clock.wall() + delay,
            delay=delay,
            refusals=gate.window.refusals,
            ceiling=gate.pacer.ceiling,
        )
        task = asyncio.get_running_loop().create_task(gate.sharing.save(row))
        self._saving.add(task)
        task.add_done_callback(self._saving.discard)

    def _changed(self, host: str) -> None:
        self._log_change(host)
        for watcher in tuple(self._watchers):
            watcher(host)

    def _log_change(self, host: str) -> None:
        """Say once that a host closed and once that it opened; an extension is no news."""
        retry_at = self.retry_at(host)
        if retry_at is None:
            self._closed_hosts.discard(host)
            logger.info("%s may be asked again.", host)
        elif host not in self._closed_hosts:
            self._closed_hosts.add(host)
            until = datetime.fromtimestamp(retry_at, timezone.utc).strftime("%H:%M:%S UTC")
            logger.info("%s asked us to wait; nothing is sent to it before %s.", host, until)


def _in_words(row: JsonObject) -> str:
    state = "open" if row["window_open"] else f"closed {row['remaining_seconds']:.0f}s"
    return f"{row['host']}: {state}, {row['waiting']} waiting"
