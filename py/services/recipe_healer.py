"""Bring recipes and the model library together: whenever either grows, what fits is filled in, without a request."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ..core.background import Background
from ..core.errors import StorageError
from ..core.events import RECIPES_CHANGED
from ..core.outcomes import AbsentConfirmed, Found, LookupKey
from ..core.ports import Clock, ProgressSink
from ..library.match import find_file
from ..library.models import ModelFile
from ..library.presence import Turn, stale, turn
from ..library.store import files_of
from ..recipes.heal import absent_keys, heal, keys_of_use, numbers_of, open_recipes
from ..recipes.store_body import ModelAnswer
from ..recipes.store_models import ids_of
from ..storage.database import Database
from ..vendors.model_info import ModelInfo
from .imports.answers import answer_of
from .model_metadata_provider import FallbackMetadataProvider

logger = logging.getLogger(__name__)

Told = Mapping[LookupKey, Found[ModelInfo]]

MANY = 1000  # changed files after which all recipes' models are looked at: that takes less than looking for theirs
AT_ONCE = 200  # recipes that are looked at in one transaction
SHOWN_IDS = 500  # ids in one event


class RecipeHealer:
    """Heal in the background; `models_changed` and `recipes_added` may be called as often as things happen.

    `looked` hears whenever new recipes have been looked at, since they may need more to be known of the library.
    """

    def __init__(
        self, database: Database, *, clock: Clock, sink: ProgressSink, looked: Callable[[], None] = lambda: None
    ) -> None:
        self._looked = looked
        self._database = database
        self._clock = clock
        self._sink = sink
        self._models: set[int] = set()
        self._recipes: set[str] = set()
        self._everything = False
        self._background = Background(self._work)

    def models_changed(self, numbers: Iterable[int]) -> None:
        """Note model files that have appeared, been hashed or been described, or are gone."""
        self._models.update(numbers)
        self._background.start()

    def recipes_added(self, recipe_ids: Iterable[str]) -> None:
        """Note new recipes."""
        self._recipes.update(recipe_ids)
        self._background.start()

    def look_again(self) -> None:
        """Note that recipes or model files may have come or gone unseen."""
        self._everything = True
        self._background.start()

    async def recheck(self, provider: FallbackMetadataProvider) -> None:
        """Ask again about the models that recipes call absent, and fill in what a vendor has by now.

        A miss that is still believed costs no request.
        """
        keys = await self._database.read(absent_keys)
        known = await provider.remembered(keys)
        asked = [key for key in keys if not isinstance(known.get(key), AbsentConfirmed)]
        outcomes = await provider.get_many(asked)
        found = {key: one for key, one in outcomes.items() if isinstance(one, Found)}
        numbers = await self._database.read(partial(_naming, keys=list(found)))
        for start in range(0, len(numbers), AT_ONCE):
            await self._heal(numbers[start : start + AT_ONCE], found)

    async def settled(self) -> None:
        """Wait until everything that was noted has been looked at."""
        await self._background.settled()

    async def close(self) -> None:
        """Stop; what was healed stays."""
        await self._background.close()

    async def _work(self) -> None:
        try:
            while self._models or self._recipes or self._everything:
                models, self._models = self._models, set()
                recipes, self._recipes = self._recipes, set()
                everything, self._everything = self._everything, False
                files = await self._database.read(partial(files_of, numbers=list(models)))
                numbers = await self._database.read(partial(_affected, files=files, recipes=list(recipes)))
                for start in range(0, len(numbers), AT_ONCE):
                    await self._heal(numbers[start : start + AT_ONCE])
                # A file that is gone may have been the only one that many recipes could mean.
                some_gone = len(files) < len(models)
                await self._see_who_is_here(files, everything=everything or some_gone or len(files) > MANY)
                if recipes:
                    self._looked()
        except StorageError as error:
            logger.warning("Recipes could not be completed from the library: %s", error)

    async def _heal(self, numbers: Sequence[int], told: Told | None = None) -> None:
        now = self._clock.wall()
        async with self._database.transaction() as tx:
            healed = await tx.run(partial(_heal_all, numbers=numbers, told=told or {}, now=now))
        self._tell(healed)

    async def _see_who_is_here(self, files: Sequence[ModelFile], *, everything: bool) -> None:
        turns = await self._database.read(partial(stale, files=files, everything=everything))
        for start in range(0, len(turns), AT_ONCE):
            async with self._database.transaction() as tx:
                changed = await tx.run(partial(_turn, turns=turns[start : start + AT_ONCE]))
            self._tell(changed)

    def _tell(self, ids: Sequence[str]) -> None:
        if ids:
            self._sink.publish(RECIPES_CHANGED, {"ids": ids[:SHOWN_IDS], "more": len(ids) > SHOWN_IDS})


def _affected(connection: sqlite3.Connection, files: Sequence[ModelFile], recipes: Sequence[str]) -> list[int]:
    """Return the recipes to look at: new ones with an open use, and those that name one of the model files."""
    by_model = open_recipes(
        connection,
        names={one.name for one in files},
        hashes={value for one in files for value in one.hashes.values()},
        ids={one.knowledge.metadata.version_id or 0 for one in files if one.knowledge.metadata},
    )
    return sorted({*by_model, *numbers_of(connection, recipes)})


def _turn(connection: sqlite3.Connection, turns: Sequence[Turn]) -> list[str]:
    return ids_of(connection, turn(connection, turns)[: SHOWN_IDS + 1])


def _naming(connection: sqlite3.Connection, keys: Sequence[LookupKey]) -> list[int]:
    """Return the recipes that have no answer for one of the keys."""
    ids = [int(key.value) for key in keys if key.kind == "version_id"]
    hashes = [key.value for key in keys if key.kind != "version_id"]
    return open_recipes(connection, hashes=hashes, ids=ids)


def _heal_all(connection: sqlite3.Connection, numbers: Sequence[int], told: Told, now: float) -> list[str]:
    def answer(role: str, use: Mapping[str, Any], base_model: str | None) -> ModelAnswer | None:
        file = find_file(connection, role, use, base_model)
        if file is not None:
            return _from_file(file)
        return next((answer_of(told[key]) for key in keys_of_use(use) if key in told), None)

    healed = (heal(connection, number, answer, now) for number in numbers)
    return [recipe_id for recipe_id in healed if recipe_id]


def _from_file(file: ModelFile) -> ModelAnswer:
    info = file.knowledge.metadata
    return ModelAnswer(
        state="found",
        source="library",
        vendor_name=file.title or file.facts.get("title") or Path(file.file_name).stem,
        version_name=file.version_name,
        base_model=file.base_model or file.facts.get("base_model"),
        model_id=info.model_id if info else None,
        model_version_id=info.version_id if info else None,
    )
