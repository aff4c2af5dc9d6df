"""Ask about one model at once, because a person wants to know."""

from __future__ import annotations

import re
from typing import Any

from ...core.errors import ConflictError, InvalidRequestError
from ...core.outcomes import AbsentConfirmed, LookupKey
from ...library.states import learned
from ...library.written import write_sidecars
from ...vendors.chain import Outcome
from ...vendors.sources import Terms
from ..model_metadata_provider import FallbackMetadataProvider
from .outcome_words import word_for
from .run import Tools

_VERSION_IN_URL = re.compile(r"[?&]modelVersionId=(\d+)|/model-versions/(\d+)")


class SingleModel:
    """Refresh or relink one model; both return the model, with the outcome in one word."""

    def __init__(self, tools: Tools, provider: FallbackMetadataProvider) -> None:
        self._tools = tools
        self._provider = provider

    async def refresh(self, number: int) -> dict[str, Any]:
        """Hash the file where needed and ask the vendors, whatever is remembered."""
        library = self._tools.library
        file = await library.store.get(number)
        if file.key is None and library.hasher.paused:
            raise ConflictError("This file has no hash yet, and hashing is paused. Resume it, then ask again.")
        file = await library.hashed(file)
        if file.key is None:
            raise ConflictError(f"The file cannot be read: {file.hash_problem}")
        terms = Terms(lane="interactive", fresh=True)
        return await self._learn(number, await self._provider.ask(file.key, terms=terms))

    async def relink(self, number: int, *, version_id: int | None, url: str | None) -> dict[str, Any]:
        """Describe the file by the version that a person names."""
        found = _VERSION_IN_URL.search(url or "")
        named = version_id or (int(found[1] or found[2]) if found else None)
        if named is None:
            raise InvalidRequestError("Name a model version: its id, or an address with modelVersionId in it.")
        await self._tools.library.store.get(number)
        outcome = await self._provider.ask(LookupKey("version_id", str(named)), terms=Terms(lane="interactive"))
        if isinstance(outcome, AbsentConfirmed):
            # That the named version is not there says nothing about this file.
            return {**await self._tools.library.model(number), "outcome": word_for(outcome)}
        return await self._learn(number, outcome)

    async def _learn(self, number: int, outcome: Outcome) -> dict[str, Any]:
        store = self._tools.library.store
        file = await store.get(number)
        await store.save_knowledge({number: learned(file.knowledge, outcome, self._tools.clock.wall())})
        if self._tools.wants_sidecars():
            await write_sidecars([await store.get(number)])
        self._tools.models_changed([number])
        return {**await self._tools.library.model(number), "outcome": word_for(outcome)}
