"""Declare who can answer without a request, and on what terms a look-up is made."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from ..core.outcomes import LookupKey
from ..core.ports import Lane
from .model_info import ModelInfo


class Archive(Protocol):
    """Look models up in a copy of CivitAI's catalogue on this machine."""

    @property
    def available(self) -> bool:
        """Whether there is an archive to ask."""
        ...

    async def find(self, key: LookupKey) -> ModelInfo | None:
        """Return the version that `key` names, or None."""
        ...


class LocalAnswers(Protocol):
    """Answer from the model library."""

    async def answers(self, keys: Iterable[LookupKey]) -> dict[LookupKey, ModelInfo]:
        """Return what the library itself can tell."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """Say how a look-up is made: whose turn, until when (monotonic seconds), and whether memory may answer."""

    lane: Lane = "batch"
    deadline: float | None = None
    fresh: bool = False
