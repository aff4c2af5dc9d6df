"""Describe many model files with as few requests as CivitAI's routes allow.

1. What earlier answers settle needs no request.
2. One request turns up to 10,000 SHA256 into model and version ids.
3. Each hundred models come whole, with tags, creator and their newest version; where one of these two routes is not
   there, a hundred versions a request come by their hashes.
4. What is left is asked for singly, since only the single route can confirm a miss.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence

from ...core.errors import NO_SUCH_ROUTE, VendorError
from ...core.outcomes import Found, LookupKey
from ...vendors.bulk import chunks
from ...vendors.chain import Outcome
from ...vendors.civitai.urls import HASHES_PER_CALL, HASHES_PER_IDS_CALL, IDS_PER_CALL
from ...vendors.hashes import contradicts
from ...vendors.model_info import ModelInfo
from ...vendors.outcome_of import outcome_of
from ...vendors.sources import Terms
from ..civitai_client import CivitaiClient
from ..model_metadata_provider import FallbackMetadataProvider

Answers = dict[LookupKey, Outcome]
Tell = Callable[[Answers], Awaitable[None]]
Ids = dict[LookupKey, tuple[int, int]]


class Describer:
    """Ask for many files by SHA256."""

    def __init__(self, provider: FallbackMetadataProvider, civitai: CivitaiClient) -> None:
        self._provider = provider
        self._civitai = civitai

    async def describe(self, keys: Sequence[LookupKey], tell: Tell, *, fresh: bool = False) -> None:
        """Await `tell` with outcomes, in parts as they come, until every key has one.

        `fresh` asks also for what is remembered. An error that `tell` raises ends everything that is under way.
        """
        known: Answers = {} if fresh else {**await self._provider.remembered(keys)}
        if known:
            await tell(known)
        for group in chunks([key for key in keys if key not in known], HASHES_PER_IDS_CALL):
            await _Round(self._provider, self._civitai, tell, Terms(fresh=fresh)).ask(group)

    async def archived(self, keys: Sequence[LookupKey]) -> Answers:
        """Return what the local archive knows, when no vendor is to be asked any more."""
        return {**await self._provider.archived(keys)}


class _Round:
    """Ask once about up to 10,000 files."""

    def __init__(self, provider: FallbackMetadataProvider, civitai: CivitaiClient, tell: Tell, terms: Terms) -> None:
        self._provider = provider
        self._civitai = civitai
        self._tell = tell
        self._terms = terms

    async def ask(self, group: Sequence[LookupKey]) -> None:
        """Ask by the route that needs the fewest requests and is there."""
        try:
            ids = await self._ids(group)
        except NO_SUCH_ROUTE:
            await self._by_hash(group)
            return
        except VendorError as error:
            await self._singly(group, self._outcome(error))
            return
        for part in chunks(sorted({model_id for model_id, _ in ids.values()}), IDS_PER_CALL):
            models = set(part)
            await self._models({key: one for key, one in ids.items() if one[0] in models})
        await self._singly([key for key in group if key not in ids])

    async def _ids(self, group: Sequence[LookupKey]) -> Ids:
        """Return the ids of the files that CivitAI knows; a single file is not worth the extra request."""
        if len(group) == 1:
            return {}
        found = await self._civitai.get_version_ids([key.value for key in group])
        return {key: found[key.value] for key in group if key.value in found}

    async def _models(self, ids: Ids) -> None:
        """Fetch up to a hundred whole models; versions that are left out are asked for by hash."""
        try:
            models = await self._civitai.get_models(sorted({model_id for model_id, _ in ids.values()}))
        except NO_SUCH_ROUTE:
            models = {}
        except VendorError as error:
            await self._singly(ids, self._outcome(error))
            return
        found = _matched(ids, [info for versions in models.values() for info in versions])
        await self._found(found)
        await self._by_hash([key for key in ids if key not in found])

    async def _by_hash(self, keys: Sequence[LookupKey]) -> None:
        """Fetch versions, a hundred at a time; what is left out is asked for singly."""
        for part in chunks(keys, HASHES_PER_CALL):
            try:
                infos = await self._bulk(part)
            except NO_SUCH_ROUTE:
                infos = {}
            except VendorError as error:
                await self._singly(part, self._outcome(error))
                continue
            await self._found({key: infos[key.value] for key in part if key.value in infos})
            await self._singly([key for key in part if key.value not in infos])

    async def _bulk(self, part: Sequence[LookupKey]) -> dict[str, ModelInfo]:
        if len(part) == 1:
            return {}
        return await self._civitai.get_models_by_sha256([key.value for key in part])

    async def _found(self, found: dict[LookupKey, ModelInfo]) -> None:
        if found:
            await self._provider.remember(found)
            await self._tell({key: Found(info, "civitai") for key, info in found.items()})

    async def _singly(self, keys: Iterable[LookupKey], told: Outcome | None = None) -> None:
        """Ask for each key by itself, all at once; the gate keeps the pace, and a slow vendor holds up only its own.

        Where CivitAI has failed already, `told` is how, and only a local archive is asked.
        """
        tasks = {asyncio.ensure_future(self._provider.ask(key, told, terms=self._terms)): key for key in keys}
        done: asyncio.Queue[asyncio.Task[Outcome]] = asyncio.Queue()
        for task in tasks:
            task.add_done_callback(done.put_nowait)
        try:
            while tasks:
                finished = [await done.get()]
                while not done.empty():
                    finished.append(done.get_nowait())
                await self._tell({tasks.pop(task): task.result() for task in finished})
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def _outcome(self, error: VendorError) -> Outcome:
        return outcome_of(error, "civitai", self._civitai.host)


def _matched(ids: Ids, infos: Iterable[ModelInfo]) -> dict[LookupKey, ModelInfo]:
    """Return the described version for each key, where it is the one that the ids named."""
    by_version = {info.version_id: info for info in infos}
    found = {key: by_version[version] for key, (_, version) in ids.items() if version in by_version}
    return {key: info for key, info in found.items() if not contradicts(key, [one.hashes for one in info.files])}
