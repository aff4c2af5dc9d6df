"""Keep the model library in step with the disk: scan, read, hash, and answer from it without a request."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from ..core.background import Background
from ..core.errors import StorageError
from ..core.outcomes import LookupKey
from ..core.ports import Clock
from ..jobs.store import number_of
from ..storage.database import Database
from ..vendors.model_info import ModelInfo
from .daemon import in_daemon_thread
from .describe import describe, save_descriptions
from .filter import ModelFilter
from .hash_queue import next_jobs
from .hasher import Hasher
from .models import ModelFile
from .scan import Root, compare, have_changed, is_offline, list_models
from .store import LibraryStore

logger = logging.getLogger(__name__)

Folders = Callable[[], Mapping[str, tuple[Path, ...]]]
_BATCH = 200
LOOK_SECONDS = 30.0  # between two looks at the folders


class Library:
    """Hold the library; `changed(numbers)` hears of files that were described or hashed, or are gone."""

    def __init__(
        self,
        database: Database,
        folders: Folders,
        clock: Clock,
        *,
        changed: Callable[[list[int]], None] = lambda _numbers: None,
    ) -> None:
        self.store = LibraryStore(database)
        self.hasher = Hasher(self.store, clock, changed, partial(database.read, next_jobs))
        self._database = database
        self._folders = folders
        self._clock = clock
        self._changed = changed
        self._scanning = asyncio.Lock()
        self._background = Background(self._watch)
        self._seen: dict[Root, dict[str, int]] = {}
        self._offline: set[str] = set()

    async def scan(self) -> dict[str, int]:
        """Bring the index in step with the disk; return how many files were added, changed, moved and gone.

        Headers and sidecars of new files are read before it returns; hashing is left to the background.
        """
        return await self._scan_roots(self._roots())

    def start(self) -> None:
        """Scan and hash in the background, and from now on whenever a folder changes; a second call does nothing."""
        self._background.start()

    def start_hashing(self) -> None:
        """Hash in the background what has no SHA256 yet, small files first."""
        self.hasher.start()

    async def hashed(self, file: ModelFile, wanted: Collection[str] = ()) -> ModelFile:
        """Return the file with its SHA256 and the `wanted` further kinds, hashing it now where one is missing."""
        return await self.hasher.hashed(file, wanted)

    async def hashing(self) -> dict[str, Any]:
        """Return whether hashing is ``paused`` and how many files are ``left`` without a SHA256."""
        return {"paused": self.hasher.paused, "left": await self.store.count_unhashed()}

    async def page(self, *, cursor: str | None = None, **wish: Any) -> dict[str, Any]:
        """Return models as ``{"items", "next_cursor", "total"}``; `wish` has the fields of `ModelFilter`."""
        given: dict[str, Any] = {name: value for name, value in wish.items() if value is not None}
        if (place := number_of(cursor)) is not None:
            given["offset"] = place
        asked = ModelFilter(**given).checked()
        found, total = await self.store.page(asked)
        seen = asked.offset + len(found)
        following = str(seen) if found and seen < total else None
        return {"items": [one.to_json() for one in found], "next_cursor": following, "total": total}

    async def model(self, number: int) -> dict[str, Any]:
        """Return one model; raise `NotFoundError` where there is none."""
        return (await self.store.get(number)).to_json()

    async def answers(self, keys: Iterable[LookupKey]) -> dict[LookupKey, ModelInfo]:
        """Return what the library itself can tell about keys."""
        return {key: _told(file) for key, file in (await self.store.by_key(keys)).items()}

    async def close(self) -> None:
        """Stop watching and hashing; what was hashed is kept."""
        await self._background.close()
        await self.hasher.close()

    def _roots(self) -> list[Root]:
        """Return the configured folders, each once."""
        found: dict[str, Root] = {}
        for kind, paths in self._folders().items():
            for path in paths:
                found.setdefault(str(path), Root(path, kind))
        return list(found.values())

    async def _watch(self) -> None:
        try:
            while True:
                changed = await in_daemon_thread(partial(_changed_roots, self._roots(), dict(self._seen)))
                if changed:
                    await self._scan_roots(changed)
                    self.start_hashing()
                await self._clock.sleep(LOOK_SECONDS)
        except StorageError as error:
            logger.warning("The model folders are not watched any more: %s", error)

    async def _scan_roots(self, roots: Iterable[Root]) -> dict[str, int]:
        counts = {"added": 0, "changed": 0, "moved": 0, "gone": 0}
        async with self._scanning:
            await self._forget_roots()
            for root in roots:
                for name, number in (await self._scan_root(root)).items():
                    counts[name] += number
            await self._describe_new()
        return counts

    async def _forget_roots(self) -> None:
        """Take the models of folders that are not configured any more for out of reach."""
        configured = {str(root.path) for root in self._roots()}
        for root in await self.store.roots():
            if root not in configured:
                await self.store.set_offline(root)

    async def _scan_root(self, root: Root) -> dict[str, int]:
        known = await self.store.stamps(str(root.path))
        if await in_daemon_thread(partial(is_offline, root, len(known))):
            if known:  # of a folder that never held a model there is nothing to say
                self._note_offline(root)
            self._seen[root] = {}
            await self.store.set_offline(str(root.path))
            return {}
        self._note_online(root)
        folders: dict[str, int] = {}
        others = {str(one.path) for one in self._roots()} - {str(root.path)}
        changes = await in_daemon_thread(lambda: compare(list_models(root, folders, others), known))
        self._seen[root] = folders
        gone = await self.store.apply(str(root.path), changes, self._clock.wall())
        if gone:
            self._changed(gone)
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


def _changed_roots(roots: Iterable[Root], seen: Mapping[Root, Mapping[str, int]]) -> list[Root]:
    """Return the roots that are new, have changed, or were out of reach and are back."""
    return [
        root
        for root in roots
        if root not in seen or have_changed(seen[root]) or (not seen[root] and not is_offline(root, known=1))
    ]


def _told(file: ModelFile) -> ModelInfo:
    """Return the file's description, or its own name where CivitAI confirmed that it knows none."""
    if file.knowledge.metadata is not None:
        return file.knowledge.metadata
    name = file.title or file.facts.get("title") or Path(file.file_name).stem
    base_model = file.base_model or file.facts.get("base_model")
    return ModelInfo(version_id=None, model_id=None, name=name, base_model=base_model, source="library")
