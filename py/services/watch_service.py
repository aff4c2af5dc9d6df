"""Turn new images of watched folders into recipes by themselves."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from ..core.background import Background
from ..core.errors import InvalidRequestError, StorageError
from ..core.ports import Clock
from ..jobs.folder_events import listen
from ..jobs.request import ImportRequest
from ..jobs.watch_store import WatchStore
from ..jobs.watching import FolderScan
from ..storage.database import Database
from .batch_import_service import BatchImportService

logger = logging.getLogger(__name__)

POLL_SECONDS = 5.0
MOST_AT_ONCE = 1_000  # files of a folder in one import, whose list is kept; the next look brings the rest
SETTLE_SECONDS = 1.0  # after an event, so that one look finds what belongs together


class WatchService:
    """Look at the folders of the setting `watch_folders` and import what is new there.

    What is in a folder when watching it begins is left alone. Looks happen on a thread, every `POLL_SECONDS` and,
    where the operating system tells of changes, soon after them.
    """

    def __init__(
        self, database: Database, *, imports: BatchImportService, clock: Clock, settings: Callable[[str], Any]
    ) -> None:
        self._store = WatchStore(database)
        self._imports = imports
        self._clock = clock
        self._settings = settings
        self._scans: dict[Path, FolderScan] = {}
        self._background = Background(self._run)
        self._news = asyncio.Event()
        self._deaf: Callable[[], None] | None = None

    def start(self) -> None:
        """Begin; a second call does nothing."""
        self._background.start()

    async def close(self) -> None:
        """End; what was found is in the hands of the imports."""
        await self._background.close()
        self._stop_listening()

    async def look(self) -> str | None:
        """Look once at every folder; return the operation id of the import of what has arrived, or None."""
        await self._follow_setting()
        arrived: dict[Path, list[str]] = {}
        for folder, scan in self._scans.items():
            if paths := await asyncio.to_thread(scan.look):
                arrived[folder] = paths[:MOST_AT_ONCE]
        if not arrived:
            return None
        files = tuple(Path(path) for paths in arrived.values() for path in paths)
        operation = await self._imports.start(ImportRequest(files=files, origin="watch"))
        # Marked afterwards: a crash in between imports twice, and the second time finds duplicates.
        for folder, paths in arrived.items():
            await self._store.add(folder, paths)
            self._scans[folder].seen(paths)
        return operation

    async def _run(self) -> None:
        while True:
            try:
                await self.look()
            except (StorageError, InvalidRequestError) as error:
                logger.warning("watched folders: %s", error)
            await self._pause()

    async def _pause(self) -> None:
        """Wait for the next look: for news, or for the time to poll."""
        nap = asyncio.ensure_future(self._clock.sleep(POLL_SECONDS))
        news = asyncio.ensure_future(self._news.wait())
        try:
            await asyncio.wait({nap, news}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            nap.cancel()
            news.cancel()
            await asyncio.gather(nap, news, return_exceptions=True)
        if self._news.is_set():
            await self._clock.sleep(SETTLE_SECONDS)
            self._news.clear()

    async def _follow_setting(self) -> None:
        """Begin with folders that are new in the setting, and forget those that left it."""
        wanted, before = _folders(self._settings("watch_folders")), set(self._scans)
        if wanted == before:
            return
        await self._store.keep_only(wanted)
        for folder in before - wanted:
            del self._scans[folder]
        for folder in wanted - before:
            if await asyncio.to_thread(folder.is_dir):
                self._scans[folder] = await self._begin(folder)
        if set(self._scans) != before:
            self._listen()

    async def _begin(self, folder: Path) -> FolderScan:
        seen = await self._store.seen(folder)
        scan = FolderScan(folder, seen or ())
        if seen is None:
            await self._store.add(folder, await asyncio.to_thread(scan.everything))
        return scan

    def _listen(self) -> None:
        self._stop_listening()
        loop = asyncio.get_running_loop()

        def tell() -> None:
            loop.call_soon_threadsafe(self._news.set)

        self._deaf = listen(self._scans, tell) if self._scans else None

    def _stop_listening(self) -> None:
        if self._deaf is not None:
            self._deaf()
            self._deaf = None


def _folders(setting: Iterable[str]) -> set[Path]:
    return {Path(one).expanduser() for one in setting}
