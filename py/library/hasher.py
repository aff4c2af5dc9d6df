"""Hash the library's files: in the background, in the queue's order, and at once where somebody waits."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from ..core.background import Background
from ..core.errors import StorageError
from ..core.ports import Clock
from ..vendors.single_flight import SingleFlight
from .daemon import in_daemon_thread
from .hash_queue import HashJob
from .hashing import HashingStoppedError, hash_file
from .models import ModelFile
from .store import LibraryStore

logger = logging.getLogger(__name__)

Changed = Callable[[list[int]], None]
Queue = Callable[[], Awaitable[Sequence[HashJob]]]

# Types whose files are small enough, and named by AutoV3 often enough, to hash the weights in the same reading.
_WITH_AUTOV3 = frozenset({"loras", "embeddings"})


class Hasher:
    """Hash files of `store`; `queue()` says which are next, `changed(numbers)` hears of those that were."""

    def __init__(self, store: LibraryStore, clock: Clock, changed: Changed, queue: Queue) -> None:
        self._queue = queue
        self._store = store
        self._clock = clock
        self._changed = changed
        self._flights: SingleFlight[int, None] = SingleFlight()
        self._running = asyncio.Event()
        self._running.set()
        self._closed = False
        self._look_again = False
        self._background = Background(self._hash_all)

    def start(self) -> None:
        """Hash in the background what has no SHA256 yet, and what recipes need besides."""
        self._look_again = True
        self._background.start()

    def look_again(self) -> None:
        """Note that recipes may need other hashes now; does nothing where hashing was never started."""
        if self._background.was_started and not self._closed:
            self.start()

    @property
    def paused(self) -> bool:
        """Whether nothing is hashed at the moment, by a person's wish."""
        return not self._running.is_set()

    def pause(self) -> None:
        """Stop at the next block; the file under way is begun anew later."""
        self._running.clear()

    def resume(self) -> None:
        """Go on."""
        self._running.set()

    async def hashed(self, file: ModelFile, wanted: Collection[str] = ()) -> ModelFile:
        """Return the file with its SHA256 and the `wanted` further kinds, hashing it now where one is missing."""
        while not {"sha256", *wanted} <= file.hashes.keys() and not self._closed:
            await self._running.wait()
            with suppress(HashingStoppedError):
                await self._hash(file, wanted)
                break
        return await self._store.get(file.number)

    async def close(self) -> None:
        """Stop; what was hashed is kept."""
        self._closed = True
        await self._background.close()

    async def _hash_all(self) -> None:
        try:
            while self._look_again:
                self._look_again = False
                while jobs := await self._queue():
                    await self._hash_some(jobs)
        except StorageError as error:
            logger.warning("Model files are not hashed any more: %s", error)

    async def _hash_some(self, jobs: Sequence[HashJob]) -> None:
        for job in jobs:
            await self._running.wait()
            # A sync may have hashed the file since the queue was asked.
            for file in await self._store.files([job.number]):
                if file.hashed_at is None or not job.kinds <= file.hashes.keys():
                    with suppress(HashingStoppedError):
                        await self._hash(file, job.kinds)

    async def _hash(self, file: ModelFile, wanted: Collection[str]) -> None:
        """Hash a file; who asks while it is under way waits for the same reading."""
        await self._flights.run(file.number, lambda: self._hash_now(file, wanted))

    async def _hash_now(self, file: ModelFile, wanted: Collection[str]) -> None:
        kinds = {*wanted, *(("autov3",) if file.type in _WITH_AUTOV3 else ())} - file.hashes.keys()
        if file.hashed_at is None:
            kinds.add("sha256")
        abandoned = threading.Event()

        def stopped() -> bool:
            return abandoned.is_set() or self._closed or not self._running.is_set()

        try:
            hashes = await in_daemon_thread(partial(_hash_unchanged, file, kinds, stopped))
        except OSError as error:
            await self._store.save_hash_problem(file.number, error.strerror or str(error))
            return
        finally:
            abandoned.set()  # a thread that nobody waits for any more ends at its next block
        await self._store.save_hashes(file.number, hashes, self._clock.wall())
        self._changed([file.number])


def _hash_unchanged(file: ModelFile, kinds: Collection[str], stopped: Callable[[], bool]) -> dict[str, str]:
    """Hash a file; raise OSError where it is no longer the one that was scanned."""
    path = Path(file.path)
    hashes = hash_file(path, payload_start=file.facts.get("payload_start"), wanted=kinds, stopped=stopped)
    stat = path.stat()
    if (stat.st_size, stat.st_mtime_ns) != (file.size, file.mtime_ns):
        raise OSError("The file has changed since it was scanned.")
    return hashes
