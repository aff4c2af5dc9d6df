"""Count what a list of addresses would need, before any vendor is asked."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from math import ceil

from ...jobs.addresses import ImageFile, ImagePage, ModelPage
from .example_images import MODELS_PER_CALL
from .fetching import IDS_PER_CALL


@dataclass(frozen=True, slots=True)
class AddressCounts:
    """Hold how many images are named and known, and how many pages of models lead to nobody knows how many more.

    `requests` is the least that the new ones need: an image whose page says nothing is fetched on top.
    """

    images: int
    known: int
    model_pages: int
    requests: int

    @property
    def exact(self) -> bool:
        """Whether nothing is left to find out from the vendor."""
        return self.images == self.known and not self.model_pages


def count(named: Iterable[tuple[str, ImagePage | ModelPage | ImageFile]], known: Collection[str]) -> AddressCounts:
    """Count addresses with what they name; `known` are those that have a recipe."""
    listed = dict(named)
    new = [one for url, one in listed.items() if url not in known]
    models = {one for one in new if isinstance(one, ModelPage)}
    pages = {one for one in new if isinstance(one, ImagePage)}
    files = {one for one in new if isinstance(one, ImageFile)}
    return AddressCounts(
        images=sum(not isinstance(one, ModelPage) for one in listed.values()),
        known=len(listed) - len(new),
        model_pages=len(models),
        requests=ceil(len(pages) / IDS_PER_CALL) + ceil(len({one.id for one in models}) / MODELS_PER_CALL) + len(files),
    )
