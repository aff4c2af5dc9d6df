"""Stand in for ComfyUI's server: just what its front end needs to boot, load an extension and hear events."""

from __future__ import annotations

import asyncio
import json
import uuid
from pathlib import Path
from typing import Any

from aiohttp import WSMsgType, web

from .core_nodes import NODES
from .front_ends import static_folder

ROOT = Path(__file__).resolve().parents[2]
EXTENSION = "/extensions/comfyui-pantry"
# Keeps the dialogs of a first start away: the templates, and the nodes that a host without nodes lacks.
QUIET = {
    "Comfy.TutorialCompleted": True,
    "Comfy.InstalledVersion": "1.27.10",
    "Comfy.Locale": "en",
    "Comfy.Workflow.ShowMissingNodesWarning": False,
    "Comfy.Workflow.ShowMissingModelsWarning": False,
}
# Our tab is there, and the workflow that ComfyUI opens by itself has come.
READY = """() => window.app?.extensionManager?.getSidebarTabs?.().some((tab) => tab.id === "pantry")
  && window.app.graph?.nodes?.length > 0"""
STATUS = {"type": "status", "data": {"status": {"exec_info": {"queue_remaining": 0}}}}
EMPTY_ANSWERS = {
    "/object_info": NODES,
    "/features": {},
    "/system_stats": {"system": {}, "devices": []},
    "/queue": {"queue_running": [], "queue_pending": []},
    "/history": {},
    "/jobs": {"jobs": [], "pagination": {"offset": 0, "limit": 0, "total": 0, "has_more": False}},
    "/global_subgraphs": {},
    "/workflow_templates": {},
    "/experiment/models": [],
    "/prompt": {"exec_info": {"queue_remaining": 0}},
    "/userdata": [],
}


class MinimalHost:
    """The endpoints of ComfyUI that its front end asks for; `publish` reaches every open browser, as `send_sync` does."""

    def __init__(self, version: str, settings: dict[str, Any] | None = None) -> None:
        self.static = static_folder(version)
        self.settings = {**QUIET, **(settings or {})}
        self.sockets: set[web.WebSocketResponse] = set()
        self._sending: set[asyncio.Future[None]] = set()

    def mount(self, app: web.Application) -> None:
        """Add ComfyUI's routes; Pantry's own must already be there."""
        for path, answer in EMPTY_ANSWERS.items():
            self._twice(app, "GET", path, _always(answer))
        self._twice(app, "GET", "/users", _always({"storage": "server", "migrated": True}))
        self._twice(app, "GET", "/extensions", _always([f"{EXTENSION}/extension.js"]))
        self._twice(app, "GET", "/i18n", _always(translations()))
        self._twice(app, "GET", "/settings", self._read_settings)
        self._twice(app, "POST", "/settings/{id}", self._write_setting)
        self._twice(app, "GET", "/userdata/{name:.*}", _missing)
        app.router.add_get("/ws", self._socket)
        app.router.add_static(EXTENSION, ROOT / "web")
        app.router.add_get("/", self._index)
        app.router.add_static("/", self.static)
        app.on_shutdown.append(self._close_sockets)

    def publish(self, event: str, data: dict[str, Any]) -> None:
        """Push one event; called on the server's loop."""
        for socket in list(self.sockets):
            task = asyncio.ensure_future(_send(socket, {"type": event, "data": data}))
            self._sending.add(task)
            task.add_done_callback(self._sending.discard)

    async def drop_sockets(self) -> None:
        """Cut every connection, as a restart does; browsers come back by themselves."""
        for socket in list(self.sockets):
            await socket.close()

    async def _close_sockets(self, _app: web.Application) -> None:
        await self.drop_sockets()

    @staticmethod
    def _twice(app: web.Application, method: str, path: str, handler: Any) -> None:
        app.router.add_route(method, path, handler)
        app.router.add_route(method, f"/api{path}", handler)

    async def _index(self, _request: web.Request) -> web.StreamResponse:
        return web.FileResponse(self.static / "index.html")

    async def _read_settings(self, _request: web.Request) -> web.Response:
        return web.json_response(self.settings)

    async def _write_setting(self, request: web.Request) -> web.Response:
        self.settings[request.match_info["id"]] = await request.json()
        return web.Response()

    async def _socket(self, request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        self.sockets.add(socket)
        sid = request.query.get("clientId") or uuid.uuid4().hex
        await socket.send_json({"type": "status", "data": {**STATUS["data"], "sid": sid}})
        async for message in socket:
            if message.type == WSMsgType.TEXT and json.loads(message.data).get("type") == "feature_flags":
                await _send(socket, {"type": "feature_flags", "data": {}})
        self.sockets.discard(socket)
        return socket


async def _send(socket: web.WebSocketResponse, message: dict[str, Any]) -> None:
    if not socket.closed:
        await socket.send_json(message)


def _always(answer: Any) -> Any:
    async def handler(_request: web.Request) -> web.Response:
        return web.json_response(answer)

    return handler


async def _missing(_request: web.Request) -> web.Response:
    return web.Response(status=404)


def translations() -> dict[str, Any]:
    """Merge locales/ as ComfyUI does."""
    merged: dict[str, Any] = {}
    for path in sorted((ROOT / "locales").glob("*/*.json")):
        into = merged.setdefault(path.parent.name, {})
        data = json.loads(path.read_text(encoding="utf-8"))
        into.update(data if path.stem == "main" else {path.stem: data})
    return merged
