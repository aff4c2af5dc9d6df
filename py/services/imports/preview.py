"""Say what an import would do before it does anything: how many images, how many look-ups, how long."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any

from ...jobs.items import Item
from ...jobs.request import ImportRequest
from ...jobs.zips import is_inside
from .address_counts import AddressCounts, count
from .read_images import Read, ReadImage, Stamp, keys_of, read_all, stamps_of
from .snapshot import Windows
from .sources import addresses_of, files_and_members
from .tools import Tools

MOST_LISTED = 200_000
MOST_READ = 2_000  # a few seconds; what lies beyond is not looked into
CHUNK = 32
BATCH = 2_000  # files that are counted in one go


async def preview(request: ImportRequest, tools: Tools, windows: Windows) -> dict[str, Any]:
    """Return the counts of docs/reference/http.md; nothing is stored and no vendor is asked.

    At most `MOST_READ` new images are read, and none in a zip: ``exact`` says whether that was all of them. How many
    images the pages of models lead to, and what images by address need beyond their pages, only the vendor can tell.
    """
    here = _Here()
    await _count_files(request, tools, here)
    items = [Item(number, path, "") for number, path in enumerate(here.readable)]
    reads = await _read(items, tools)
    keys = {key for read in reads for key in keys_of(read)}
    far = await _addresses(request, tools)
    asked = len(keys) - len(await tools.provider.known(keys)) + far.requests
    return {
        **_sizes(here, far),
        "read": len(reads),
        "exact": len(reads) == here.images - here.known and far.exact,
        "with_metadata": sum(_says_something(read) for read in reads),
        "references": len(keys),
        "requests": asked,
        "seconds": round(asked * _seconds_per_request(tools, windows), 1),
    }


@dataclass(slots=True)
class _Here:
    """Count what is on this machine; `readable` are the first new files that are in no zip."""

    images: int = 0
    known: int = 0
    bytes: int = 0
    folders: set[str] = field(default_factory=set)
    readable: list[str] = field(default_factory=list)

    def add(self, paths: Sequence[str], stamps: Mapping[str, Stamp], known: Collection[str]) -> None:
        new = [path for path in paths if path not in known]
        self.images += len(paths)
        self.known += len(paths) - len(new)
        self.bytes += sum(size for size, _ in stamps.values())
        self.folders.update(os.path.dirname(path) for path in paths)  # noqa: PTH120 - a Path each takes seconds
        room = MOST_READ - len(self.readable)
        self.readable += islice((path for path in new if not is_inside(path)), room)


async def _count_files(request: ImportRequest, tools: Tools, here: _Here) -> None:
    """Count in batches: a hundred thousand files at once would hold up the loop, and the collector the world."""
    loop = asyncio.get_running_loop()
    sources = islice((source for source, _ in files_and_members(request)), MOST_LISTED + 1)
    while batch := await loop.run_in_executor(tools.threads, lambda: list(islice(sources, BATCH))):
        stamps = await loop.run_in_executor(tools.threads, partial(stamps_of, batch))
        here.add(batch, stamps, await tools.recipes.known_files(stamps))


async def _addresses(request: ImportRequest, tools: Tools) -> AddressCounts:
    if tools.fetcher is None or not request.urls:
        return count((), ())
    urls = addresses_of(request)
    return count(tools.fetcher.named(urls), await tools.recipes.known_sources(urls))


def _sizes(here: _Here, far: AddressCounts) -> dict[str, Any]:
    return {
        "images": min(here.images, MOST_LISTED) + far.images,
        "known": here.known + far.known,
        "model_pages": far.model_pages,
        "folders": len(here.folders),
        "bytes": here.bytes,
        "truncated": here.images > MOST_LISTED,
    }


async def _read(items: Sequence[Item], tools: Tools) -> list[Read]:
    loop = asyncio.get_running_loop()
    chunks = [items[start : start + CHUNK] for start in range(0, len(items), CHUNK)]
    steps = (loop.run_in_executor(tools.threads, partial(read_all, chunk, tools.reader)) for chunk in chunks)
    return [read for reads in await asyncio.gather(*steps) for read in reads]


def _says_something(read: Read) -> bool:
    return isinstance(read, ReadImage) and read.reading.draft is not None and read.reading.draft.says_something


def _seconds_per_request(tools: Tools, windows: Windows) -> float:
    """Return what the pace of the first vendor is now, or the setting where it has not been asked yet."""
    host = tools.primary_host()
    paces = [row.get("pace_per_second") for row in windows.snapshot() if row["host"] == host]
    pace = paces[0] if paces else None
    return 1 / pace if pace else float(tools.settings("rate_limit_min_interval_seconds"))
