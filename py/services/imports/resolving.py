"""Ask for the references of a job: each once, the one that most images wait for first."""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Iterable
from functools import partial
from heapq import nlargest
from itertools import islice
from typing import TYPE_CHECKING

from ...core.outcomes import AbsentConfirmed, Found, LookupKey, Malformed, Unauthorised, Unreachable
from ...jobs import items
from ...jobs.states import HOLDING, ItemStatus
from ...jobs.together import together
from ...jobs.vendor_stage import Outcome, PutOff, VendorStage
from .answers import answer_of
from .tools import Tools

if TYPE_CHECKING:
    from .run import ImportRun

PLAN = 32  # keys that are put in order at a time
BULK = 100  # keys in one bulk request
BULK_KIND = "sha256"


class Resolver:
    """Hold which keys a run waits for, and ask for them.

    `trouble` is what ended the vendor stage early, if anything did; `in_flight` the keys being asked for now.
    """

    def __init__(self, run: ImportRun, tools: Tools) -> None:
        self._run = run
        self._tools = tools
        self._stage = VendorStage(tools.primary_host())
        self._wanted: Counter[LookupKey] = Counter()
        self._plan: list[LookupKey] = []
        self._news = asyncio.Event()
        self.in_flight: set[LookupKey] = set()
        self.trouble: PutOff | None = None
        self._blocked_until = math.inf

    async def begin(self) -> None:
        """Take up what an earlier run was waiting for; what has become known since needs no request."""
        database = self._tools.database
        self._wanted = Counter(await database.read(partial(items.wanted, job=self._run.job.number)))
        await self._run.known(set(self._wanted))
        found = self._run.answered(set(self._wanted))
        for key in found:
            del self._wanted[key]
        await self._run.settle(found)

    def wants(self, key: LookupKey) -> bool:
        """Whether the key is being waited for, so that a look at the cache would be in vain."""
        return key in self._wanted

    def add(self, keys: Iterable[LookupKey]) -> None:
        """Note that one more item waits for each of these keys."""
        self._wanted.update(keys)
        self.wake()

    def wake(self) -> None:
        """Say that there may be something to do, or nothing any more."""
        self._news.set()

    def waiting_items(self) -> int:
        """Return how many waits hang on the keys that are being asked for right now."""
        return sum(self._wanted[key] for key in self.in_flight)

    async def run(self) -> None:
        """Ask until nothing is wanted, or the vendor stage has ended; then put off what is left."""
        count = int(self._tools.settings("batch_import_concurrency"))
        await together(*(self._work() for _ in range(count)))
        if self.trouble is not None:
            await self._ask_archive()
            await self._put_off(self.trouble, None)
            await self._date_earlier(self.trouble)

    async def _ask_archive(self) -> None:
        """Let the local archive answer what no vendor will be asked any more."""
        found = await self._tools.provider.archived(list(self._wanted))
        await self._take(dict(found))

    async def _work(self) -> None:
        while keys := await self._next():
            self.in_flight.update(keys)
            self._run.show()
            try:
                await self._take(await self._ask(keys))
            finally:
                self.in_flight.difference_update(keys)
                self.wake()

    async def _ask(self, keys: list[LookupKey]) -> dict[LookupKey, Outcome]:
        if len(keys) == 1:
            return {keys[0]: await self._tools.provider.get_model_version_info(keys[0])}
        return await self._tools.provider.get_many(keys)

    async def _next(self) -> list[LookupKey]:
        """Return the next keys to ask for together, waiting for some; none when there will be none."""
        while True:
            self._news.clear()
            if self._is_blocked():
                if self._run.reading_done:
                    return []
            elif (key := self._pick()) is not None:
                return self._with_company(key)
            elif self._run.reading_done and not self.in_flight:
                self.wake()  # the other workers are waiting for the same news
                return []
            await self._news.wait()

    def _with_company(self, key: LookupKey) -> list[LookupKey]:
        """Return the key with others that one bulk request answers: whole SHA256, once reading has found them all."""
        if key.kind != BULK_KIND or not self._run.reading_done:
            return [key]
        others = (one for one in self._wanted if one.kind == BULK_KIND and one != key and one not in self.in_flight)
        return [key, *islice(others, BULK - 1)]

    def _is_blocked(self) -> bool:
        """Whether the vendor stage has ended; a window that is over by now begins it again."""
        if self.trouble is not None and self._tools.clock.wall() >= self._blocked_until:
            self.trouble = None
        return self.trouble is not None

    def _block(self, why: PutOff, now: float) -> None:
        """End the vendor stage; an end of the wait that is already over is no reason to ask again at once."""
        self.trouble = why
        over = why.retry_at is None or why.retry_at <= now
        self._blocked_until = math.inf if over else why.retry_at or math.inf

    def _pick(self) -> LookupKey | None:
        while self._plan:
            key = self._plan.pop()
            if key in self._wanted and key not in self.in_flight:
                return key
        free = ((count, key) for key, count in self._wanted.items() if key not in self.in_flight)
        self._plan = [key for _, key in reversed(nlargest(PLAN, free))]
        return self._plan.pop() if self._plan else None

    async def _take(self, outcomes: dict[LookupKey, Outcome]) -> None:
        answers = {}
        await self._run.keep_answers({one.sample for one in outcomes.values() if isinstance(one, Malformed)})
        now = self._tools.clock.wall()
        for key, outcome in outcomes.items():
            verdict = self._stage.judge(outcome, now)
            if isinstance(outcome, Unreachable | Malformed | Unauthorised):
                await self._note(f"{key}: {outcome.host} {outcome.detail}")
            if isinstance(outcome, Found | AbsentConfirmed):
                del self._wanted[key]
                answers[key] = answer_of(outcome)
            elif isinstance(verdict, PutOff) and verdict.everyone:
                self._block(verdict, now)
            elif isinstance(verdict, PutOff):
                del self._wanted[key]
                await self._put_off(verdict, key)
        if answers:
            await self._run.settle(answers)

    async def _put_off(self, why: PutOff, key: LookupKey | None) -> None:
        step = partial(items.put_off, job=self._run.job.number, why=why, key=key)
        async with self._tools.database.transaction() as tx:
            number = await tx.run(step)
        self._run.tally.move(ItemStatus.RESOLVING, ItemStatus.SKIPPED, why.reason.value, number)
        await self._note(f"SKIPPED {why.reason.value} {number} images: {why.detail}")
        if why.reason in HOLDING and number:
            self._run.held[why.host] += number
        self._run.show()

    async def _date_earlier(self, why: PutOff) -> None:
        """Let what was put off before the end of the trouble was known go on at that end as well."""
        if why.retry_at is not None:
            async with self._tools.database.transaction() as tx:
                await tx.run(partial(items.date, job=self._run.job.number, host=why.host, retry_at=why.retry_at))

    async def _note(self, line: str) -> None:
        """Keep a line for whoever wants to know later what a vendor answered."""
        await asyncio.to_thread(self._run.log.write, [line])
