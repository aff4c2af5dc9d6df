"""Refuse at once to ask a host that cannot be reached, and try again one request at a time."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ..core.errors import UnreachableError
from ..core.ports import Clock, JsonObject, TransportFailure
from ..net.outage import Outage

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Watch:
    """Say how a send ended."""

    answered: bool = False


class ConnectivityGuard:
    """Keep one cooldown per host: 30 s after three failures of the wire in a row, doubling to 300 s.

    A refusal (429) or any other HTTP answer never starts one: who answers is reachable.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._outages: defaultdict[str, Outage] = defaultdict(Outage)

    def __repr__(self) -> str:
        hosts = ", ".join(f"{row['host']}: down {row['remaining_seconds']:.0f}s" for row in self.snapshot())
        return f"<ConnectivityGuard [{hosts}]>"

    def check(self, host: str) -> None:
        """Raise `UnreachableError` with `retry_at` where `host` must not be asked now."""
        outage = self._outages.get(host)
        now = self._clock.monotonic()
        if outage is not None and outage.refuses(now):
            raise UnreachableError(
                f"{host} cannot be reached at the moment.",
                host=host,
                retry_at=self._clock.wall() + outage.remaining(now),
            )

    @contextmanager
    def watch(self, host: str) -> Iterator[Watch]:
        """Surround one send: a failure of the wire counts against the host, an answer for it, a cancel for nothing."""
        watch = Watch()
        if host in self._outages:
            self._outages[host].begin()
        try:
            yield watch
        except TransportFailure:
            self.record_failure(host)
            raise
        finally:
            if watch.answered:
                self.record_success(host)
            elif host in self._outages:
                self._outages[host].end()

    def record_failure(self, host: str) -> None:
        """Note that the wire failed."""
        outage = self._outages[host]
        if outage.failed(self._clock.monotonic()) and outage.level == 1:
            logger.warning("%s cannot be reached; asking again in %.0f s.", host, outage.cooldown)

    def record_success(self, host: str) -> None:
        """Note that the host answered, whatever it said."""
        outage = self._outages.pop(host, None)
        if outage is not None and outage.succeeded():
            logger.info("%s can be reached again.", host)

    def retry_at(self, host: str) -> float | None:
        """Return when the host may be asked again, in seconds since the epoch; None where it may be asked now."""
        outage = self._outages.get(host)
        remaining = 0.0 if outage is None else outage.remaining(self._clock.monotonic())
        return self._clock.wall() + remaining if remaining > 0 else None

    def at_cap(self, host: str) -> bool:
        """Tell whether the host has been unreachable for long."""
        outage = self._outages.get(host)
        return outage is not None and outage.at_cap

    def snapshot(self) -> list[JsonObject]:
        """Return the hosts that are out: `host`, `remaining_seconds`, `retry_at` (epoch seconds), `at_cap`."""
        now, wall = self._clock.monotonic(), self._clock.wall()
        return [
            {
                "host": host,
                "remaining_seconds": outage.remaining(now),
                "retry_at": wall + outage.remaining(now),
                "at_cap": outage.at_cap,
            }
            for host, outage in sorted(self._outages.items())
            if outage.level
        ]
