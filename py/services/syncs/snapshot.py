"""Show a sync: the fields of an event and of an answer (docs/reference/events.md). Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...jobs.rate import Rate
from ...jobs.states import ENDS, PUT_OFF, STOPPED, ItemStatus, JobStatus
from ...jobs.tally import Tally
from ...library.sync_store import Sync


def snapshot_of(
    sync: Sync,
    tally: Tally,
    limits: list[dict[str, Any]],
    *,
    phase: str = "saving",
    rate: Rate | None = None,
    current_item: str | None = None,
) -> dict[str, Any]:
    """Return the JSON-ready state of a sync; what is not known is None; no limit holds what a person has stopped."""
    limits = [] if sync.status in STOPPED else limits
    left = tally.total - tally.of(*ENDS)
    waits = sync.status is JobStatus.RUNNING and phase == "resolving" and bool(limits)
    running = sync.status is JobStatus.RUNNING
    per_second = rate.per_second() if rate and running else None
    return {
        "operation_id": sync.id,
        "source": sync.request.source,
        "status": (JobStatus.WAITING if waits else sync.status).value,
        "phase": phase,
        **tally.to_json(),
        "current_item": current_item if running else None,
        "items_per_second": round(per_second, 2) if per_second else None,
        "eta_seconds": _rounded(rate.eta(left)) if rate and running else None,
        "created_at": sync.created_at,
        "started_at": sync.started_at,
        "finished_at": sync.finished_at,
        "rate_limited": bool(limits),
        "limits": limits,
        "message": sync.message,
    }


def holding(held: Mapping[str, int], pending: int, primary_host: str) -> dict[str, int]:
    """Return how many models each host holds; CivitAI, which is asked first, also holds those not yet asked about."""
    return {**held, primary_host: held.get(primary_host, 0) + pending}


def closing_message(tally: Tally, trouble: str | None) -> str | None:
    """Return one sentence on what a finished sync left undone, or None."""
    reasons = tally.reasons(ItemStatus.SKIPPED)
    left = sum(reasons.get(reason.value, 0) for reason in PUT_OFF)
    if not left:
        return None
    models = "1 model waits" if left == 1 else f"{left} models wait"
    return f"{trouble or 'A vendor could not answer.'} {models} and can be asked about again."


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 1)
