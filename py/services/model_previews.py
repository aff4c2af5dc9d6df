"""Fetch one small example picture for a model that has none beside its file, when somebody looks at it."""

from __future__ import annotations

from pathlib import Path

from ..core.errors import NotFoundError
from ..library.library import Library
from ..vendors.pictures import small_address, tamest
from .picture_fetcher import PictureFetcher


class ModelPreviews:
    """Find a model's picture: beside the file, kept in `folder` from before, or at the vendor's, once."""

    def __init__(self, library: Library, fetcher: PictureFetcher, folder: Path) -> None:
        self._library = library
        self._fetcher = fetcher
        self._folder = folder

    async def source(self, number: int) -> Path:
        """Return the picture's file; raise `NotFoundError` where there is none, and the `VendorError` tree."""
        file = await self._library.store.get(number)
        if file.preview:
            return Path(file.preview)
        image = tamest(file.knowledge.metadata.images) if file.knowledge.metadata else None
        if image is None:
            raise NotFoundError("There is no picture of this model.")
        return await self._fetcher.kept(self._folder / f"{number}.picture", small_address(image.url))
