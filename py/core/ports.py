"""Declare the seams that I/O is plugged into; the composition root decides what stands behind each."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
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
    """Describe one HTTP request; `timeout` bounds the socket in seconds, not the policy waits.

    `public_only` is for addresses that somebody else has chosen: no connection is made to this machine or the networks
    around it.
    """

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    json: Any = None
    timeout: float = 60.0
    max_bytes: int = 32 * 1024 * 1024
    public_only: bool = False


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
    """The wire failed: no connection, a reset, a timeout, a body cut short."""


class Transport(Protocol):
    """Send one request and return its answer, following no redirect to another host."""

    async def send(self, request: Request) -> Response:
        """Return the answer; raise `TransportFailure` when there is none, `NotAllowedError` when it is not asked."""
        ...

    def open(self, request: Request) -> AbstractAsyncContextManager[tuple[Response, AsyncIterator[bytes]]]:
        """Give the answer without its body, and the body in pieces as they come; the same failure."""
        ...

    async def close(self) -> None:
        """Release the sockets."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredWindow:
    """Remember one host's window for other processes and for the next start.

    `until` is in seconds since the epoch; `delay` is the seconds it lasts at most, which bounds it when the wall
    clock has been moved; `ceiling` is the pace learned, in requests a second; `serial` grows with every write, `turns`
    with every request of any process.
    """

    key: str
    until: float
    delay: float
    refusals: int = 0
    ceiling: float | None = None
    serial: int = 0
    turns: int = 0


class WindowMemory(Protocol):
    """Share windows and turns between the processes of this machine; raise `StorageError` where that fails."""

    async def load(self) -> Sequence[StoredWindow]:
        """Return every window that has been saved."""
        ...

    async def read(self, key: str) -> StoredWindow | None:
        """Return one window as it stands now."""
        ...

    async def save(self, window: StoredWindow) -> int:
        """Write a window unless a later deadline stands; return the row's serial."""
        ...

    async def claim(self, key: str, *, now_wall: float, interval: float) -> tuple[float, StoredWindow | None]:
        """Take the next turn, `interval` seconds after the last; return the seconds until then, and the row."""
        ...


class ProgressSink(Protocol):
    """Take events for whoever watches; never block, never raise."""

    def publish(self, event: str, data: JsonObject) -> None:
        """Hand `data` (JSON-ready) to every watcher under the event's name."""
        ...
