"""Keep vendors' windows in the database, so that they outlive the process and are shared with others."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..core.ports import StoredWindow
from .database import Database, Row

# The later deadline stands. One that a moved clock put further away than its own length does not count as later.
_SAVE = """
INSERT INTO windows (key, until, delay, refusals, ceiling, serial)
VALUES (:key, :until, :delay, :refusals, :ceiling, 1)
ON CONFLICT (key) DO UPDATE SET
    until = excluded.until, delay = excluded.delay, refusals = excluded.refusals,
    ceiling = excluded.ceiling, serial = serial + 1
WHERE excluded.until >= until OR until > :now + delay
"""
# A turn further away than 100 intervals was given by a clock that has been moved since.
_CLAIM = """
INSERT INTO windows (key, next_turn, turns) VALUES (:key, :now + :interval, 1)
ON CONFLICT (key) DO UPDATE SET
    turns = turns + 1,
    next_turn = :interval + CASE WHEN next_turn BETWEEN :now AND :furthest THEN next_turn ELSE :now END
"""
_FURTHEST = 100


class WindowStore:
    """Implement `WindowMemory` on the one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def load(self) -> Sequence[StoredWindow]:
        """Return every window; rows that make no sense are left out."""
        rows = await self._database.fetch_all("SELECT * FROM windows")
        return [window for window in map(_window, rows) if window is not None]

    async def read(self, key: str) -> StoredWindow | None:
        """Return one window as it stands now."""
        row = await self._database.fetch_one("SELECT * FROM windows WHERE key = ?", (key,))
        return None if row is None else _window(row)

    async def save(self, window: StoredWindow) -> int:
        """Write a window unless a later deadline stands; return the row's serial."""
        values = {
            "key": window.key,
            "until": window.until,
            "delay": window.delay,
            "refusals": window.refusals,
            "ceiling": window.ceiling,
            "now": window.until - window.delay,
        }
        async with self._database.transaction() as tx:
            await tx.execute(_SAVE, values)
            row = await tx.fetch_one("SELECT serial FROM windows WHERE key = ?", (window.key,))
        return 0 if row is None else int(row["serial"])

    async def claim(self, key: str, *, now_wall: float, interval: float) -> tuple[float, StoredWindow | None]:
        """Take the next turn, `interval` seconds after the last; return the seconds until then, and the row."""
        furthest = now_wall + max(_FURTHEST * interval, 60.0)
        values = {"key": key, "now": now_wall, "interval": interval, "furthest": furthest}
        async with self._database.transaction() as tx:
            await tx.execute(_CLAIM, values)
            row = await tx.fetch_one("SELECT * FROM windows WHERE key = ?", (key,))
        if row is None:
            return 0.0, None
        return max(0.0, float(row["next_turn"]) - interval - now_wall), _window(row)


def _window(row: Row) -> StoredWindow | None:
    """Build from a row; None for values that no process of ours writes."""
    until, delay, ceiling = row["until"], row["delay"], row["ceiling"]
    numbers = [until, delay, row["refusals"], 0.0 if ceiling is None else ceiling]
    if not all(isinstance(one, float | int) and math.isfinite(one) for one in numbers):
        return None
    return StoredWindow(
        key=str(row["key"]),
        until=float(until),
        delay=float(delay),
        refusals=int(row["refusals"]),
        ceiling=None if ceiling is None else float(ceiling),
        serial=int(row["serial"]),
        turns=int(row["turns"]),
    )
