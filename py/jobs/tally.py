"""Count a job's items by state, so that a progress message costs the same for ten images and for 100,000."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from .states import ENDS, PUT_OFF, ItemStatus

Key = tuple[str, str | None]  # status, reason


class Tally:
    """Hold how many items are in each state; kept in step by whoever changes items."""

    def __init__(self, rows: Iterable[tuple[str, str | None, int]] = ()) -> None:
        self._counts: Counter[Key] = Counter()
        for status, reason, number in rows:
            self._counts[status, reason] += number

    def add(self, number: int) -> None:
        """Count `number` new items."""
        self._counts[ItemStatus.PENDING.value, None] += number

    def move(self, before: ItemStatus, after: ItemStatus, reason: str | None = None, number: int = 1) -> None:
        """Count `number` items from one state (that has no reason) into another."""
        self._counts[before.value, None] -= number
        self._counts[after.value, reason] += number

    def of(self, *statuses: ItemStatus) -> int:
        """Return how many items are in any of these states."""
        wanted = {status.value for status in statuses}
        return sum(number for (status, _), number in self._counts.items() if status in wanted)

    def reasons(self, status: ItemStatus) -> dict[str, int]:
        """Return the number of items of this state by reason."""
        return {
            reason or "unknown": number
            for (one, reason), number in sorted(self._counts.items(), key=str)
            if one == status.value and number > 0
        }

    @property
    def put_off(self) -> int:
        """Return how many items a vendor kept from ending well."""
        reasons = self.reasons(ItemStatus.SKIPPED)
        return sum(reasons.get(reason.value, 0) for reason in PUT_OFF)

    @property
    def total(self) -> int:
        """Return the number of items."""
        return sum(self._counts.values())

    def to_json(self) -> dict[str, Any]:
        """Return the counting fields of a snapshot (docs/reference/events.md)."""
        total, completed = self.total, self.of(*ENDS)
        return {
            "total": total,
            "completed": completed,
            "success": self.of(ItemStatus.SUCCESS),
            "skipped": self.of(ItemStatus.SKIPPED),
            "failed": self.of(ItemStatus.FAILED),
            "skipped_reasons": self.reasons(ItemStatus.SKIPPED),
            "failed_reasons": self.reasons(ItemStatus.FAILED),
            "progress_percent": round(100 * completed / total, 1) if total else 0.0,
        }
