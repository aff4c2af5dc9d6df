"""Turn CivitAI's model pages into the example images of their versions, in as few requests as its API allows."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import Any, Protocol

from ...core.errors import VendorError
from ...jobs.addresses import ModelPage
from ...jobs.states import ItemStatus, Reason
from .read_images import Several, Unfetched
from .told_images import from_meta, unfetched, with_rest

MODELS_PER_CALL = 100
NO_EXAMPLES = "CivitAI shows no example images of this model; import images by the addresses of their own pages."
OUT_OF_BOUNDS = (
    "The example images of this model are at addresses that cannot be imported; save them and import the files."
)
# A smaller rendition has lost what the generator wrote into the file.
_WIDTH_IN_PATH = re.compile(r"/width=\d+[^/]*/")

Examples = dict[int, "list[dict[str, Any]]"]  # by version id, the newest version first
Part = tuple[str, str, "str | None"]


class Models(Protocol):
    """Tell about the example images of CivitAI's models (services/civitai_client)."""

    async def get_example_images(self, model_ids: Sequence[int]) -> dict[int, Examples]:
        """Return those of up to 100 models; a missing one may still be there."""
        ...

    async def get_example_images_of(self, model_id: int, version_id: int | None) -> Examples:
        """Return those of one version, or without one of all versions of a model."""
        ...


class ExampleImages:
    """Ask for example images; `allows` says of an image's address whether it may be fetched."""

    def __init__(self, models: Models, allows: Callable[[str], bool]) -> None:
        self._models = models
        self._allows = allows

    async def read(self, pages: Collection[ModelPage]) -> dict[ModelPage, Several | Unfetched]:
        """Return the images of each page, or how the page ends that leads to none."""
        ids = sorted({page.id for page in pages})
        found: dict[ModelPage, Several | Unfetched] = {}
        for start in range(0, len(ids), MODELS_PER_CALL):
            chunk = ids[start : start + MODELS_PER_CALL]
            asked = [page for page in pages if page.id in chunk]
            try:
                shown = await self._models.get_example_images(chunk)
            except VendorError as error:
                found |= dict.fromkeys(asked, unfetched(error))
                continue
            for page in asked:
                found[page] = await self._one(page, shown.get(page.id, {}))
        return found

    async def _one(self, page: ModelPage, shown: Examples) -> Several | Unfetched:
        """Return a page's images, asking for it alone where the answer for many left it out."""
        images = _of_version(page, shown)
        if images is not None:
            return self._several(images)
        try:
            images = _of_version(page, await self._models.get_example_images_of(page.id, page.version_id))
        except VendorError as error:
            return unfetched(error)
        return self._several(images or [])

    def _several(self, images: Sequence[dict[str, Any]]) -> Several | Unfetched:
        parts = [_part(image, self._allows) for image in images if image.get("type", "image") == "image"]
        if not parts:
            return Unfetched(ItemStatus.SKIPPED, Reason.NO_METADATA, NO_EXAMPLES)
        allowed = tuple(part for part in parts if part and self._allows(part[0]))
        if not allowed:
            return Unfetched(ItemStatus.FAILED, Reason.NOT_ALLOWED, OUT_OF_BOUNDS)
        return Several(allowed)


def _of_version(page: ModelPage, shown: Examples) -> list[dict[str, Any]] | None:
    return next(iter(shown.values()), None) if page.version_id is None else shown.get(page.version_id)


def _part(image: dict[str, Any], allows: Callable[[str], bool]) -> Part | None:
    """Return an example image as an item: by its page where it has an id, so that it is the same image as there."""
    url, number = image.get("url"), image.get("id")
    if isinstance(number, int) and number > 0:
        source, name = f"https://civitai.com/images/{number}", str(number)
    elif isinstance(url, str):
        source = _WIDTH_IN_PATH.sub("/original=true/", url, count=1)
        name = source.split("?")[0].rsplit("/", 1)[-1]
    else:
        return None
    told = from_meta(source, image.get("meta"))
    return source, name, with_rest(told, image, allows).to_json() if told else None
