"""Keep what vendors have answered, hits and misses, in the database."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..core.outcomes import KeyKind, LookupKey
from ..storage.database import Database, Row
from .freshness import HIT_LASTS, miss_lasts
from .model_info import ModelInfo

# SQLite takes at most 999 bound values where it was built long ago; three are used per key.
_KEYS_PER_QUERY = 300
# A clock that was set back by less than this is not taken for a wrong one.
_TOLERANCE = 86_400.0
# Kinds that name one file for good. AutoV1 and CRC32 collide, so an answer is never filed under them unasked.
_SAFE_ALIASES: tuple[KeyKind, ...] = ("sha256", "blake3", "autov3", "autov2")

_SAVE_ANSWER = """
    INSERT INTO vendor_answers (vendor, name, payload, stored_at) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET payload = excluded.payload, stored_at = excluded.stored_at
"""
_SAVE_HIT = """
    INSERT INTO vendor_lookups (vendor, kind, value, answer, misses, asked_at, expires_at)
    VALUES (?, ?, ?, ?, 0, ?, ?)
    ON CONFLICT DO UPDATE SET answer = excluded.answer, misses = 0,
        asked_at = excluded.asked_at, expires_at = excluded.expires_at
"""
# An alias heals a miss, but never takes the place of what was really asked.
_SAVE_ALIAS = f"{_SAVE_HIT} WHERE vendor_lookups.answer IS NULL"
_MISSES = "SELECT misses FROM vendor_lookups WHERE vendor = ? AND kind = ? AND value = ?"
_SAVE_MISS = """
    INSERT INTO vendor_lookups (vendor, kind, value, answer, misses, asked_at, expires_at)
    VALUES (?, ?, ?, NULL, ?, ?, ?)
    ON CONFLICT DO UPDATE SET answer = NULL, misses = excluded.misses,
        asked_at = excluded.asked_at, expires_at = excluded.expires_at
"""


@dataclass(frozen=True, slots=True)
class Remembered:
    """Hold one vendor's remembered answer: `info`, or None for a miss; `expires_at` in seconds since the epoch."""

    vendor: str
    info: ModelInfo | None
    asked_at: float
    expires_at: float

    def fresh(self, now: float) -> bool:
        """Tell whether the answer may be used without asking again; an answer from the future is not believed."""
        return now < self.expires_at and self.asked_at <= now + _TOLERANCE


class LookupCache:
    """Remember look-ups by vendor and key."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def recall(self, keys: Iterable[LookupKey]) -> dict[LookupKey, list[Remembered]]:
        """Return what is remembered of each key, fresh or not; keys that were never asked are left out."""
        wanted = list(dict.fromkeys(keys))
        found: dict[LookupKey, list[Remembered]] = {}
        for start in range(0, len(wanted), _KEYS_PER_QUERY):
            for row in await self._rows(wanted[start : start + _KEYS_PER_QUERY]):
                found.setdefault(LookupKey(row["kind"], row["value"]), []).append(_remembered(row))
        return found

    async def remember_hits(self, vendor: str, answers: Mapping[LookupKey, ModelInfo], now: float) -> None:
        """Store answers of one vendor under the keys that asked and under every safe name they give themselves."""
        async with self._database.transaction() as tx:
            await tx.run(lambda connection: _store_hits(connection, vendor, answers, now))

    async def remember_misses(self, vendor: str, keys: Iterable[LookupKey], now: float) -> None:
        """Store confirmed misses; each in a row is believed longer than the one before."""
        wanted = list(keys)
        async with self._database.transaction() as tx:
            await tx.run(lambda connection: _store_misses(connection, vendor, wanted, now))

    async def _rows(self, keys: Sequence[LookupKey]) -> list[Row]:
        marks = ",".join("(?, ?)" for _ in keys)
        values = [part for key in keys for part in (key.kind, key.value)]
        return await self._database.fetch_all(
            "SELECT l.vendor, l.kind, l.value, l.asked_at, l.expires_at, a.payload FROM vendor_lookups AS l"
            " LEFT JOIN vendor_answers AS a ON a.vendor = l.vendor AND a.name = l.answer"
            f" WHERE (l.kind, l.value) IN (VALUES {marks})",
            values,
        )


def _store_hits(
    connection: sqlite3.Connection, vendor: str, answers: Mapping[LookupKey, ModelInfo], now: float
) -> None:
    end = now + HIT_LASTS
    for key, info in answers.items():
        name = _name(key, info)
        connection.execute(_SAVE_ANSWER, (vendor, name, json.dumps(info.to_json()), now))
        connection.execute(_SAVE_HIT, (vendor, key.kind, key.value, name, now, end))
        rows = [(vendor, alias.kind, alias.value, name, now, end) for alias in aliases(info)]
        connection.executemany(_SAVE_ALIAS, rows)


def _store_misses(connection: sqlite3.Connection, vendor: str, keys: Sequence[LookupKey], now: float) -> None:
    for key in keys:
        row = connection.execute(_MISSES, (vendor, key.kind, key.value)).fetchone()
        misses = (row["misses"] if row else 0) + 1
        connection.execute(_SAVE_MISS, (vendor, key.kind, key.value, misses, now, now + miss_lasts(misses)))


def aliases(info: ModelInfo) -> list[LookupKey]:
    """Return the other names under which the same answer can be found again."""
    by_hash = [LookupKey(kind, one.hashes[kind]) for one in info.files for kind in _SAFE_ALIASES if kind in one.hashes]
    by_id = [LookupKey("version_id", str(info.version_id))] if info.version_id else []
    return by_id + by_hash


def _name(key: LookupKey, info: ModelInfo) -> str:
    """Return what an answer is kept under: its version id, or the question where it has none."""
    return str(info.version_id or key)


def _remembered(row: Row) -> Remembered:
    payload: Any = row["payload"]
    info = ModelInfo.from_json(json.loads(payload)) if payload is not None else None
    return Remembered(row["vendor"], info, row["asked_at"], row["expires_at"])
