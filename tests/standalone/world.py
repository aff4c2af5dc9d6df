"""Build the whole product on real sockets and a real database, with policy time in the test's hands."""

from __future__ import annotations

import asyncio
import json
import threading
from contextlib import AsyncExitStack, asynccontextmanager

from py.app import HostInfo, Pantry
from py.jobs.request import ImportRequest
from py.net.aiohttp_transport import AiohttpTransport
from tests.doubles.fake_clock import FakeClock

from .vendor import LoopbackVendor

QUIET_TURNS = 4


class CountingTransport:
    """Send over real sockets, and know how many requests are on the wire."""

    def __init__(self, clock):
        self._inner = AiohttpTransport(clock)
        self.sent = 0
        self.in_flight = 0

    async def send(self, request):
        self.sent += 1
        self.in_flight += 1
        try:
            return await self._inner.send(request)
        finally:
            self.in_flight -= 1

    def open(self, request):
        return self._inner.open(request)

    async def close(self):
        await self._inner.close()


class Threads:
    """Know whether anything is under way on a thread, which the event loop cannot see."""

    def __init__(self):
        loop = asyncio.get_running_loop()
        self._pending = 0
        self._inner = loop.run_in_executor
        loop.run_in_executor = self._run

    def _run(self, executor, function, *args):
        self._pending += 1
        future = self._inner(executor, function, *args)
        future.add_done_callback(self._done)
        return future

    def _done(self, _future):
        self._pending -= 1

    def busy(self, database):
        in_database = any(sum(one._pending.values()) for one in (database._writer, database._readers))
        in_library = any(one.name == "pantry-library" for one in threading.enumerate())
        return bool(self._pending or in_database or in_library)


class Events:
    """Take what Pantry publishes."""

    def __init__(self):
        self.all = []

    def publish(self, event, data):
        self.all.append((event, json.loads(json.dumps(data))))

    def of(self, event):
        return [data for name, data in self.all if name == event]


class World:
    """Hold one Pantry and the two vendors that it knows."""

    def __init__(self, folder, clock, civitai, civarchive):
        self.folder, self.clock, self.civitai, self.civarchive = folder, clock, civitai, civarchive
        self.events = Events()
        self.threads = Threads()
        self.transport = None
        self.pantry = None
        self.model_folders = {}

    async def start(self, **settings):
        """Start Pantry on this world's data folder; a second start is a restart."""
        self.folder.mkdir(parents=True, exist_ok=True)
        told = {
            "civitai_api_base": self.civitai.base,
            "civarchive_api_base": self.civarchive.base,
            "rate_limit_min_interval_seconds": 0.05,
            "batch_import_auto_resume": False,
            **settings,
        }
        (self.folder / "settings.json").write_text(json.dumps(told), encoding="utf-8")
        self.transport = CountingTransport(self.clock)
        host = HostInfo(data_dir=self.folder, sink=self.events, model_folders=lambda: self.model_folders)
        self.pantry = Pantry(host, clock=self.clock, transport=self.transport)
        await self.pantry.start()
        return self.pantry

    async def stop(self):
        if self.pantry is not None:
            await self.pantry.close()
            self.pantry = None

    async def run(self, awaitable):
        """Await something while time goes on: it jumps to the next sleeper whenever nothing else can happen."""
        task = asyncio.ensure_future(awaitable)
        quiet, seen = 0, None
        while not task.done():
            await asyncio.sleep(0.0005)
            now = (self.transport.sent, self.clock.sleeping, len(self.events.all))
            working = self.transport.in_flight or self.threads.busy(self.pantry.database)
            busy = working or now != seen or self.clock.next_wake is None
            quiet, seen = (0 if busy else quiet + 1), now
            if quiet >= QUIET_TURNS:
                await self.clock.advance(self.clock.next_wake - self.clock.now)
                quiet = 0
        return task.result()

    async def import_folder(self, folder, **options):
        """Import a folder to its end; return the last snapshot."""
        job = await self.pantry.imports.start(ImportRequest(directories=(folder,), **options))
        return await self.run(self.pantry.imports.wait(job))

    async def recipes(self):
        """Return every recipe, whole, by file name."""
        rows = await self.pantry.database.fetch_all("SELECT id FROM recipes")
        whole = [await self.pantry.recipes.get(row["id"]) for row in rows]
        return {one["source"]["path"].replace("\\", "/").rsplit("/", 1)[-1]: one for one in whole}


@asynccontextmanager
async def world(tmp_path, pictures=None, *, archive_kind="civarchive", **settings):
    """Give a started world; `pictures` fill the vendors' catalogues."""
    clock = FakeClock()
    civitai = LoopbackVendor("civitai", pictures and pictures.civitai_catalogue, clock=clock)
    civarchive = LoopbackVendor(archive_kind, pictures and pictures.civarchive_catalogue, clock=clock)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(civitai)
        await stack.enter_async_context(civarchive)
        here = World(tmp_path / "data", clock, civitai, civarchive)
        stack.push_async_callback(here.stop)
        await here.start(**settings)
        yield here
