"""Keep every vendor's window and pace, for everybody who asks."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Coroutine
from datetime import datetime, timezone
from typing import Any

from ..core.errors import RegionBlockedError, StorageError, UnreachableError
from ..core.ports import Clock, JsonObject, Lane, WindowMemory
from ..net.buckets import Buckets
from ..net.policy import GatePolicy
from ..net.slot import Slot

logger = logging.getLogger(__name__)


class RateLimitCoordinator:
    """Hand out slots per host; `policy` is read anew for every request, so that settings act on the next one.

    A host may have further buckets, named ``host downloads`` and ``host /family``: a download quota must not close
    the API, and an overloaded route must not close the host. `memory` shares windows between processes.
    """

    def __init__(
        self,
        clock: Clock,
        policy: Callable[[], GatePolicy],
        *,
        rng: random.Random | None = None,
        memory: WindowMemory | None = None,
    ) -> None:
        self._clock, self._memory = clock, memory
        rng = rng or random.Random()  # noqa: S311 - jitter, not secrets
        self._buckets = Buckets(clock, policy, rng=rng, memory=memory, notify=self._changed)
        self._watchers: list[Callable[[str], None]] = []
        self._known_closed: set[str] = set()

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
            self._buckets.gate(row.key).adopt(row)

    async def close(self) -> None:
        """Refuse everyone who waits and finish writing."""
        for gate in self._buckets.all():
            gate.stop()
            await gate.sharing.flush()

    # --- one request ------------------------------------------------------------------------------------------------

    def wait_for_slot(
        self, host: str, deadline: float, lane: Lane = "batch", *, family: str = ""
    ) -> Coroutine[Any, Any, Slot]:
        """Await a slot to send with at once; raise `RateLimitError` as soon as none can come before `deadline`.

        `deadline` is in seconds of the clock's `monotonic`. Between this method's last test and its return
        nothing is awaited; the caller must not await anything before it sends either. `finish` must follow.
        """
        return self._buckets.enter(host, family, lane, deadline)

    def finish(self, slot: Slot) -> None:
        """Give a slot back when its request is over, however it ended."""
        slot.finish()

    def refund(self, slot: Slot) -> None:
        """Give a slot back with which nothing was sent."""
        slot.refund()

    def register_rate_limit(
        self, host: str, retry_after: float | None, *, slot: Slot | None = None, at: float | None = None
    ) -> None:
        """Close `host` for `retry_after` seconds, or for the ladder's next step where the vendor named nothing.

        `slot` is the refused request's, `at` the moment its headers came (default: now). What was sent before an
        earlier refusal was known adds nothing to it but a later end.
        """
        now = self._clock.monotonic()
        sent_at = now if slot is None else slot.sent_at
        self._buckets.gate(host).refuse(retry_after, sent_at, now if at is None else at)

    def register_success(self, host: str, *, slot: Slot | None = None) -> None:
        """Note that the vendor served a request; it counts only if it was sent after the window."""
        gate = self._buckets.gate(host)
        gate.pause.made_sense()
        if slot is None:
            gate.served(self._clock.monotonic())
        else:
            slot.served()

    def pause_family(self, host: str, family: str, seconds: float) -> None:
        """Send nothing to one route family for so long (503 with Retry-After); the rest of the host stays open."""
        self._buckets.family(host, family).close(seconds, self._clock.monotonic())

    # --- hosts that are left alone though they named no wait --------------------------------------------------------

    def check(self, host: str) -> None:
        """Raise `UnreachableError` or `RegionBlockedError` where the host is paused (see `net.pause`)."""
        gate = self._buckets.find(host)
        remaining = 0.0 if gate is None else gate.pause.remaining(self._clock.monotonic())
        if gate is None or remaining <= 0:
            return
        message = f"{host} {gate.pause.reason}."
        if gate.pause.for_good:
            raise RegionBlockedError(message, host=host)
        raise UnreachableError(message, host=host, retry_at=self._clock.wall() + remaining)

    def register_challenge(self, host: str) -> None:
        """Leave a host alone that wants to see a browser: 5, 15, then 60 minutes."""
        if self._buckets.gate(host).pause.challenged(self._clock.monotonic()):
            logger.warning("%s wants to see a browser; it is left alone for a while.", host)

    def register_nonsense(self, host: str) -> None:
        """Count a call that ended in something unusable; the third in a row pauses the host for a minute."""
        if self._buckets.gate(host).pause.malformed(self._clock.monotonic()):
            logger.warning("%s answers with something unusable; it is left alone for a minute.", host)

    def register_region_block(self, host: str) -> None:
        """Ask a host no more that does not serve this region."""
        if self._buckets.gate(host).pause.blocked():
            logger.warning("%s does not serve this region; it is not asked again.", host)

    # --- what there is to see and to do -----------------------------------------------------------------------------

    def remaining_seconds(self, host: str) -> float:
        """Return the seconds until the host's window ends, 0 when it is open."""
        gate = self._buckets.find(host)
        return 0.0 if gate is None else gate.remaining()

    def in_cooldown(self, host: str) -> bool:
        """Tell whether the host's window is closed."""
        return self.remaining_seconds(host) > 0

    def retry_at(self, host: str) -> float | None:
        """Return when the window ends, in seconds since the epoch; None when it is open."""
        remaining = self.remaining_seconds(host)
        return self._clock.wall() + remaining if remaining > 0 else None

    def rest_seconds(self, host: str) -> float:
        """Return the seconds until the host is asked again, whether it asked us to wait or talks nonsense."""
        gate = self._buckets.find(host)
        return 0.0 if gate is None else gate.rest()

    def rest_ends_at(self, host: str) -> float | None:
        """Return when the host is asked again, in seconds since the epoch; None where it may be asked now."""
        rest = self.rest_seconds(host)
        return self._clock.wall() + rest if rest > 0 else None

    def try_now(self, host: str) -> None:
        """Let one request through, because a person asked for it; its answer opens no window."""
        self._buckets.gate(host).try_now()

    def note_saved(self, host: str, count: int = 1) -> None:
        """Count look-ups that were answered without a request."""
        self._buckets.gate(host).saved += count

    def subscribe(self, callback: Callable[[str], None]) -> Callable[[], None]:
        """Call back with a host whose window closed, was extended or opened; return how to stop."""
        self._watchers.append(callback)
        return lambda: self._watchers.remove(callback) if callback in self._watchers else None

    def snapshot(self) -> list[JsonObject]:
        """Return one row per host or bucket for GET /pantry/api/network."""
        return [gate.row() for gate in self._buckets.visible()]

    def _changed(self, name: str) -> None:
        """Say once that a window closed and once that it opened (growing is no news), and tell whoever watches."""
        gate = next(one for one in self._buckets.all() if one.name == name)
        remaining = gate.remaining()
        if remaining <= 0:
            self._known_closed.discard(name)
            logger.info("%s may be asked again.", name)
        elif name not in self._known_closed:
            self._known_closed.add(name)
            until = datetime.fromtimestamp(self._clock.wall() + remaining, timezone.utc)
            logger.info("%s asked us to wait; nothing is sent to it before %s UTC.", name, until.strftime("%H:%M:%S"))
        for watcher in tuple(self._watchers):
            try:
                watcher(name)
            except Exception:  # a watcher's defect must not stop the gate, for which everybody waits
                logger.exception("A watcher of the gate failed.")


def _in_words(row: JsonObject) -> str:
    state = "open" if row["window_open"] else f"closed {row['remaining_seconds']:.0f}s"
    return f"{row['host']}: {state}, {row['waiting']} waiting"
