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
    """Stand for one caller in the queue; `since` and `patience_until` are readings of two clocks of the gate's owner:
    the time, and the time for which the vendor has been closed.
    """

    lane: Lane
    since: float
    patience_until: float
    value: T


@dataclass(slots=True)
class Lanes(Generic[T]):
    """Hold both queues; ordered dicts keep the order of arrival and forget from anywhere at no cost."""

    _queues: dict[Lane, OrderedDict[Ticket[T], None]] = field(
        default_factory=lambda: {"interactive": OrderedDict(), "batch": OrderedDict()}
    )
    _ends: dict[Lane, list[tuple[float, int, Ticket[T]]]] = field(
        default_factory=lambda: {"interactive": [], "batch": []}
    )
    _order: Iterator[int] = field(default_factory=itertools.count)
    _passed: int = 0

    def __len__(self) -> int:
        return sum(map(len, self._queues.values()))

    def waiting(self, lane: Lane) -> int:
        """Return how many wait in a lane."""
        return len(self._queues[lane])

    def join(self, ticket: Ticket[T]) -> None:
        """Go to the end of the lane."""
        self._queues[ticket.lane][ticket] = None
        self._note_end(ticket)

    def rejoin(self, ticket: Ticket[T]) -> None:
        """Go back to the front: the turn had come, but the window closed in that instant."""
        self._queues[ticket.lane][ticket] = None
        self._queues[ticket.lane].move_to_end(ticket, last=False)
        self._note_end(ticket)

    def leave(self, ticket: Ticket[T]) -> bool:
        """Forget a caller; return False where it was not waiting."""
        if ticket not in self._queues[ticket.lane]:
            return False
        del self._queues[ticket.lane][ticket]
        # Stale entries are dropped as they surface; rebuild before they outnumber the living.
        ends = self._ends[ticket.lane]
        if len(ends) > 2 * self.waiting(ticket.lane) + 64:
            ends[:] = [entry for entry in ends if self._is_waiting(entry[2])]
            heapq.heapify(ends)
        return True

    def order(self, now: float) -> list[Lane]:
        """Return the lanes in which anybody waits, the one whose turn it is first."""
        interactive, batch = self._queues["interactive"], self._queues["batch"]
        if not interactive or not batch:
            return ["interactive"] if interactive else ["batch"] if batch else []
        # Promoted, a batch caller takes turns: at a slow pace everyone is overdue, and a click must not wait for all.
        turn = 2 if now - next(iter(batch)).since >= PATIENCE else BATCH_TURN
        return ["batch", "interactive"] if self._passed >= turn - 1 else ["interactive", "batch"]

    def take(self, lane: Lane) -> Ticket[T]:
        """Remove and return the first of a lane."""
        ticket = next(iter(self._queues[lane]))
        self.leave(ticket)
        self._passed = self._passed + 1 if lane == "interactive" and self._queues["batch"] else 0
        return ticket

    def clear(self) -> list[Ticket[T]]:
        """Remove and return everyone."""
        everyone = [ticket for queue in self._queues.values() for ticket in queue]
        for ticket in everyone:
            self.leave(ticket)
        return everyone

    def hopeless(self, lane: Lane, opens: float, limit: int) -> list[Ticket[T]]:
        """Remove and return at most `limit` callers of a lane whose patience ends before the vendor `opens`."""
        found: list[Ticket[T]] = []
        while len(found) < limit and (ticket := self._first_to_leave(lane)) and ticket.patience_until < opens:
            self.leave(ticket)
            found.append(ticket)
        return found

    def _first_to_leave(self, lane: Lane) -> Ticket[T] | None:
        ends = self._ends[lane]
        while ends and not self._is_waiting(ends[0][2]):
            heapq.heappop(ends)
        return ends[0][2] if ends else None

    def _note_end(self, ticket: Ticket[T]) -> None:
        heapq.heappush(self._ends[ticket.lane], (ticket.patience_until, next(self._order), ticket))

    def _is_waiting(self, ticket: Ticket[T]) -> bool:
        return ticket in self._queues[ticket.lane]
