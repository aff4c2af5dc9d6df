"""Cut the sockets between a server and its browsers, as a network does; everything else goes on."""

from __future__ import annotations

import asyncio
from typing import Any

from aiohttp import web


class Lines:
    """Know every socket; between `cut` and `mend` no socket is open and none can be opened."""

    def __init__(self) -> None:
        self._open: set[asyncio.BaseTransport] = set()
        self._are_cut = False

    @web.middleware
    async def watch(self, request: web.Request, handler: Any) -> web.StreamResponse:
        """Follow the requests that become sockets, and refuse them while the lines are cut."""
        if request.headers.get("Upgrade", "").lower() != "websocket" or request.transport is None:
            return await handler(request)
        if self._are_cut:
            return web.Response(status=503)
        self._open.add(request.transport)
        try:
            return await handler(request)
        finally:
            self._open.discard(request.transport)

    async def cut(self) -> None:
        """End every socket without a farewell."""
        self._are_cut = True
        for line in list(self._open):
            line.abort()

    async def mend(self) -> None:
        """Let browsers come back; they do so by themselves."""
        self._are_cut = False
