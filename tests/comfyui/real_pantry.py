"""The whole of Pantry behind a browser: real routes, real database, real images, vendors on loopback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from aiohttp import web

from py.app import HostInfo, Pantry
from py.core.clock import SystemClock
from py.routes.front import Front
from py.routes.server import add_front
from py.routes.sockets import Sinks, Sockets
from tests.standalone.pictures import Pictures
from tests.standalone.vendor import LoopbackVendor

from .host import MinimalHost
from .lines import Lines
from .page_host import WEB

# No pause between requests: the test is about what is on screen.
FAST = {"rate_limit_min_interval_seconds": 0, "rate_limit_adaptive_enabled": False}


class Hands(SystemClock):
    """The machine's clock with hands that can be put forward: whoever sleeps notices as after a suspend."""

    LONGEST_NAP = 0.1

    def __init__(self) -> None:
        super().__init__()
        self._skipped = 0.0

    def forward(self, seconds: float) -> None:
        """Let that much time have passed at once."""
        self._skipped += seconds

    def monotonic(self) -> float:
        """Return seconds, those that were skipped included."""
        return super().monotonic() + self._skipped

    def wall(self) -> float:
        """Return seconds since the epoch, those that were skipped included."""
        return super().wall() + self._skipped


class RealPantry:
    """Run Pantry with two loopback vendors; `mount` puts it into an application, with ComfyUI's face or its own.

    Pantry's own page is there in either case, as it is inside ComfyUI.
    """

    def __init__(self, folder: Path, pictures: Pictures, version: str | None) -> None:
        self.folder = folder
        self.pictures = pictures
        self.lines = Lines()
        self.clock = Hands()
        self.host = MinimalHost(version) if version else None
        self.sockets = Sockets()
        self.sink = Sinks(self.host, self.sockets) if self.host else self.sockets
        self.civitai = LoopbackVendor("civitai", pictures.civitai_catalogue, clock=self.clock)
        self.civarchive = LoopbackVendor("civarchive", pictures.civarchive_catalogue, clock=self.clock)

    async def mount(self, app: web.Application) -> None:
        """Start the vendors and Pantry, and add every route; all end with the application."""
        await self.civitai.start()
        await self.civarchive.start()
        data = self.folder / "data"
        data.mkdir()
        bases = {"civitai_api_base": self.civitai.base, "civarchive_api_base": self.civarchive.base}
        folders = {"model_folders": {"loras": [str(self.folder / "loras")]}}
        (data / "settings.json").write_text(json.dumps({**FAST, **bases, **folders}), encoding="utf-8")
        self.pantry = Pantry(HostInfo(data_dir=data, sink=self.sink, input_folders=(self.pictures.folder,)), self.clock)
        await self.pantry.start()
        self._mount_routes(app)
        app.on_cleanup.append(self._close)

    def _mount_routes(self, app: web.Application) -> None:
        app.middlewares.append(self.lines.watch)
        add_front(app, Front(self.pantry, self.sockets, WEB))
        if self.host:
            self.host.mount(app)

    async def _close(self, _app: Any) -> None:
        await self.pantry.close()
        await self.civitai.stop()
        await self.civarchive.stop()
