"""Type what a look-up can end in, so that *unknown* is never mistaken for *absent*.

Only `AbsentConfirmed` from CivitAI may mark a model deleted; everything else that is not `Found` changes no
stored fact.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar

T = TypeVar("T")

KeyKind = Literal["version_id", "sha256", "autov1", "autov2", "autov3", "blake3", "crc32"]


@dataclass(frozen=True, slots=True, order=True)
class LookupKey:
    """Name one thing to ask a vendor for: a model version by id, or by one kind of hash.

    `value` is normalised: decimal digits for ``version_id``, lower-case hex for hashes.
    """

    kind: KeyKind
    value: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.value}"


@dataclass(frozen=True, slots=True)
class Found(Generic[T]):
    """The answer, and who gave it (``library``, ``cache``, ``civitai``, ``civarchive``, ``archive_db``).

    `absent_from` names the vendors that had confirmed before that they do not have it.
    """

    value: T
    source: str
    absent_from: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AbsentConfirmed:
    """The vendor was asked and has no such model; `sources` names everyone who said so, in order."""

    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RateLimited:
    """The vendor asked us to wait until `retry_at` (seconds since the epoch)."""

    host: str
    retry_at: float | None


@dataclass(frozen=True, slots=True)
class Unreachable:
    """The vendor cannot be asked at the moment; `retry_at` is None where nobody knows."""

    host: str
    retry_at: float | None
    detail: str


@dataclass(frozen=True, slots=True)
class Unauthorised:
    """The vendor refused our key, or wants one."""

    host: str
    detail: str


@dataclass(frozen=True, slots=True)
class Malformed:
    """The vendor answered with something that is not the documented shape; `sample` is its head without secrets.

    `retry_at` says when it is asked again, where that is known.
    """

    host: str
    detail: str
    sample: str = field(default="", repr=False, compare=False)
    retry_at: float | None = None


Unknown = RateLimited | Unreachable | Unauthorised | Malformed
