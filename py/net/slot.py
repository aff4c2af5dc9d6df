"""Stand for one request that the gate has let through."""

from __future__ import annotations

from dataclasses import dataclass

from ..core.ports import Lane


@dataclass(slots=True, eq=False, kw_only=True)
class Slot:
    """Hold when a request left (seconds of `monotonic`); what its answer says is judged by that moment."""

    host: str
    lane: Lane
    sent_at: float
    family: str = ""
    finished: bool = False
