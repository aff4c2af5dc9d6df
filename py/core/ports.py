"""Declare the seams that I/O is plugged into; the composition root decides what stands behind each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Lane = Literal["interactive", "batch"]
JsonObject = dict[str, Any]


class Clock(Protocol):
    """Tell the time and wait; every policy in Pantry takes one, so that tests never sleep for real."""

    def monotonic(self) -> float:
        """Return seconds that only grow, counting suspend where the system can."""
        ...

    def wall(self) -> float:
        """Return seconds since the epoch, UTC; for people and for what is stored, never for measuring."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait that many seconds of `monotonic`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Describe one HTTP request; `timeout` bounds the socket in seconds, not the policy waits."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    json: Any = None
    timeout: float = 60.0
    max_bytes: int = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """Hold one answer; header names are lower case, repeated headers joined by a comma.

    `received_monotonic` and `received_wall` are read at receipt of the headers, before the body.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    url: str
    received_monotonic: float
    received_wall: float


class TransportFailure(Exception):  # noqa: N818 - a failure of the wire, translated before it leaves net/
    """The wire failed: no connection, a reset, a timeout, a body cut short or above its cap."""


class Transport(Protocol):
    """Send one request and return its answer, following no redirect to another host."""

    async def send(self, request: Request) -> Response:
        """Return the answer; raise `TransportFailure` when there is none."""
        ...

    async def close(self) -> None:
        """Release the sockets."""
        ...


class ProgressSink(Protocol):
    """Take events for whoever watches; never block, never raise."""

    def publish(self, event: str, data: JsonObject) -> None:
        """Hand `data` (JSON-ready) to every watcher under the event's name."""
        ...
