"""Run the HTTP server for use without ComfyUI."""

from __future__ import annotations

from pathlib import Path

from aiohttp import web

from .guard import host_name
from .page import page_routes
from .parts import Parts
from .sockets import Sockets
from .table import PREFIX, door_of, routes

_SHUTDOWN_SECONDS = 2.0


def application(parts: Parts, sockets: Sockets, web_folder: Path) -> web.Application:
    """Return an aiohttp application with the page, the API (also below /api, as in ComfyUI) and the events."""
    app = web.Application(client_max_size=2**30)  # handlers have caps of their own
    door = door_of(parts)
    for route in routes(parts):
        app.router.add_route(route.method, route.path, route.handler)
        app.router.add_route(route.method, "/api" + route.path, route.handler)
    app.router.add_get("/pantry/ws", sockets.handler(door))
    pages = page_routes(web_folder, door)
    for path, handler in (*pages, ("/", pages[0][1])):
        app.router.add_get(path, handler)
    app.router.add_route("*", PREFIX + "/{rest:.*}", _nothing_here)
    return app


async def _nothing_here(request: web.Request) -> web.StreamResponse:
    from .errors import error_answer

    return error_answer(404, "not_found", f"There is no {request.method} {request.path}.")


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
