"""Answer "which model is this?" from memory, then from the vendors in their order, with a typed outcome."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any

from ..core.errors import VendorError
from ..core.outcomes import AbsentConfirmed, Found, LookupKey, RateLimited
from ..core.ports import Clock, Lane
from ..vendors.bulk import chunks, worth_a_bulk_request
from ..vendors.cache_store import LookupCache
from ..vendors.chain import Answered, Ask, Circumstances, Outcome, Provider, Stop, next_step, with_misses
from ..vendors.checked import identity
from ..vendors.civitai.urls import HASHES_PER_CALL
from ..vendors.memory import Memory, by_vendor, or_stale
from ..vendors.model_info import ModelInfo
from ..vendors.outcome_of import outcome_of
from ..vendors.single_flight import SingleFlight
from ..vendors.sources import Archive, LocalAnswers, Terms
from .civarchive_client import CivArchiveClient
from .civitai_client import CivitaiClient
from .lookups.bulk import ask_in_bulk

AT_THE_GATE = 6  # batch questions that stand at one vendor's gate at a time


class FallbackMetadataProvider:
    """Look models up: library, cache, CivitAI, CivArchive, local archive; `vendors/chain` says who follows whom.

    The same question is never under way twice. `at_cap(host)` is the connectivity guard's word that a host has been
    out of reach for long; `note_saved(host, count)` hears of look-ups that took no request; `max_wait(lane)` and
    `retry_at(host)` are the gate's word on how long one may wait for a closed window, and when it opens.
    """

    def __init__(
        self,
        *,
        civitai: CivitaiClient,
        civarchive: CivArchiveClient,
        cache: LookupCache,
        clock: Clock,
        at_cap: Callable[[str], bool],
        civarchive_enabled: Callable[[], bool] = lambda: True,
        archive: Archive | None = None,
        library: LocalAnswers | None = None,
        note_saved: Callable[[str, int], None] = lambda _host, _count: None,
        max_wait: Callable[[Lane], float] = lambda _lane: 300.0,
        retry_at: Callable[[str], float | None] = lambda _host: None,
    ) -> None:
        self._civitai = civitai
        self._civarchive = civarchive
        self._cache = cache
        self._clock = clock
        self._at_cap = at_cap
        self._civarchive_enabled = civarchive_enabled
        self._archive = archive
        self._library = library
        self._note_saved = note_saved
        self._max_wait = max_wait
        self._retry_at = retry_at
        # Thousands may want to ask at once. At the gate their patience runs, and the last ones would give up before
        # their turn; here waiting costs nothing. One queue a vendor, so that a closed one holds up only its own.
        self._turns = {name: asyncio.Semaphore(AT_THE_GATE) for name in ("civitai", "civarchive")}
        self._flights: SingleFlight[LookupKey, Outcome] = SingleFlight()
        self._bulk_flights: SingleFlight[tuple[LookupKey, ...], dict[LookupKey, Outcome]] = SingleFlight()

    async def get_model_version_info(
        self, key: LookupKey, *, lane: Lane = "batch", deadline: float | None = None
    ) -> Outcome:
        """Return what the look-up of `key` ends in; `deadline` is in the clock's monotonic seconds."""
        local = await self._local([key])
        return local.get(key) or await self.ask(key, terms=Terms(lane=lane, deadline=deadline))

    async def ask(self, key: LookupKey, told: Outcome | None = None, *, terms: Terms | None = None) -> Outcome:
        """Look up past the library, which asks for itself; `told` is CivitAI's answer where it is known already."""
        agreed = terms or Terms()
        joins = key in self._flights
        flight = self._flights.run(key, lambda: self._look_up(key, agreed, told))
        return await (self._joined(flight, agreed) if joins else flight)

    async def get_many(
        self, keys: Iterable[LookupKey], *, lane: Lane = "batch", deadline: float | None = None
    ) -> dict[LookupKey, Outcome]:
        """Return what each look-up ends in: memory first, then the bulk route, then one by one."""
        wanted = list(dict.fromkeys(keys))
        outcomes: dict[LookupKey, Outcome] = {**await self.known(wanted)}
        unknown = [key for key in wanted if key not in outcomes]
        groups = chunks(worth_a_bulk_request(unknown), HASHES_PER_CALL)
        group_of = {key: group for group in groups for key in group}
        terms = Terms(lane=lane, deadline=deadline)
        answers = await asyncio.gather(*(self._one_of_many(key, group_of.get(key), terms) for key in unknown))
        return outcomes | dict(zip(unknown, answers, strict=True))

    async def known(self, keys: Iterable[LookupKey]) -> dict[LookupKey, Found[ModelInfo] | AbsentConfirmed]:
        """Return the keys that library and memory answer, without a request."""
        wanted = list(dict.fromkeys(keys))
        local = await self._local(wanted)
        return {**local, **await self.remembered([key for key in wanted if key not in local])}

    async def remembered(self, keys: Iterable[LookupKey]) -> dict[LookupKey, Found[ModelInfo] | AbsentConfirmed]:
        """Return the keys that the vendors' fresh answers of the past settle."""
        wanted = list(keys)
        memories = await self._cache.recall(wanted)
        now = self._circumstances()
        steps = {key: self._from_memory(key, by_vendor(memories.get(key, ())), now) for key in wanted}
        answers = {key: step.outcome for key, step in steps.items() if isinstance(step, Stop)}
        if answers:
            self._note_saved(self._civitai.host, len(answers))
        return {key: one for key, one in answers.items() if isinstance(one, Found | AbsentConfirmed)}

    async def archived(self, keys: Iterable[LookupKey]) -> dict[LookupKey, Found[ModelInfo]]:
        """Return what the local archive knows, for callers who have given up asking vendors for now."""
        if self._archive is None or not self._archive.available:
            return {}
        found = {key: await self._archive.find(key) for key in keys}
        return {key: Found(info, "archive_db") for key, info in found.items() if info is not None}

    async def remember(self, found: Mapping[LookupKey, ModelInfo]) -> None:
        """Keep what CivitAI has answered to somebody who asked it in bulk."""
        await self._cache.remember_hits("civitai", found, self._clock.wall())

    async def _local(self, keys: Sequence[LookupKey]) -> dict[LookupKey, Found[ModelInfo] | AbsentConfirmed]:
        if self._library is None or not keys:
            return {}
        told = await self._library.answers(keys)
        if told:
            self._note_saved(self._civitai.host, len(told))
        return {key: Found(info, "library") for key, info in told.items()}

    async def _one_of_many(self, key: LookupKey, group: tuple[LookupKey, ...] | None, terms: Terms) -> Outcome:
        """Answer one key of many, from its group's bulk request where it has one."""

        async def look_up() -> Outcome:
            if group is None:
                return await self._look_up(key, terms)
            told = await self._bulk_flights.run(group, lambda: self._ask_bulk(group, terms))
            # What a bulk answer leaves out may still exist: only the single route confirms a miss.
            return await self._look_up(key, terms, told.get(key))

        return await self._flights.run(key, look_up)

    async def _ask_bulk(self, group: tuple[LookupKey, ...], terms: Terms) -> dict[LookupKey, Outcome]:
        """Ask CivitAI for up to 100 files at once, but for those that somebody has been told of meanwhile."""
        async with self._turn("civitai", terms):
            memories = await self._cache.recall(group)
            told = {key: self._remembered("civitai", by_vendor(memories.get(key, ()))) for key in group}
            known = {key: outcome for key, outcome in told.items() if outcome is not None}
            answers = await ask_in_bulk(self._civitai, [key for key in group if key not in known], terms)
            await self.remember({key: one.value for key, one in answers.items() if isinstance(one, Found)})
            return known | answers

    def _from_memory(self, key: LookupKey, memory: Memory, circumstances: Circumstances) -> Ask | Stop:
        """Follow the chain as far as memory leads."""
        answered: list[Answered] = []
        while True:
            step = _next(key, answered, circumstances)
            if isinstance(step, Stop):
                return Stop(with_misses(step.outcome, answered))
            outcome = self._remembered(step.provider, memory)
            if outcome is None:
                return step
            answered.append(Answered(step.provider, outcome))

    async def _look_up(self, key: LookupKey, terms: Terms, told: Outcome | None = None) -> Outcome:
        """Follow the chain to its end; `told` is CivitAI's answer where it is known already."""
        memory = await self._recall(key)
        answered = [Answered("civitai", told)] if told else []
        while isinstance(step := _next(key, answered, self._circumstances()), Ask):
            outcome = None if terms.fresh else self._remembered(step.provider, memory)
            if outcome is None:
                outcome = await self._in_turn(step.provider, key, terms)
            elif step.provider == "civitai":
                self._note_saved(self._civitai.host, 1)
            answered.append(Answered(step.provider, outcome))
        outcome = with_misses(step.outcome, answered)
        return outcome if terms.fresh else or_stale(outcome, memory)

    def _circumstances(self) -> Circumstances:
        return Circumstances(
            civarchive_enabled=self._civarchive_enabled(),
            archive_available=self._archive is not None and self._archive.available,
            civitai_long_down=self._at_cap(self._civitai.host),
            civarchive_long_down=self._at_cap(self._civarchive.host),
        )

    def _remembered(self, provider: Provider, memory: Memory) -> Outcome | None:
        """Return a provider's remembered answer while it is fresh."""
        one = memory.get(provider)
        if one is None or not one.fresh(self._clock.wall()):
            return None
        return AbsentConfirmed((provider,)) if one.info is None else Found(one.info, "cache")

    async def _recall(self, key: LookupKey) -> Memory:
        return by_vendor((await self._cache.recall([key])).get(key, ()))

    async def _in_turn(self, provider: Provider, key: LookupKey, terms: Terms) -> Outcome:
        """Ask one provider, a batch question in its turn, unless somebody has been told the answer meanwhile."""
        async with self._turn(provider, terms):
            told = None if terms.fresh else self._remembered(provider, await self._recall(key))
            return told or await self._asked(provider, key, terms)

    def _turn(self, provider: Provider, terms: Terms) -> AbstractAsyncContextManager[Any]:
        return self._turns[provider] if terms.lane == "batch" and provider in self._turns else nullcontext()

    async def _asked(self, provider: Provider, key: LookupKey, terms: Terms) -> Outcome:
        """Ask one provider and remember what it says, unless that is nothing to rely on."""
        try:
            info = await self._question(provider, key, terms)
        except VendorError as error:
            host = self._civarchive.host if provider == "civarchive" else self._civitai.host
            outcome = outcome_of(error, provider, host)
            if isinstance(outcome, AbsentConfirmed):
                await self._cache.remember_misses(provider, [key], self._clock.wall())
            return outcome
        if info is None:
            return AbsentConfirmed((provider,))
        await self._cache.remember_hits(provider, {key: info}, self._clock.wall())
        return Found(info, provider)

    async def _joined(self, flight: Coroutine[Any, Any, Outcome], terms: Terms) -> Outcome:
        """Wait for somebody else's look-up, but not longer than one's own patience."""
        left = self._max_wait(terms.lane) if terms.deadline is None else terms.deadline - self._clock.monotonic()
        answer = asyncio.ensure_future(flight)
        patience = asyncio.ensure_future(self._clock.sleep(max(0.0, left)))
        try:
            await asyncio.wait({answer, patience}, return_when=asyncio.FIRST_COMPLETED)
            closed_until = None if answer.done() else self._retry_at(self._civitai.host)
            # Only a closed window tries one's patience; standing in line at an open one does not.
            return await answer if closed_until is None else RateLimited(self._civitai.host, closed_until)
        finally:
            answer.cancel()
            patience.cancel()
            await asyncio.gather(answer, patience, return_exceptions=True)

    async def _question(self, provider: Provider, key: LookupKey, terms: Terms) -> ModelInfo | None:
        lane, deadline = terms.lane, terms.deadline
        if provider == "archive_db":
            return await self._archive.find(key) if self._archive else None
        if provider == "civitai":
            return await self._civitai.find(key, lane=lane, deadline=deadline)
        return await self._civarchive.get_model_by_sha256(key.value, lane=lane, deadline=deadline)


def _next(key: LookupKey, answered: Sequence[Answered], circumstances: Circumstances) -> Ask | Stop:
    if key.kind == "version_id" and identity(key.value) is None:
        return Stop(AbsentConfirmed(()))  # no vendor's database can hold such an id
    return next_step(key, answered, circumstances)
