"""Group questions for the bulk routes, and match their answers back to the questions; pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from ..core.outcomes import LookupKey
from .model_info import ModelInfo

T = TypeVar("T")

# Single answers come from the cache at CivitAI's edge, bulk ones never do: a handful costs its servers less singly.
BULK_FROM = 5


def chunks(items: Sequence[T], size: int) -> Iterator[tuple[T, ...]]:
    """Yield the items in their order, at most `size` at a time."""
    for start in range(0, len(items), size):
        yield tuple(items[start : start + size])


def worth_a_bulk_request(keys: Iterable[LookupKey]) -> list[LookupKey]:
    """Return the keys that the bulk route takes: full SHA256, where there are more than a handful."""
    taken = [key for key in keys if key.kind == "sha256"]
    return taken if len(taken) >= BULK_FROM else []


def by_sha256(infos: Iterable[ModelInfo]) -> dict[str, ModelInfo]:
    """Return the answers by the SHA256 of each of their files.

    Several versions may carry the same file; the oldest one is kept, as the single route answers.
    """
    found: dict[str, ModelInfo] = {}
    for info in sorted(infos, key=lambda one: one.version_id or 0):
        for file in info.files:
            if "sha256" in file.hashes:
                found.setdefault(file.hashes["sha256"], info)
    return found
