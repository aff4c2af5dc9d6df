"""Do once a day what keeps the data folder healthy: a backup, an empty trash, a short history, no old uploads."""

from __future__ import annotations

import logging

from ..core.background import Background
from ..core.errors import StorageError
from ..core.ports import Clock
from ..jobs.history import History
from ..jobs.uploaded_zips import UploadedZips
from ..recipes.store import RecipeStore
from ..storage.backups import Backups

logger = logging.getLogger(__name__)

LOOK_SECONDS = 3_600.0  # whether a backup is due is asked this often; a laptop is not on all day
FIRST_LOOK_SECONDS = 60.0  # a start has better things to do


class HousekeepingService:
    """Run `tidy` now and then, on threads and never in a hurry."""

    def __init__(
        self, *, backups: Backups, recipes: RecipeStore, history: History, zips: UploadedZips, clock: Clock
    ) -> None:
        self._backups = backups
        self._recipes = recipes
        self._history = history
        self._zips = zips
        self._clock = clock
        self._background = Background(self._run)

    def start(self) -> None:
        """Begin; a second call does nothing."""
        self._background.start()

    async def close(self) -> None:
        """End."""
        await self._background.close()

    async def tidy(self) -> None:
        """Make a backup if one is due, and forget what is old; raise `StorageError`."""
        made = await self._backups.make_if_due()
        if made is not None:
            logger.info("backup %s made", made.name)
        await self._recipes.prune_trash()
        await self._history.prune(self._clock.wall())
        await self._zips.prune(self._clock.wall())

    async def _run(self) -> None:
        await self._clock.sleep(FIRST_LOOK_SECONDS)
        while True:
            try:
                await self.tidy()
            except StorageError as error:
                logger.warning("housekeeping: %s", error)
            await self._clock.sleep(LOOK_SECONDS)
