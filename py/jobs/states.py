"""Say what states a job and an item can be in, and which wish is possible in which state."""

from __future__ import annotations

from enum import Enum

from ..core.errors import ConflictError, InvalidRequestError


class JobStatus(str, Enum):
    """The states of a job; ``waiting`` is shown while a running job has nothing to do but wait for a vendor."""

    PENDING = "pending"
    RUNNING = "running"
    WAITING = "waiting"
    PAUSED = "paused"
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    FAILED = "failed"


class ItemStatus(str, Enum):
    """The states of an item; the last three are ends, though a skipped or failed item can be run again."""

    PENDING = "PENDING"
    READING = "READING"
    RESOLVING = "RESOLVING"
    SUCCESS = "SUCCESS"
    SKIPPED = "SKIPPED"
    FAILED = "FAILED"


class Reason(str, Enum):
    """Why an item was skipped or failed."""

    DUPLICATE = "duplicate"
    NO_METADATA = "no_metadata"
    RATE_LIMITED = "rate_limited"
    UNREACHABLE = "unreachable"
    UNAUTHORISED = "unauthorised"
    UNREADABLE = "unreadable"
    NOT_ALLOWED = "not_allowed"
    NOT_FOUND = "not_found"
    TOO_LARGE = "too_large"


# Skipped for want of a vendor: running again finishes exactly these.
PUT_OFF = (Reason.RATE_LIMITED, Reason.UNREACHABLE, Reason.UNAUTHORISED)
# Of these, the ones that a host's rest holds up, and its end lets go on.
HOLDING = (Reason.RATE_LIMITED, Reason.UNREACHABLE)
HELD = ", ".join(f"'{reason.value}'" for reason in HOLDING)  # for SQL
ENDS = (ItemStatus.SUCCESS, ItemStatus.SKIPPED, ItemStatus.FAILED)
LIVE = (JobStatus.PENDING, JobStatus.RUNNING)
# Nothing goes on by itself here, whatever a vendor says.
STOPPED = (JobStatus.PAUSED, JobStatus.CANCELLED, JobStatus.FAILED)
UNFINISHED = (*LIVE, *STOPPED)

# What each wish makes of a status; a status that is missing refuses the wish.
_WISHES: dict[str, dict[JobStatus, JobStatus]] = {
    "pause": dict.fromkeys((*LIVE, JobStatus.PAUSED), JobStatus.PAUSED),
    "resume": {
        JobStatus.PENDING: JobStatus.PENDING,
        JobStatus.RUNNING: JobStatus.RUNNING,
        JobStatus.PAUSED: JobStatus.PENDING,
        JobStatus.CANCELLED: JobStatus.PENDING,
        JobStatus.FAILED: JobStatus.PENDING,
    },
    "cancel": dict.fromkeys(JobStatus, JobStatus.CANCELLED),
    "retry": {
        JobStatus.PAUSED: JobStatus.PENDING,
        JobStatus.COMPLETED: JobStatus.PENDING,
        JobStatus.CANCELLED: JobStatus.PENDING,
        JobStatus.FAILED: JobStatus.PENDING,
    },
}


def after(wish: str, status: JobStatus) -> JobStatus:
    """Return the status that `wish` (pause, resume, cancel, retry) leads to; raise `ConflictError` where it cannot."""
    following = _WISHES[wish].get(status)
    if following is None:
        raise ConflictError(f"A {status.value} import cannot be asked to {wish}.")
    return following


def item_filter(status: str | None, reason: str | None) -> dict[str, str]:
    """Return the columns that items are to have, from words in any case; raise `InvalidRequestError` for others."""
    wanted = {}
    if status:
        wanted["status"] = _one_of(ItemStatus, status, status.upper())
    if reason:
        wanted["reason"] = _one_of(Reason, reason, reason.lower())
    return wanted


def _one_of(kind: type[Enum], asked: str, word: str) -> str:
    known = [str(one.value) for one in kind]
    if word not in known:
        raise InvalidRequestError(f"No item can be {asked[:100]}; what there is: {', '.join(known)}.")
    return word
