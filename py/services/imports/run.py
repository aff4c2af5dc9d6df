"""Run one job from where it stands to its end: list, read, resolve and save, overlapping."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from typing import TypeVar

from ...core.outcomes import LookupKey
from ...jobs import items
from ...jobs.items import End, Item
from ...jobs.job_log import JobLog
from ...jobs.states import HOLDING, ItemStatus, Reason
from ...jobs.store import Job, mark_listed
from ...jobs.tally import Tally
from ...jobs.together import together
from ...recipes.store_body import ModelAnswer
from .answers import answer_of
from .pages import PageReader
from .read_images import Read, ReadImage, Several, Unfetched, keys_of
from .resolving import Resolver
from .saving import Result, SaveOptions, Waits, save
from .sources import list_sources
from .tools import Tools

T = TypeVar("T")

LIST_BATCH = 500
PAGE = 64  # images between two commits
PAGES_AT_ONCE = 2  # one is read while the other is being saved


class ImportRun:
    """Work off one job; `changed` is called on the loop whenever there is something new to show.

    Cancelling the task that awaits `run` stops at once; everything that was saved stays saved.
    """

    def __init__(self, job: Job, tally: Tally, held: dict[str, int], tools: Tools, changed: Callable[[], None]) -> None:
        self.job = job
        self.tally = tally
        self.held = Counter(held)
        self.current_item: str | None = None
        self.reading_done = False
        self._tools = tools
        self._pages = PageReader(tools)
        self._changed = changed
        self._listed = job.listed
        self._more = asyncio.Event()
        self._answers: dict[LookupKey, ModelAnswer] = {}
        self._finishing = asyncio.Lock()
        self.resolver = Resolver(self, tools)
        self.log = JobLog(tools.logs, job.id, tools.clock)

    async def run(self) -> None:
        """Bring every item to its end, or as near as the vendors let it; raise `StorageError`."""
        try:
            await self.resolver.begin()
            await together(self._list(), self._read(), self.resolver.run())
        finally:
            await self._pages.close()

    async def settle(self, key_answers: dict[LookupKey, ModelAnswer]) -> None:
        """Take the answers of look-ups and finish the items that waited for nothing else."""
        self._answers |= key_answers
        await self._write(partial(items.answer, job=self.job.number, keys=list(key_answers)))
        async with self._finishing:
            while page := await self._tools.database.read(partial(items.ready, job=self.job.number, limit=PAGE)):
                reads = await self._in_thread(partial(_decode, page))
                await self._save(reads, ItemStatus.RESOLVING)

    def show(self) -> None:
        """Say that something has changed."""
        self._changed()

    async def keep_answers(self, samples: set[str]) -> None:
        """Keep the heads of answers that could not be understood in the job's log."""
        if found := sorted(samples - {""}):
            await self._in_thread(partial(self.log.keep_answers, found))

    async def known(self, keys: set[LookupKey]) -> None:
        """Look keys up in what is known without a request."""
        if keys:
            found = await self._tools.provider.known(keys)
            self._answers |= {key: answer_of(outcome) for key, outcome in found.items()}

    def answered(self, keys: set[LookupKey]) -> dict[LookupKey, ModelAnswer]:
        """Return the answers that this run already has."""
        return {key: self._answers[key] for key in keys if key in self._answers}

    async def _list(self) -> None:
        if self._listed:
            return
        sources = list_sources(self.job.request)
        while batch := await self._in_thread(lambda: list(islice(sources, LIST_BATCH))):
            self.tally.add(await self._write(partial(items.add, job=self.job.number, sources=batch)))
            self._more.set()
            self.show()
        await self._write(partial(mark_listed, job=self.job.number))
        self._listed = True
        self._more.set()

    async def _read(self) -> None:
        await together(*(self._read_pages() for _ in range(PAGES_AT_ONCE)))
        self.reading_done = True
        self.resolver.wake()
        self.show()

    async def _read_pages(self) -> None:
        while True:
            listed = self._listed
            self._more.clear()
            page = await self._write(partial(items.claim, job=self.job.number, limit=PAGE))
            if page:
                self.tally.move(ItemStatus.PENDING, ItemStatus.READING, number=len(page))
                self.current_item = page[0].name
                told = await self._pages.read(page, skip_known=self._option("skip_duplicates"))
                for item, several in ((item, one) for item, one in told if isinstance(one, Several)):
                    await self._become(item, several)
                await self.keep_answers({one.sample for _, one in told if isinstance(one, Unfetched)})
                reads = [(item, one) for item, one in told if not isinstance(one, Several)]
                await self._save(reads, ItemStatus.READING)
            elif listed:
                return
            elif not self._listed:  # else the listing has ended since, and another reader may have cleared its word
                await self._more.wait()

    async def _become(self, item: Item, several: Several) -> None:
        """Let the images that an address leads to take its place in the job."""
        number = await self._write(partial(items.become, job=self.job.number, item=item, parts=several.parts))
        self.tally.move(ItemStatus.READING, ItemStatus.PENDING)
        self.tally.add(number - 1)
        self._more.set()

    async def _save(self, reads: Sequence[tuple[Item, Read]], before: ItemStatus) -> None:
        keys = {key for _, read in reads for key in keys_of(read)}
        await self.known({key for key in keys if key not in self._answers and not self.resolver.wants(key)})
        options = SaveOptions(
            job=self.job.number,
            tags=self.job.request.tags,
            skip_duplicates=self._option("skip_duplicates"),
            skip_no_metadata=self._option("skip_no_metadata"),
            now=self._tools.clock.wall(),
        )
        results = await self._write(partial(save, reads=reads, answers=self.answered(keys), options=options))
        self._count(results, before)
        if lines := _log_lines(results):
            await self._in_thread(partial(self.log.write, lines))

    def _count(self, results: Sequence[Result], before: ItemStatus) -> None:
        added = []
        for item, result in results:
            self.current_item = item.name
            if isinstance(result, Waits):
                self.tally.move(before, ItemStatus.RESOLVING)
                self.resolver.add(result.keys)
                continue
            self.tally.move(before, result.status, result.reason.value if result.reason else None)
            if result.reason in HOLDING and result.host:
                self.held[result.host] += 1
            if result.status is ItemStatus.SUCCESS and result.recipe_id:
                added.append(result.recipe_id)
        if added:
            self._tools.recipes_added(added)
        self.show()

    def _option(self, name: str) -> bool:
        chosen = getattr(self.job.request, name)
        return bool(self._tools.settings(name) if chosen is None else chosen)

    async def _write(self, function: Callable[..., T]) -> T:
        async with self._tools.database.transaction() as tx:
            return await tx.run(function)

    async def _in_thread(self, function: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._tools.threads, function)


def _decode(page: Sequence[Item]) -> list[tuple[Item, Read]]:
    return [(item, ReadImage.from_json(item.reading or "")) for item in page]


def _log_lines(results: Sequence[Result]) -> list[str]:
    """Tell of every image that did not become a recipe; known ones are in the report and would drown the rest."""
    lines = []
    for item, end in results:
        if isinstance(end, End) and end.reason not in (None, Reason.DUPLICATE):
            lines.append(f"{end.status.value} {end.reason.value if end.reason else ''} {item.source}: {end.detail}")
    return lines
