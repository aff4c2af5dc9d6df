"""Name what every run of an import is given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from ...core.outcomes import AbsentConfirmed, Found, LookupKey
from ...core.ports import Clock
from ...jobs.vendor_stage import Outcome
from ...recipes.store import RecipeStore
from ...storage.database import Database
from ...vendors.model_info import ModelInfo
from .fetching import Fetcher
from .read_images import Reader


class Provider(Protocol):
    """Answer look-ups (services/model_metadata_provider)."""

    async def get_model_version_info(self, key: LookupKey) -> Outcome:
        """Ask for one key, waiting at the gate where that helps."""
        ...

    async def get_many(self, keys: Iterable[LookupKey]) -> dict[LookupKey, Outcome]:
        """Ask for several keys, with bulk requests where there are such."""
        ...

    async def archived(self, keys: Iterable[LookupKey]) -> Mapping[LookupKey, Found[ModelInfo]]:
        """Return what the local archive database knows, without any request."""
        ...

    async def known(self, keys: Iterable[LookupKey]) -> dict[LookupKey, Found[ModelInfo] | AbsentConfirmed]:
        """Return what is known of these keys without any request."""
        ...


@dataclass(frozen=True, kw_only=True)
class Tools:
    """Hold what every run is given."""

    database: Database
    recipes: RecipeStore
    reader: Reader
    provider: Provider
    clock: Clock
    settings: Callable[[str], Any]
    threads: Executor
    logs: Path
    images: Path
    primary_host: Callable[[], str]
    fetcher: Fetcher | None
    recipes_added: Callable[[Sequence[str]], None]
