"""Run the HTTP server for use without ComfyUI."""

from __future__ import annotations

from pathlib import Path

from aiohttp import web

from .front import Front
from .guard import host_name
from .mounts import MOUNTS
from .parts import Parts
from .sockets import Sockets

_SHUTDOWN_SECONDS = 2.0


def application(parts: Parts, sockets: Sockets, web_folder: Path) -> web.Application:
    """Return an aiohttp application with everything of `MOUNTS`, also below /api as in ComfyUI, and the page at /."""
    app = web.Application(client_max_size=2**30)  # handlers have caps of their own
    front = Front(parts, sockets, web_folder)
    app.router.add_get("/", front.page)
    add_front(app, front)
    return app


def add_front(app: web.Application, front: Front) -> None:
    """Mount a front at its paths and at the same below /api, as ComfyUI does."""
    for method, path, name in MOUNTS:
        for prefix in ("", "/api"):
            app.router.add_route(method, prefix + path, getattr(front, name))


class Server:
    """Listen on one address; `start` returns the address for a browser."""

    def __init__(self, parts: Parts, sockets: Sockets, web_folder: Path) -> None:
        app = application(parts, sockets, web_folder)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=_SHUTDOWN_SECONDS)

    async def start(self, host: str, port: int) -> str:
        """Listen; raise `OSError` where the address is taken."""
        await self._runner.setup()
        site = web.TCPSite(self._runner, host, port)
        await site.start()
        bound = self._runner.addresses[0][1]
        shown = "127.0.0.1" if host in ("", "0.0.0.0", "::") else host_name(host) or host  # noqa: S104 - only named
        return f"http://[{shown}]:{bound}" if ":" in shown else f"http://{shown}:{bound}"

    async def close(self) -> None:
        """Stop listening and end open connections; safe before `start`."""
        await self._runner.cleanup()
