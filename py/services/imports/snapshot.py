"""Show a job: the fields of an event and of an answer (docs/reference/events.md). Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from ...jobs.rate import Rate
from ...jobs.states import ENDS, STOPPED, ItemStatus, JobStatus
from ...jobs.store import Job
from ...jobs.tally import Tally

NAME_LENGTH = 120  # characters of a file name in a message


class Windows(Protocol):
    """Say which vendors have asked to wait (services/rate_limit_coordinator)."""

    def rest_seconds(self, host: str) -> float:
        """Return for how long the host is not asked, 0 where it may be."""
        ...

    def rest_ends_at(self, host: str) -> float | None:
        """Return when the host is asked again, in seconds since the epoch."""
        ...

    def snapshot(self) -> list[dict[str, Any]]:
        """Return a row for every host, with ``host`` and ``waiting``."""
        ...

    def subscribe(self, callback: Callable[[str], None]) -> Callable[[], None]:
        """Call back with a host whose window closes, is extended or opens; return what ends that."""
        ...


def limits_of(holding: Mapping[str, int], windows: Windows) -> list[dict[str, Any]]:
    """Return the hosts that hold items of a job and are not asked at the moment, with the end of that, by host."""
    shown = []
    for host, number in sorted(holding.items()):
        remaining = windows.rest_seconds(host)
        if number > 0 and remaining > 0:
            row = {"host": host, "retry_at": windows.rest_ends_at(host), "remaining_seconds": round(remaining, 1)}
            shown.append({**row, "waiting_items": number})
    return shown


def hosts_with_waiters(windows: Windows) -> Iterable[str]:
    """Return the hosts at whose gate somebody waits."""
    return (row["host"] for row in windows.snapshot() if row.get("waiting"))


def snapshot_of(
    job: Job,
    tally: Tally,
    limits: list[dict[str, Any]],
    *,
    phase: str,
    rate: Rate | None = None,
    current_item: str | None = None,
) -> dict[str, Any]:
    """Return the JSON-ready state of a job; what is not known is None, and no limit holds what a person has stopped."""
    limits = [] if job.status in STOPPED else limits
    left = tally.total - tally.of(*ENDS)
    status = job.status
    if status is JobStatus.RUNNING and phase == "resolving" and limits:
        status = JobStatus.WAITING
    elif status is JobStatus.COMPLETED and left:
        status = JobStatus.PENDING  # it has just been asked to go on, between our look at the job and at its items
    per_second = rate.per_second() if rate else None
    return {
        "operation_id": job.id,
        "source": job.source,
        "tags": list(job.request.tags),
        "status": status.value,
        "phase": phase,
        **tally.to_json(),
        "current_item": current_item[:NAME_LENGTH] if current_item else None,
        "items_per_second": round(per_second, 2) if per_second else None,
        "eta_seconds": _eta(rate, left, limits) if job.status is JobStatus.RUNNING else None,
        "created_at": job.created_at,
        "started_at": job.started_at,
        "finished_at": job.finished_at,
        "rate_limited": bool(limits),
        "limits": limits,
        "message": job.message,
    }


def phase_of(tally: Tally, *, reading: bool) -> str:
    """Name what a job is mostly doing."""
    if reading:
        return "reading"
    return "resolving" if tally.of(ItemStatus.RESOLVING) else "saving"


def closing_message(tally: Tally, trouble: str | None) -> str | None:
    """Return one sentence on what a finished job left undone, or None."""
    left = tally.put_off
    if not left:
        return None
    images = "1 image waits and can be run again" if left == 1 else f"{left} images wait and can be run again"
    return f"{trouble or 'A vendor could not answer.'} {images}."


def _eta(rate: Rate | None, left: int, limits: list[dict[str, Any]]) -> float | None:
    """Return the seconds that are left, the longest closed window included."""
    eta = rate.eta(left) if rate else None
    if eta is None:
        return None
    return round(eta + max((one["remaining_seconds"] for one in limits), default=0.0), 1)
