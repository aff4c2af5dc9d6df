"""Fetch one small example picture for a model that has none beside its file, when somebody looks at it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from ..core.errors import NotFoundError
from ..jobs.addresses import AddressBook
from ..library.daemon import in_daemon_thread
from ..library.library import Library
from ..vendors.pictures import small_address, tamest
from ..vendors.single_flight import SingleFlight
from .downloader import Downloader

MOST_BYTES = 8 * 1024 * 1024


class ModelPreviews:
    """Find a model's picture: beside the file, kept in `folder` from before, or at the vendor's, once.

    A vendor's answer cannot send us anywhere: only its picture hosts, and those of `own_bases()`, are asked.
    """

    def __init__(
        self, library: Library, downloader: Downloader, folder: Path, own_bases: Callable[[], Sequence[str]]
    ) -> None:
        self._library = library
        self._downloader = downloader
        self._folder = folder
        self._own_bases = own_bases
        self._flights: SingleFlight[int, Path] = SingleFlight()

    async def source(self, number: int) -> Path:
        """Return the picture's file; raise `NotFoundError` where there is none, and the `VendorError` tree."""
        file = await self._library.store.get(number)
        if file.preview:
            return Path(file.preview)
        image = tamest(file.knowledge.metadata.images) if file.knowledge.metadata else None
        book = AddressBook(self._own_bases())
        if image is None or not book.allows(image.url):
            raise NotFoundError("There is no picture of this model.")
        return await self._flights.run(number, lambda: self._kept(number, small_address(image.url), book))

    async def _kept(self, number: int, url: str, book: AddressBook) -> Path:
        target = self._folder / f"{number}.picture"
        if not await in_daemon_thread(target.is_file):
            content = await self._downloader.download_to_memory(
                url, max_bytes=MOST_BYTES, permit=book.allows, trusts=book.is_own
            )
            await in_daemon_thread(lambda: _write(target, content))
        return target


def _write(target: Path, content: bytes) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_suffix(".part")
    part.write_bytes(content)
    part.replace(target)
