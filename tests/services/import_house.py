"""Build a BatchImportService on a real database with doubles around it."""

from __future__ import annotations

from py.recipes.store import RecipeFilter, RecipeStore
from py.services.batch_import_service import BatchImportService
from py.storage.database import Database
from tests.doubles.fake_clock import FakeClock
from tests.doubles.fake_imports import FakeProvider, FakeSettings, FakeWindows, RecordingSink, read_text_image


class ImportHouse:
    """Own one data folder; `restart` ends the service roughly, as a crash would, and starts another."""

    def __init__(self, folder, **settings):
        self.folder = folder
        self.images = folder / "images"
        self.images.mkdir(parents=True, exist_ok=True)
        self.clock = FakeClock()
        self.settings = FakeSettings(**settings)
        self.provider = FakeProvider()
        self.windows = FakeWindows(self.clock)
        self.sink = RecordingSink(self.clock)
        self.reader = read_text_image

    async def open(self):
        self.database = await Database.open(self.folder / "pantry.sqlite")
        self.recipes = RecipeStore(self.database, self.clock)
        self.service = BatchImportService(
            self.database,
            reader=self._read,
            provider=self.provider,
            recipes=self.recipes,
            sink=self.sink,
            clock=self.clock,
            settings=self.settings,
            coordinator=self.windows,
            locks=self.folder / "locks",
        )
        return self

    def _read(self, path):
        return self.reader(path)

    async def close(self):
        await self.service.close()
        await self.database.close()

    async def restart(self):
        await self.close()
        await self.open()

    async def run(self, request):
        """Import and return the snapshot at the end."""
        return await self.service.wait(await self.service.start(request))

    async def all_recipes(self):
        found = await self.recipes.list(RecipeFilter(limit=500))
        assert found["next_cursor"] is None
        return found["items"]
