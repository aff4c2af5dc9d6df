"""Queue those who wait for one host: interactive callers before batch callers, batch never starved.

Leaving is cheap from anywhere in the queue, so that a cancelled caller leaves no trace.
"""

from __future__ import annotations

import heapq
import itertools
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from ..core.ports import Lane

T = TypeVar("T")

# At least every fourth release goes to batch while both wait, and whoever waited this long is not passed any more.
BATCH_TURN = 4
PATIENCE = 30.0


@dataclass(slots=True, eq=False)
class Ticket(Generic[T]):
    """Stand for one caller in the queue; `since` and `deadline` are in seconds of the clock's `monotonic`."""

    lane: Lane
    since: float
    deadline: float
    value: T


@dataclass(slots=True)
class Lanes(Generic[T]):
    """Hold both queues; ordered dicts keep the order of arrival and forget from anywhere at no cost."""

    _queues: dict[Lane, OrderedDict[Ticket[T], None]] = field(
        default_factory=lambda: {"interactive": OrderedDict(), "batch": OrderedDict()}
    )
    _deadlines: list[tuple[float, int, Ticket[T]]] = field(default_factory=list)
    _order: Iterator[int] = field(default_factory=itertools.count)
    _passed: int = 0

    def __len__(self) -> int:
        return sum(map(len, self._queues.values()))

    def waiting(self, lane: Lane) -> int:
        """Return how many wait in a lane."""
        return len(self._queues[lane])

    def ahead(self, lane: Lane) -> int:
        """Return how many would be served before someone who came now."""
        return len(self) if lane == "batch" else min(len(self), self.waiting("interactive") * BATCH_TURN // 3)

    def join(self, ticket: Ticket[T]) -> None:
        """Go to the end of the lane."""
        self._queues[ticket.lane][ticket] = None
        heapq.heappush(self._deadlines, (ticket.deadline, next(self._order), ticket))

    def rejoin(self, ticket: Ticket[T]) -> None:
        """Go back to the front: the turn had come, but the window closed in that instant."""
        self._queues[ticket.lane][ticket] = None
        self._queues[ticket.lane].move_to_end(ticket, last=False)
        heapq.heappush(self._deadlines, (ticket.deadline, next(self._order), ticket))

    def leave(self, ticket: Ticket[T]) -> bool:
        """Forget a caller; return False where it was not waiting."""
        if ticket not in self._queues[ticket.lane]:
            return False
        del self._queues[ticket.lane][ticket]
        # Stale deadlines are dropped as they surface; rebuild before they outnumber the living.
        if len(self._deadlines) > 2 * len(self) + 64:
            self._deadlines = [entry for entry in self._deadlines if self._is_waiting(entry[2])]
            heapq.heapify(self._deadlines)
        return True

    def next_lane(self, now: float) -> Lane | None:
        """Say whose turn it is, None when nobody waits."""
        interactive, batch = self._queues["interactive"], self._queues["batch"]
        if not interactive or not batch:
            return "interactive" if interactive else "batch" if batch else None
        # Promoted, a batch caller takes turns: at a slow pace everyone is overdue, and a click must not wait for all.
        turn = 2 if now - next(iter(batch)).since >= PATIENCE else BATCH_TURN
        return "batch" if self._passed >= turn - 1 else "interactive"

    def take(self, lane: Lane) -> Ticket[T]:
        """Remove and return the first of a lane."""
        ticket = next(iter(self._queues[lane]))
        self.leave(ticket)
        self._passed = self._passed + 1 if lane == "interactive" and self._queues["batch"] else 0
        return ticket

    def next_deadline(self) -> float | None:
        """Return the earliest deadline of anyone who waits."""
        while self._deadlines and not self._is_waiting(self._deadlines[0][2]):
            heapq.heappop(self._deadlines)
        return self._deadlines[0][0] if self._deadlines else None

    def hopeless(self, earliest: float, limit: int) -> list[Ticket[T]]:
        """Remove and return at most `limit` callers whose deadline passes before anybody can be served."""
        found: list[Ticket[T]] = []
        while len(found) < limit and (deadline := self.next_deadline()) is not None and deadline < earliest:
            ticket = heapq.heappop(self._deadlines)[2]
            self.leave(ticket)
            found.append(ticket)
        return found

    def _is_waiting(self, ticket: Ticket[T]) -> bool:
        return ticket in self._queues[ticket.lane]
