"""Read images by address: CivitAI's image pages in hundreds through its API, files one by one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from ...core.errors import NotAllowedError, UnreadableImageError, VendorError
from ...jobs.addresses import AddressBook, ImageFile, ImagePage, ModelPage
from ...jobs.items import Item
from ...jobs.states import ItemStatus, Reason
from .example_images import ExampleImages, Models
from .kept_images import read_and_keep
from .read_images import Read, ReadImage, Several, Unfetched, Unreadable
from .told_images import from_meta, unfetched, with_rest

MAX_BYTES = 64 * 1024 * 1024
IDS_PER_CALL = 100
AT_ONCE = 3

NOTHING_TOLD = "CivitAI does not say how the image was made, and gives no file; import the original if you have it."

Named = ImagePage | ModelPage | ImageFile
Told = dict[int, "dict[str, Any] | Unfetched"]


class Images(Models, Protocol):
    """Tell about CivitAI's images and models (services/civitai_client)."""

    async def get_images(self, ids: Sequence[int]) -> dict[int, dict[str, Any]]:
        """Return up to 100 images by id."""
        ...


class Files(Protocol):
    """Fetch files (services/downloader)."""

    async def download_to_memory(
        self, url: str, *, max_bytes: int, permit: Callable[[str], bool], trusts: Callable[[str], bool]
    ) -> bytes:
        """Return a file's bytes."""
        ...


class Fetcher:
    """Turn addresses into readings; `bases` returns the vendors' addresses of the settings.

    Fetched files are kept in `folder`, so that a recipe has its picture.
    """

    def __init__(self, files: Files, images: Images, folder: Path, bases: Callable[[], Iterable[str]]) -> None:
        self._files = files
        self._images = images
        self._folder = folder
        self._bases = bases

    async def read(self, items: Sequence[Item]) -> list[Read | Several]:
        """Return what each address says or leads to; never raises for what a vendor answers."""
        book = AddressBook(self._bases())
        named = [one for _, one in _named((item.source for item in items), book)]
        models = {one for one in named if isinstance(one, ModelPage)}
        told = await self._tell(sorted({one.id for one in named if isinstance(one, ImagePage)}))
        several = await ExampleImages(self._images, book.allows).read(models)
        slots = asyncio.Semaphore(AT_ONCE)

        async def one(item: Item) -> Read | Several:
            async with slots:
                return await self._read(item, book, told, several)

        return list(await asyncio.gather(*map(one, items)))

    def named(self, urls: Iterable[str]) -> list[tuple[str, Named]]:
        """Return what each address names; those that may not be fetched are left out."""
        return list(_named(urls, AddressBook(self._bases())))

    async def _tell(self, ids: Sequence[int]) -> Told:
        """Ask CivitAI about all image pages together; a refusal ends them all."""
        told: Told = {}
        for start in range(0, len(ids), IDS_PER_CALL):
            try:
                told |= await self._images.get_images(ids[start : start + IDS_PER_CALL])
            except VendorError as error:
                return told | dict.fromkeys(ids[start:], unfetched(error))
        return told

    async def _read(
        self, item: Item, book: AddressBook, told: Told, several: Mapping[ModelPage, Several | Unfetched]
    ) -> Read | Several:
        try:
            named = book.read(item.source)
            if isinstance(named, ModelPage):
                return several[named]
            if isinstance(named, ImagePage):
                return await self._read_page(item, named, book, told)
            return await self._read_file(named.url, book)
        except NotAllowedError as error:
            return Unfetched(ItemStatus.FAILED, Reason.NOT_ALLOWED, str(error))
        except VendorError as error:
            return unfetched(error)
        except UnreadableImageError as error:
            return Unreadable(str(error))

    async def _read_page(self, item: Item, page: ImagePage, book: AddressBook, told: Told) -> Read:
        image = told.get(page.id)
        if image is None:
            return Unfetched(
                ItemStatus.FAILED,
                Reason.NOT_FOUND,
                "CivitAI does not show this image (any more); see in a browser whether the address is right.",
            )
        if isinstance(image, Unfetched):
            return image
        read = await self._read_told(item, image, book)
        return with_rest(read, image, book.allows) if isinstance(read, ReadImage) else read

    async def _read_told(self, item: Item, image: dict[str, Any], book: AddressBook) -> Read:
        read = from_meta(item.source, image.get("meta"))
        if read is not None:
            return read
        url = image.get("url")
        if not isinstance(url, str) or not book.allows(url):
            return Unfetched(ItemStatus.SKIPPED, Reason.NO_METADATA, NOTHING_TOLD)
        return await self._read_file(url, book)

    async def _read_file(self, url: str, book: AddressBook) -> Read:
        data = await self._files.download_to_memory(url, max_bytes=MAX_BYTES, permit=book.allows, trusts=book.is_own)
        return await asyncio.to_thread(partial(read_and_keep, data, url.rsplit("/", 1)[-1], self._folder))


def _named(urls: Iterable[str], book: AddressBook) -> Iterator[tuple[str, Named]]:
    for url in urls:
        with suppress(NotAllowedError):
            yield url, book.read(url)
