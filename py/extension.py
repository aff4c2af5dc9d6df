"""Show Pantry to ComfyUI: its nodes, its few paths, its start.

ComfyUI imports this while it starts and prints how long that took, so everything else is imported when the server
starts. ComfyUI calls no shutdown hook on Ctrl-C, so nothing may depend on one.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from aiohttp import web

from .nodes.catalogue import node_classes
from .nodes.shelf import Shelf
from .routes.mounts import MOUNTS

if TYPE_CHECKING:
    from .app import Pantry
    from .nodes.base import PantryNode
    from .routes.front import Front

log = logging.getLogger(__name__)

_STARTING = "Pantry is starting; try again in a moment."
_FAILED = "Pantry could not start; the log says why."


class Gateway:
    """Stand for Pantry in ComfyUI's router until it has been built, and pass requests on from then."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self._pantry: Pantry | None = None
        self._front: Front | None = None
        self._problem = _STARTING

    @property
    def pantry(self) -> Pantry | None:
        """The running Pantry, or None before its start."""
        return self._pantry

    def handler(self, name: str) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        """Return the handler that passes requests to the front's handler `name`."""

        async def handle(request: web.Request) -> web.StreamResponse:
            if self._front is None:
                error = {"code": "not_ready", "message": self._problem}
                return web.json_response({"error": error}, status=503)
            answer: web.StreamResponse = await getattr(self._front, name)(request)
            return answer

        return handle

    async def start(self, _app: Any = None) -> None:
        """Build and start Pantry; whatever fails must not keep ComfyUI from starting."""
        try:
            await asyncio.to_thread(self._import_parts)
            await self._start()
        except Exception:  # a defect of ours must not take ComfyUI down with it
            self._problem = _FAILED
            log.exception("Pantry could not start")

    @staticmethod
    def _import_parts() -> None:
        from . import app, comfy_host  # noqa: F401 - a first import takes a moment, which the event loop can use

    async def _start(self) -> None:
        from .app import WEB_FOLDER, Pantry
        from .comfy_host import host_of
        from .core.errors import PantryError
        from .routes.front import Front
        from .routes.sockets import Sockets

        sockets = Sockets()  # for Pantry's own page, which does not speak ComfyUI's socket
        self._pantry = Pantry(host_of(self._server, sockets))
        self._front = Front(self._pantry, sockets, WEB_FOLDER)
        try:
            await self._pantry.start()
            await self._pantry.carry_on()
        except (PantryError, OSError) as error:
            self._pantry.problem = f"Pantry could not start: {error}"
            log.error("Pantry could not start: %s", error)  # noqa: TRY400 - the sentence says it all


def mount(server: Any) -> Mapping[str, type[PantryNode]]:
    """Add Pantry's paths to ComfyUI's server, start Pantry with it, and return the nodes by name."""
    gateway = Gateway(server)
    for method, path, name in MOUNTS:
        server.routes.route(method, path)(gateway.handler(name))
    server.app.on_startup.append(gateway.start)
    return node_classes(Shelf(lambda: gateway.pantry, server.loop))
