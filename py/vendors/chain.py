"""Decide who is asked next for a model, from what was answered so far; pure, asks nobody.

Three rules, in the order of their weight:

1. A refusal never sends the question to another vendor.
2. CivArchive is scarce: it is asked for a full SHA256 only, after CivitAI's confirmed miss, or when CivitAI has been
   out of reach for long.
3. The local archive costs no vendor anything, so it is asked last in every case.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ..core.outcomes import (
    AbsentConfirmed,
    Found,
    LookupKey,
    Malformed,
    RateLimited,
    Unauthorised,
    Unreachable,
)
from .model_info import ModelInfo

Provider = Literal["civitai", "civarchive", "archive_db"]
Outcome = Found[ModelInfo] | AbsentConfirmed | RateLimited | Unreachable | Unauthorised | Malformed


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask this provider next."""

    provider: Provider


@dataclass(frozen=True, slots=True)
class Stop:
    """Nobody else is asked; this is what the look-up ends in."""

    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Answered:
    """Say what one provider's part of the look-up ended in."""

    provider: Provider
    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """Say who can be asked at all; `*_long_down` means that the connectivity guard is at its cap for that host."""

    civarchive_enabled: bool
    archive_available: bool
    civitai_long_down: bool = False
    civarchive_long_down: bool = False


def next_step(key: LookupKey, answered: Sequence[Answered], now: Circumstances) -> Ask | Stop:
    """Return who is asked next, or what the look-up ends in."""
    by_provider = {one.provider: one.outcome for one in answered}
    found = next((one for one in by_provider.values() if isinstance(one, Found)), None)
    if found is not None:
        return Stop(found)
    civitai = by_provider.get("civitai")
    if civitai is None:
        return Ask("civitai")
    if "civarchive" not in by_provider and _wants_civarchive(key, civitai, now):
        return Ask("civarchive")
    if "archive_db" not in by_provider and now.archive_available:
        return Ask("archive_db")
    return Stop(_conclusion(civitai, by_provider.get("civarchive"), now))


def with_misses(outcome: Outcome, answered: Sequence[Answered]) -> Outcome:
    """Return a hit with the names of those who had confirmed that they do not have it."""
    misses = tuple(one.provider for one in answered if isinstance(one.outcome, AbsentConfirmed))
    return replace(outcome, absent_from=misses) if isinstance(outcome, Found) and misses else outcome


def _wants_civarchive(key: LookupKey, civitai: Outcome, now: Circumstances) -> bool:
    if not now.civarchive_enabled or key.kind != "sha256":
        return False
    long_down = isinstance(civitai, Unreachable) and now.civitai_long_down
    return isinstance(civitai, AbsentConfirmed) or long_down


def _conclusion(civitai: Outcome, civarchive: Outcome | None, now: Circumstances) -> Outcome:
    """Weigh the vendors' words where nobody has the model."""
    if not isinstance(civitai, AbsentConfirmed) or civarchive is None:
        return civitai
    if isinstance(civarchive, AbsentConfirmed):
        return AbsentConfirmed((*civitai.sources, *civarchive.sources))
    # CivitAI's word is enough to call the model absent; but an archive that will answer soon may still know its
    # name, so the question stays open until it does, unless it has been out of reach for long.
    return civitai if now.civarchive_long_down and isinstance(civarchive, Unreachable) else civarchive
