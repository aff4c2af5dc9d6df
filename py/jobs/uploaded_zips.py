"""Forget uploaded zips once no import needs them; of every image that became a recipe there is a copy."""

from __future__ import annotations

from pathlib import Path

from ..core.paths import storable
from ..storage.database import Database
from .zips import ENDING, INSIDE

KEPT_SECONDS = 7 * 86_400.0  # long enough to run again what failed

_NEEDED = """SELECT 1 FROM import_items WHERE instr(source, ?) = 1
    AND (status IN ('PENDING', 'READING', 'RESOLVING') OR retry_at IS NOT NULL) LIMIT 1"""


class UploadedZips:
    """Prune the zips in `folder`, where each upload has a folder of its own."""

    def __init__(self, database: Database, folder: Path) -> None:
        self._database = database
        self._folder = folder

    async def prune(self, now: float) -> int:
        """Delete zips that are old and needed by no import; return how many. `now` is in seconds since the epoch."""
        old = await self._database.read(lambda _: self._old(now - KEPT_SECONDS))
        unneeded = [path for path in old if not await self._is_needed(path)]
        await self._database.read(lambda _: _remove(unneeded))
        return len(unneeded)

    def _old(self, before: float) -> list[Path]:
        zips = (path for path in self._folder.glob("*/*") if path.name.lower().endswith(ENDING))
        return [path for path in zips if path.stat().st_mtime <= before]

    async def _is_needed(self, path: Path) -> bool:
        return await self._database.fetch_one(_NEEDED, (storable(f"{path}{INSIDE}"),)) is not None


def _remove(paths: list[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)
