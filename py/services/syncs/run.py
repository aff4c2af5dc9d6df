"""Work off one metadata sync: ask about every model that needs it, and write down what came of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial

from ...core.outcomes import AbsentConfirmed, LookupKey
from ...core.ports import Clock
from ...jobs.states import HOLDING, ItemStatus, Reason
from ...jobs.tally import Tally
from ...jobs.vendor_stage import PutOff, VendorStage
from ...library.library import Library
from ...library.models import ModelFile
from ...library.states import Knowledge, learned
from ...library.store import save_knowledge
from ...library.sync_store import Sync, SyncEnd, SyncStore, date_items, end_items
from ...library.written import write_sidecars
from ...storage.database import Database
from ...vendors.bulk import chunks
from ...vendors.chain import Outcome
from .describe import Answers, Describer

# Freshly hashed files are asked about together, but a library that takes hours to hash shows something meanwhile.
ASK_AFTER_SECONDS = 60.0
ASK_AFTER_FILES = 100
FILES_AT_ONCE = 5_000  # that are held in memory with what is known of them


class EnoughError(Exception):
    """The vendor stage is over, because a look-up ended in `outcome`."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__()
        self.outcome = outcome


@dataclass(frozen=True, kw_only=True)
class Tools:
    """Hold what every run is given."""

    database: Database
    syncs: SyncStore
    library: Library
    describer: Describer
    clock: Clock
    wants_sidecars: Callable[[], bool]
    primary_host: Callable[[], str]
    models_changed: Callable[[Sequence[int]], None]
    recheck_recipes: Callable[[], Awaitable[None]]


class SyncRun:
    """Work off one sync; cancelling the task that awaits `run` stops at once, and what was saved stays saved."""

    def __init__(
        self, sync: Sync, tally: Tally, held: dict[str, int], tools: Tools, changed: Callable[[], None]
    ) -> None:
        self.sync = sync
        self.tally = tally
        self.held = Counter(held)
        self.current_item: str | None = None
        self.phase = "reading"
        self.trouble: PutOff | None = None
        self._tools = tools
        self._changed = changed
        self._stage = VendorStage(tools.primary_host())
        self._files: dict[LookupKey, list[ModelFile]] = {}

    async def run(self) -> None:
        """Bring every item to its end, or as near as the vendors let it."""
        pending = await self._tools.syncs.pending(self.sync.number)
        try:
            for part in chunks(pending, FILES_AT_ONCE):
                files = await self._tools.library.store.files(part)
                await self._ask([one for one in files if one.key is not None])
                await self._hash_and_ask([one for one in files if one.key is None])
            await self._tools.recheck_recipes()
        except EnoughError as enough:
            await self._put_off_rest(enough.outcome)
        self.phase = "saving"

    async def _hash_and_ask(self, files: Sequence[ModelFile]) -> None:
        done: list[ModelFile] = []
        since = self._tools.clock.monotonic()
        for file in files:
            done.append(await self._hashed(file))
            if len(done) >= ASK_AFTER_FILES and self._tools.clock.monotonic() - since >= ASK_AFTER_SECONDS:
                await self._ask(done)
                done, since = [], self._tools.clock.monotonic()
        await self._ask(done)

    async def _hashed(self, file: ModelFile) -> ModelFile:
        """Return the file with its hashes; where it cannot be hashed its item has failed."""
        self.phase, self.current_item = "reading", file.file_name
        file = await self._tools.library.hashed(file)
        if file.key is None:
            await self._save({}, {file.number: SyncEnd(ItemStatus.FAILED, Reason.UNREADABLE, file.hash_problem)})
        self._changed()
        return file

    async def _ask(self, files: Sequence[ModelFile]) -> None:
        by_key: dict[LookupKey, list[ModelFile]] = defaultdict(list)
        for file in files:
            if file.key is not None:
                by_key[file.key].append(file)
        self._files, self.phase = by_key, "resolving"
        self._changed()
        if by_key:
            await self._tools.describer.describe(list(by_key), self._take, fresh=self.sync.request.force)

    async def _take(self, answers: Answers) -> None:
        """Write down what look-ups ended in; raise `EnoughError` where asking on makes no sense."""
        await self._learn(answers)
        now = self._tools.clock.wall()
        for outcome in _distinct(answers):
            verdict = self._stage.judge(outcome, now)
            if isinstance(verdict, PutOff):
                self.trouble = verdict
                if verdict.everyone:
                    raise EnoughError(outcome)

    async def _learn(self, answers: Answers) -> None:
        now = self._tools.clock.wall()
        knowledge: dict[int, Knowledge] = {}
        ends: dict[int, SyncEnd] = {}
        for key, outcome in answers.items():
            for file in self._files.pop(key, ()):
                knowledge[file.number] = learned(file.knowledge, outcome, now)
                ends[file.number] = end_of(outcome)
                self.current_item = file.file_name
        if knowledge:
            await self._save(knowledge, ends)
            await self._tell(list(knowledge))

    async def _save(self, knowledge: dict[int, Knowledge], ends: dict[int, SyncEnd]) -> None:
        if not ends:
            return
        async with self._tools.database.transaction() as tx:
            await tx.run(partial(save_knowledge, learned=knowledge))
            await tx.run(partial(end_items, job=self.sync.number, ends=ends))
        for one in ends.values():
            self.tally.move(ItemStatus.PENDING, one.status, one.reason.value if one.reason else None)
            if one.reason in HOLDING and one.host:
                self.held[one.host] += 1
        self._changed()

    async def _tell(self, numbers: Sequence[int]) -> None:
        """Write sidecars and say which models have changed."""
        if self._tools.wants_sidecars():
            await write_sidecars(await self._tools.library.store.files(numbers))
        self._tools.models_changed(numbers)

    async def _put_off_rest(self, outcome: Outcome) -> None:
        """End what has not been asked about as the last question ended; a local archive may still know it."""
        await self._learn(await self._tools.describer.archived(list(self._files)))
        await self._learn(dict.fromkeys(self._files, outcome))
        unhashed = await self._tools.syncs.pending(self.sync.number)
        ended = end_of(outcome)
        await self._save({}, dict.fromkeys(unhashed, ended))
        if ended.host and ended.retry_at is not None:  # what was put off before the end was known goes on then, too
            async with self._tools.database.transaction() as tx:
                await tx.run(partial(date_items, job=self.sync.number, host=ended.host, retry_at=ended.retry_at))


def end_of(outcome: Outcome) -> SyncEnd:
    """Return how an item ends with this outcome; a confirmed miss is an answer."""
    verdict = VendorStage("").judge(outcome, 0.0)
    if isinstance(verdict, PutOff):
        return SyncEnd(ItemStatus.SKIPPED, verdict.reason, verdict.detail, verdict.retry_at, verdict.host)
    detail = "CivitAI does not have this model." if isinstance(outcome, AbsentConfirmed) else None
    return SyncEnd(ItemStatus.SUCCESS, detail=detail)


def _distinct(answers: Answers) -> list[Outcome]:
    """Return each outcome once: a bulk request that failed has failed once, however many files it was for."""
    seen: list[Outcome] = []
    for outcome in answers.values():
        if outcome not in seen[-1:]:
            seen.append(outcome)
    return seen
