"""Read a page of images, each from where it is: a file, a zip, or the network."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from ...jobs.items import Item
from ...jobs.states import ItemStatus, Reason
from ...jobs.zips import ZipReader, is_inside
from .kept_images import read_zipped
from .read_images import Known, Read, ReadImage, Several, Unfetched, read_all, stamps_of
from .tools import Tools

T = TypeVar("T")

CHUNK = 8  # images that one thread reads before it gives way


class PageReader:
    """Turn items into readings; with `skip_known`, what already has a recipe is not read again."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._zips = ZipReader()

    async def close(self) -> None:
        """Close what was kept open between pages."""
        await self._in_thread(self._zips.close)

    async def read(self, page: Sequence[Item], *, skip_known: bool) -> list[tuple[Item, Read | Several]]:
        """Return what each item says, in order."""
        known = await self._known(page) if skip_known else {}
        done: dict[int, Read | Several] = {item.id: ReadImage.from_json(item.reading) for item in page if item.reading}
        done |= {item.id: Known(known[item.source]) for item in page if item.source in known}
        unread = [item for item in page if item.id not in done]
        addresses = [item for item in unread if item.is_address]
        here = [item for item in unread if not item.is_address]
        zipped = [item for item in here if is_inside(item.source)]
        files = [item for item in here if not is_inside(item.source)]
        chunks = [files[start : start + CHUNK] for start in range(0, len(files), CHUNK)]
        steps = [self._in_thread(partial(read_all, chunk, self._tools.reader)) for chunk in chunks]
        *results, fetched = await asyncio.gather(*steps, self._unzip(zipped), self._fetch(addresses))
        for chunk, reads in zip([*chunks, zipped], results, strict=True):
            done |= {item.id: read for item, read in zip(chunk, reads, strict=True)}
        done |= {item.id: read for item, read in zip(addresses, fetched, strict=True)}
        return [(item, done[item.id]) for item in page]

    async def _known(self, page: Sequence[Item]) -> dict[str, str]:
        """Return the recipe's id for each item that has one, by file and its time or by address."""
        files = [item.source for item in page if not item.is_address]
        known = await self._tools.recipes.known_files(await self._in_thread(partial(stamps_of, files)))
        addresses = [item.source for item in page if item.is_address]
        return known | (await self._tools.recipes.known_sources(addresses) if addresses else {})

    async def _unzip(self, zipped: Sequence[Item]) -> list[Read]:
        zips, folder = self._zips, self._tools.images
        return await self._in_thread(lambda: [read_zipped(zips, item.source, item.name, folder) for item in zipped])

    async def _fetch(self, addresses: Sequence[Item]) -> Sequence[Read | Several]:
        if self._tools.fetcher is None:
            refusal = Unfetched(
                ItemStatus.FAILED,
                Reason.NOT_ALLOWED,
                "Addresses cannot be imported here; save the image and import the file.",
            )
            return [refusal for _ in addresses]
        return await self._tools.fetcher.read(addresses) if addresses else []

    async def _in_thread(self, function: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._tools.threads, function)
