"""Read images by address: CivitAI's image pages in hundreds through its API, files one by one."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from ...core.errors import (
    GoneError,
    NotAllowedError,
    RateLimitError,
    UnauthorisedError,
    UnreadableImageError,
    VendorError,
    VendorNotFoundError,
    VendorRefusedError,
)
from ...jobs.addresses import AddressBook, ImagePage
from ...jobs.items import Item
from ...jobs.states import ItemStatus, Reason
from ...recipes.draft import Reading
from ...recipes.parsers.civitai import read_meta
from .kept_images import read_and_keep
from .read_images import Read, ReadImage, Unfetched, Unreadable

MAX_BYTES = 64 * 1024 * 1024
IDS_PER_CALL = 100
AT_ONCE = 3

Told = dict[int, "dict[str, Any] | Unfetched"]


class Images(Protocol):
    """Tell about CivitAI's images (services/civitai_client)."""

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

    async def read(self, items: Sequence[Item]) -> list[Read]:
        """Return what each address says; never raises for what a vendor answers."""
        book = AddressBook(self._bases())
        told = await self._tell(items, book)
        slots = asyncio.Semaphore(AT_ONCE)

        async def one(item: Item) -> Read:
            async with slots:
                return await self._read(item, book, told)

        return list(await asyncio.gather(*map(one, items)))

    async def _tell(self, items: Sequence[Item], book: AddressBook) -> Told:
        """Ask CivitAI about all image pages together; a refusal ends them all."""
        named = (book.read(item.source) for item in items if book.allows(item.source))
        ids = sorted({one.id for one in named if isinstance(one, ImagePage)})
        told: Told = {}
        for start in range(0, len(ids), IDS_PER_CALL):
            try:
                told |= await self._images.get_images(ids[start : start + IDS_PER_CALL])
            except VendorError as error:
                return told | dict.fromkeys(ids[start:], _unfetched(error))
        return told

    async def _read(self, item: Item, book: AddressBook, told: Told) -> Read:
        try:
            named = book.read(item.source)
            if isinstance(named, ImagePage):
                return await self._read_page(item, named, book, told)
            return await self._read_file(named.url, book)
        except NotAllowedError as error:
            return Unfetched(ItemStatus.FAILED, Reason.NOT_ALLOWED, str(error))
        except VendorError as error:
            return _unfetched(error)
        except UnreadableImageError as error:
            return Unreadable(str(error))

    async def _read_page(self, item: Item, page: ImagePage, book: AddressBook, told: Told) -> Read:
        image = told.get(page.id)
        if image is None:
            return Unfetched(ItemStatus.FAILED, Reason.NOT_FOUND, "CivitAI does not show this image.")
        if isinstance(image, Unfetched):
            return image
        read = _from_meta(item, image.get("meta"))
        if read is not None:
            return read
        url = image.get("url")
        if not isinstance(url, str) or not book.allows(url):
            return Unfetched(ItemStatus.SKIPPED, Reason.NO_METADATA, "CivitAI does not say how the image was made.")
        return await self._read_file(url, book)

    async def _read_file(self, url: str, book: AddressBook) -> Read:
        data = await self._files.download_to_memory(url, max_bytes=MAX_BYTES, permit=book.allows, trusts=book.is_own)
        return await asyncio.to_thread(partial(read_and_keep, data, url.rsplit("/", 1)[-1], self._folder))


def _from_meta(item: Item, meta: Any) -> ReadImage | None:
    """Return what CivitAI tells about an image, or None where that is nothing."""
    draft = read_meta(meta) if isinstance(meta, dict) and meta else None
    if draft is None or not draft.says_something:
        return None
    hashed = hashlib.blake2b(item.source.encode(), digest_size=16).hexdigest()
    return ReadImage(Reading(draft=draft, carriers=("civitai:meta",), container="", content_hash=hashed), 0, 0)


def _unfetched(error: VendorError) -> Unfetched:
    """Return how an image ends that could not be fetched."""
    detail = str(error)
    if isinstance(error, RateLimitError):
        return Unfetched(ItemStatus.SKIPPED, Reason.RATE_LIMITED, detail, error.retry_at, error.host)
    if isinstance(error, UnauthorisedError):
        return Unfetched(ItemStatus.SKIPPED, Reason.UNAUTHORISED, detail, None, error.host)
    if isinstance(error, VendorNotFoundError | GoneError):
        return Unfetched(ItemStatus.FAILED, Reason.NOT_FOUND, detail)
    if isinstance(error, VendorRefusedError):
        return Unfetched(ItemStatus.FAILED, Reason.NOT_ALLOWED, detail)
    return Unfetched(ItemStatus.SKIPPED, Reason.UNREACHABLE, detail, getattr(error, "retry_at", None), error.host)
