"""Keep the model library in step with the disk: scan, read, hash, and answer from it without a request."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from ..core.errors import InvalidRequestError
from ..core.outcomes import LookupKey
from ..core.ports import Clock
from ..storage.database import Database
from ..vendors.model_info import ModelInfo
from .daemon import in_daemon_thread
from .describe import describe, save_descriptions
from .hashing import HashingStoppedError, hash_file
from .models import ModelFile
from .scan import Root, compare, is_offline, list_models
from .store import LibraryStore

logger = logging.getLogger(__name__)

Folders = Callable[[], Mapping[str, tuple[Path, ...]]]
_BATCH = 200
MAX_PAGE = 500
# Types whose files are small enough, and named by AutoV3 often enough, to hash the weights in the same reading.
_WITH_AUTOV3 = frozenset({"loras", "embeddings"})


class Library:
    """Hold the library; `changed(numbers)` hears of files that were described or hashed."""

    def __init__(
        self,
        database: Database,
        folders: Folders,
        clock: Clock,
        *,
        changed: Callable[[list[int]], None] = lambda _numbers: None,
    ) -> None:
        self.store = LibraryStore(database)
        self._database = database
        self._folders = folders
        self._clock = clock
        self._changed = changed
        self._scanning = asyncio.Lock()
        self._running = asyncio.Event()
        self._running.set()
        self._closed = False
        self._background: asyncio.Task[None] | None = None
        self._offline: set[str] = set()

    async def scan(self) -> dict[str, int]:
        """Bring the index in step with the disk; return how many files were added, changed, moved and gone.

        Headers and sidecars of new files are read before it returns; hashing is left to the background.
        """
        counts = {"added": 0, "changed": 0, "moved": 0, "gone": 0}
        async with self._scanning:
            for root in self._roots():
                for name, number in (await self._scan_root(root)).items():
                    counts[name] += number
            await self._describe_new()
        return counts

    def start_hashing(self) -> None:
        """Hash in the background what has no SHA256 yet, small files first; does nothing where that runs already."""
        if self._background is None or self._background.done():
            self._background = asyncio.get_running_loop().create_task(self._hash_all())

    def pause_hashing(self) -> None:
        """Stop hashing at the next block; the file under way is begun anew later."""
        self._running.clear()

    def resume_hashing(self) -> None:
        """Go on hashing."""
        self._running.set()

    async def hashed(self, file: ModelFile, wanted: Collection[str] = ()) -> ModelFile:
        """Return the file with its SHA256 and the `wanted` further kinds, hashing it now where one is missing."""
        if not {"sha256", *wanted} <= file.hashes.keys():
            await self._hash(file, wanted)
        return await self.store.get(file.number)

    async def page(
        self,
        type: str | None = None,  # noqa: A002 - the contract's word
        q: str | None = None,
        state: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> dict[str, Any]:
        """Return models that fit every filter, in order, as ``{"items", "next_cursor"}``."""
        if cursor is not None and not cursor.isdecimal():
            raise InvalidRequestError("That cursor is not one of ours.")
        limit = max(1, min(limit, MAX_PAGE))
        found = await self.store.page(type, q, state, limit + 1, int(cursor or 0))
        following = str(found[limit - 1].number) if len(found) > limit else None
        return {"items": [one.to_json() for one in found[:limit]], "next_cursor": following}

    async def model(self, number: int) -> dict[str, Any]:
        """Return one model; raise `NotFoundError` where there is none."""
        return (await self.store.get(number)).to_json()

    async def answers(self, keys: Iterable[LookupKey]) -> dict[LookupKey, ModelInfo]:
        """Return what the library itself can tell about keys."""
        return {key: _told(file) for key, file in (await self.store.by_key(keys)).items()}

    async def close(self) -> None:
        """Stop hashing; what was hashed is kept."""
        self._closed = True
        if self._background is not None:
            self._background.cancel()
            with suppress(asyncio.CancelledError):
                await self._background

    def _is_stopped(self) -> bool:
        return self._closed or not self._running.is_set()

    def _roots(self) -> list[Root]:
        """Return the configured folders, each once."""
        found: dict[str, Root] = {}
        for kind, paths in self._folders().items():
            for path in paths:
                found.setdefault(str(path), Root(path, kind))
        return list(found.values())

    async def _scan_root(self, root: Root) -> dict[str, int]:
        known = await self.store.stamps(str(root.path))
        if await in_daemon_thread(partial(is_offline, root, len(known))):
            self._note_offline(root)
            await self.store.set_offline(str(root.path))
            return {}
        self._note_online(root)
        changes = compare(await in_daemon_thread(lambda: list(list_models(root))), known)
        await self.store.apply(str(root.path), changes, self._clock.wall())
        return {name: len(getattr(changes, name)) for name in ("added", "changed", "moved", "gone")}

    def _note_offline(self, root: Root) -> None:
        if str(root.path) not in self._offline:
            self._offline.add(str(root.path))
            logger.warning("A model folder (%s) cannot be found; its models are kept.", root.type)

    def _note_online(self, root: Root) -> None:
        if str(root.path) in self._offline:
            self._offline.discard(str(root.path))
            logger.info("A model folder (%s) can be found again.", root.type)

    async def _describe_new(self) -> None:
        while files := await self.store.unread(_BATCH):
            found = await in_daemon_thread(partial(describe, files))
            now = self._clock.wall()
            async with self._database.transaction() as tx:
                await tx.run(partial(save_descriptions, descriptions=found, now=now))
            self._changed([one.number for one in files])

    async def _hash_all(self) -> None:
        while files := await self.store.unhashed(1):
            await self._running.wait()
            with suppress(HashingStoppedError):
                await self._hash(files[0], ())

    async def _hash(self, file: ModelFile, wanted: Collection[str]) -> None:
        kinds = {"sha256", *wanted}
        if file.type in _WITH_AUTOV3 and "autov3" not in file.hashes:
            kinds.add("autov3")
        try:
            hashes = await in_daemon_thread(partial(_hash_unchanged, file, kinds, self._is_stopped))
        except OSError as error:
            await self.store.save_hash_problem(file.number, error.strerror or str(error))
            return
        await self.store.save_hashes(file.number, hashes, self._clock.wall())
        self._changed([file.number])


def _hash_unchanged(file: ModelFile, kinds: Collection[str], stopped: Callable[[], bool]) -> dict[str, str]:
    """Hash a file; raise OSError where it is no longer the one that was scanned."""
    path = Path(file.path)
    hashes = hash_file(path, payload_start=file.facts.get("payload_start"), wanted=kinds, stopped=stopped)
    stat = path.stat()
    if (stat.st_size, stat.st_mtime_ns) != (file.size, file.mtime_ns):
        raise OSError("The file has changed since it was scanned.")
    return hashes


def _told(file: ModelFile) -> ModelInfo:
    """Return the file's description, or its own name where CivitAI confirmed that it knows none."""
    if file.knowledge.metadata is not None:
        return file.knowledge.metadata
    name = file.title or file.facts.get("title") or Path(file.file_name).stem
    base_model = file.base_model or file.facts.get("base_model")
    return ModelInfo(version_id=None, model_id=None, name=name, base_model=base_model, source="library")
