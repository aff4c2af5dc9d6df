"""Decide what a look-up's outcome makes of what is known about a model file; pure.

Two laws: lower-quality data never replaces higher, and only CivitAI's confirmed "not found" marks a model as
deleted there, a mark that its next hit removes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from ..core.outcomes import AbsentConfirmed, Found
from ..vendors.chain import Outcome
from ..vendors.model_info import ModelInfo


class ModelState(str, Enum):
    """What is known about a model file from vendors; shown as ``offline`` while its folder is out of reach."""

    UNKNOWN = "unknown"  # nobody has been asked yet
    SYNCED = "synced"  # described by CivitAI, or by a sidecar that quotes it
    ARCHIVED_COPY = "archived_copy"  # described by an archive; CivitAI does not have it (any more)
    ABSENT = "absent"  # CivitAI confirmed that it does not have it, and nobody else does
    WAITING = "waiting"  # a vendor has to be asked again later


# How good a description is, by who gave it; a higher number is never replaced by a lower one.
_QUALITY = {"header": 0, "archive_db": 1, "civarchive": 2, "sidecar": 3, "civitai": 4}


@dataclass(frozen=True, slots=True, kw_only=True)
class Knowledge:
    """Hold what is known about one file; times are seconds since the epoch."""

    state: ModelState = ModelState.UNKNOWN
    metadata: ModelInfo | None = None
    metadata_source: str | None = None
    civitai_deleted: bool = False
    checked_at: float | None = None
    host: str | None = None
    retry_at: float | None = None
    detail: str | None = None


def learned(known: Knowledge, outcome: Outcome, now: float) -> Knowledge:
    """Return what is known after one look-up at `now`."""
    if isinstance(outcome, Found):
        return _described(known, outcome, now)
    if isinstance(outcome, AbsentConfirmed):
        return _absent(known, outcome, now)
    return _put_off(known, outcome)


def quality(source: str | None) -> int:
    """Return how good a description from `source` is; -1 where there is none."""
    return _QUALITY.get(source or "", -1)


def _described(known: Knowledge, found: Found[ModelInfo], now: float) -> Knowledge:
    info = found.value
    from_civitai = info.source == "civitai"
    better = quality(info.source) >= quality(known.metadata_source)
    kept = replace(known, metadata=info, metadata_source=info.source) if better else known
    return replace(
        kept,
        state=ModelState.SYNCED if from_civitai else ModelState.ARCHIVED_COPY,
        # An archive's hit by itself says nothing about CivitAI; CivitAI's own heals the mark.
        civitai_deleted=not from_civitai and (known.civitai_deleted or "civitai" in found.absent_from),
        checked_at=now,
        host=None,
        retry_at=None,
        detail=None,
    )


def _absent(known: Knowledge, outcome: AbsentConfirmed, now: float) -> Knowledge:
    """Note a confirmed miss; a description that is already there stays."""
    return replace(
        known,
        state=ModelState.ABSENT if known.metadata is None else ModelState.ARCHIVED_COPY,
        civitai_deleted="civitai" in outcome.sources,
        checked_at=now,
        host=None,
        retry_at=None,
        detail=None,
    )


def _put_off(known: Knowledge, outcome: Outcome) -> Knowledge:
    """Note who has to be asked again; no fact changes."""
    host = None if isinstance(outcome, Found | AbsentConfirmed) else outcome.host
    retry_at = getattr(outcome, "retry_at", None)
    detail = getattr(outcome, "detail", None)
    waiting = known.state if known.metadata is not None else ModelState.WAITING
    return replace(known, state=waiting, host=host, retry_at=retry_at, detail=detail)
