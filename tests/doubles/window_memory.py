"""Windows that several gates share without a disk."""

from __future__ import annotations

from dataclasses import replace

from py.core.errors import StorageError
from py.core.ports import StoredWindow


class MemoryOfWindows:
    """Do what the SQLite store does, at once; `broken` makes every call fail."""

    def __init__(self):
        self.rows, self.next_turns, self.broken = {}, {}, False

    def _check(self):
        if self.broken:
            raise StorageError

    async def load(self):
        self._check()
        return list(self.rows.values())

    async def read(self, key):
        self._check()
        return self.rows.get(key)

    async def save(self, window):
        self._check()
        old = self.rows.get(window.key, StoredWindow(key=window.key, until=0, delay=0))
        now = window.until - window.delay
        if window.until >= old.until or old.until > now + old.delay:
            self.rows[window.key] = replace(window, serial=old.serial + 1, turns=old.turns)
        return self.rows[window.key].serial

    async def claim(self, key, *, now_wall, interval):
        self._check()
        turn = self.next_turns.get(key, now_wall)
        if not now_wall <= turn <= now_wall + max(100 * interval, 60.0):
            turn = now_wall
        self.next_turns[key] = turn + interval
        row = self.rows.get(key, StoredWindow(key=key, until=0, delay=0))
        self.rows[key] = replace(row, turns=row.turns + 1)
        return turn - now_wall, self.rows[key]
