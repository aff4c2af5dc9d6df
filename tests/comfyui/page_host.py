"""Serve the page of its own as standalone.py does, for tests with a scripted back end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from aiohttp import web

from py.routes.page import SECURITY_HEADERS

WEB = Path(__file__).resolve().parents[2] / "web"


def add_page(app: web.Application, socket: Any) -> None:
    """Serve the page at / with the real policy, its modules, and the socket."""

    async def index(_request: web.Request) -> web.StreamResponse:
        return web.FileResponse(WEB / "index.html", headers=SECURITY_HEADERS)

    app.router.add_get("/", index)
    app.router.add_get("/pantry/ws", socket)
    app.router.add_static("/pantry/web", WEB)
