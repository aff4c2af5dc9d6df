"""Stand for one request that the gate has let through."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..core.ports import Lane

if TYPE_CHECKING:
    from .gate import HostGate


@dataclass(slots=True, eq=False, kw_only=True)
class Slot:
    """Hold when a request left (seconds of `monotonic`); what its answer says is judged by that moment."""

    gate: HostGate
    lane: Lane
    sent_at: float
    # Seconds spent in line at the vendor's pace while its window was open: no part of anybody's patience.
    in_line: float = 0.0
    finished: bool = False
    # The pass of the route family's own gate, where the vendor has paused that family.
    family: Slot | None = None

    def finish(self) -> None:
        """Give the slot back when its request is over, however it ended."""
        self.gate.finish(self)
        if self.family is not None:
            self.family.finish()

    def refund(self) -> None:
        """Give the slot back with which nothing was sent."""
        self.gate.refund(self)
        if self.family is not None:
            self.family.refund()

    def served(self) -> None:
        """Note that the vendor served the request."""
        self.gate.served(self.sent_at)
        if self.family is not None:
            self.family.served()
