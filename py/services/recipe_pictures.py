"""Give the picture of a recipe that was imported from a page, whose file nobody has fetched."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from ..core.errors import NotFoundError
from ..library.daemon import in_daemon_thread
from ..recipes.store import RecipeStore
from ..vendors.pictures import small_address, whole_address
from .picture_fetcher import PictureFetcher


class RecipePictures:
    """Find a recipe's picture: on this machine, kept in `folder` from before, or at the vendor's, once.

    It is fetched when somebody looks and not during the import: what the vendor tells about hundreds of images costs a
    few requests, their files would cost hundreds, and a recipe does not have to wait for its picture or fail with it.
    """

    def __init__(self, recipes: RecipeStore, fetcher: PictureFetcher, folder: Path) -> None:
        self._recipes = recipes
        self._fetcher = fetcher
        self._folder = folder

    async def small(self, recipe_id: str) -> Path:
        """Return a picture that is enough for a thumbnail; raise `NotFoundError` and the `VendorError` tree."""
        return await self._find(recipe_id, small=True)

    async def whole(self, recipe_id: str) -> Path:
        """Return the picture as it was uploaded; raise `NotFoundError` and the `VendorError` tree."""
        return await self._find(recipe_id, small=False)

    async def _find(self, recipe_id: str, *, small: bool) -> Path:
        here = await self._recipes.source_path(recipe_id)
        if here is not None and await in_daemon_thread(here.is_file):
            return here
        recipe = await self._recipes.get(recipe_id)
        if recipe is None:
            raise NotFoundError("There is no such recipe.")
        url = _address_of(recipe)
        if url is None:
            raise NotFoundError("The image of this recipe is no longer there.")
        wanted = small_address(url) if small else whole_address(url)
        # Named by the address: ids come with backups, which may come from anybody.
        name = hashlib.blake2b(wanted.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        return await self._fetcher.kept(self._folder / f"{name}.picture", wanted)


def _address_of(recipe: dict[str, Any]) -> str | None:
    """Return where the vendor shows the picture; a restored backup may hold anything."""
    source = recipe.get("source")
    url = source.get("picture") if isinstance(source, dict) else None
    return url if isinstance(url, str) else None
