"""Push events to browsers over WebSockets, for use without ComfyUI.

A slow watcher never holds anybody up: per event and operation only the newest message waits for it.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import Any

from aiohttp import WSMsgType, web

from ..core.ports import JsonObject, ProgressSink
from . import guard
from .errors import error_answer

log = logging.getLogger(__name__)

_PING_SECONDS = 25.0


class _Watcher:
    """Hold what one browser has yet to receive."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, Any], JsonObject] = {}
        self._filled = asyncio.Event()

    def put(self, event: str, data: JsonObject) -> None:
        key = (event, data.get("operation_id"))
        self._waiting.pop(key, None)
        self._waiting[key] = {"type": event, "data": data}
        self._filled.set()

    async def take(self) -> list[JsonObject]:
        await self._filled.wait()
        self._filled.clear()
        taken, self._waiting = list(self._waiting.values()), {}
        return taken


class Sockets:
    """Send every published event to every open browser (a `ProgressSink`)."""

    def __init__(self) -> None:
        self._watchers: set[_Watcher] = set()

    def publish(self, event: str, data: JsonObject) -> None:
        """Hand an event to every watcher; never blocks."""
        for watcher in self._watchers:
            watcher.put(event, data)

    def handler(self, door: guard.Door) -> Any:
        """Return the aiohttp handler of the WebSocket route."""

        async def handle(request: web.Request) -> web.StreamResponse:
            refusal = guard.judge_socket(request.headers, door)
            if refusal is not None:
                return error_answer(refusal.status, refusal.code, refusal.message)
            socket = web.WebSocketResponse(heartbeat=_PING_SECONDS, max_msg_size=64 * 1024)
            await socket.prepare(request)
            await self._serve(socket)
            return socket

        return handle

    async def _serve(self, socket: web.WebSocketResponse) -> None:
        watcher = _Watcher()
        self._watchers.add(watcher)
        sender = asyncio.create_task(_send(socket, watcher))
        try:
            async for message in socket:  # nothing is expected from a browser; reading notices that it left
                if message.type == WSMsgType.ERROR:
                    break
        finally:
            self._watchers.discard(watcher)
            sender.cancel()
            with suppress(asyncio.CancelledError):
                await sender


async def _send(socket: web.WebSocketResponse, watcher: _Watcher) -> None:
    with suppress(ConnectionError):  # the reading side ends the connection
        while True:
            for message in await watcher.take():
                await socket.send_json(message)


class Sinks:
    """Hand every event to several sinks (a `ProgressSink`)."""

    def __init__(self, *sinks: ProgressSink) -> None:
        self._sinks = sinks

    def publish(self, event: str, data: JsonObject) -> None:
        """Hand an event to each sink in turn."""
        for sink in self._sinks:
            sink.publish(event, data)
