"""Answer Pantry's HTTP contract from a script, for states that a real import passes through too fast to be seen."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from aiohttp import web

from .fake_data import job, model, recipe
from .pictures import tile

PREFIX = "/pantry/api"
FACETS = ("checkpoints", "loras", "base_models", "tags")
SETTINGS = {
    "civitai_api_key": {"set": True, "hint": "…1234"},
    "rate_limit_gate_enabled": True,
    "rate_limit_max_wait_seconds": 300.0,
    "rate_limit_min_interval_seconds": 0.75,
    "import_folders": [],
    "skip_duplicates": True,
    "skip_no_metadata": True,
}
PREVIEW = {
    "images": 1200,
    "known": 300,
    "model_pages": 0,
    "folders": 4,
    "bytes": 10**9,
    "truncated": False,
    "read": 900,
    "exact": True,
    "with_metadata": 880,
    "references": 64,
    "requests": 12,
    "seconds": 9.0,
}


async def _empty(_request: web.Request) -> web.Response:
    return web.json_response({"items": [], "next_cursor": None})


class FakeApi:
    """Hold the scripted state; tests change it and push events through `publish`."""

    def __init__(self, *, recipes: int = 24, make: Callable[[int], dict[str, Any]] = recipe) -> None:
        self.publish: Callable[[str, dict[str, Any]], None] = lambda _event, _data: None
        self.sockets: set[web.WebSocketResponse] = set()
        self.reset(recipes, make)

    def reset(self, recipes: int = 24, make: Callable[[int], dict[str, Any]] = recipe) -> None:
        """Forget everything that was told and changed."""
        self.count, self.make = recipes, make
        self.jobs: list[dict[str, Any]] = []
        self.settings: dict[str, Any] = dict(SETTINGS)
        self.problems: dict[str, str] = {}
        self.told: list[tuple[str, str]] = []
        self.patched: list[dict[str, Any]] = []
        self.started: list[dict[str, Any]] = []
        self.bulk: list[dict[str, Any]] = []
        self.preview: dict[str, Any] = dict(PREVIEW)
        self.previewed: list[dict[str, Any]] = []
        self.uploads: list[list[str]] = []
        self.refuse_uploads = False
        self.models = [model(number) for number in range(12)]
        self.models_asked: list[str] = []
        self.hashing: dict[str, Any] = {"paused": False, "left": 0}
        self.hashing_asked = 0

    def mount(self, app: web.Application) -> None:
        """Add the routes, plain and below /api as ComfyUI does."""
        for method, path, handler in self._routes():
            app.router.add_route(method, PREFIX + path, handler)
            app.router.add_route(method, f"/api{PREFIX}{path}", handler)

    def _routes(self) -> list[tuple[str, str, Any]]:
        return [
            ("GET", "/batch-imports", self._list_jobs),
            ("GET", "/metadata-syncs", _empty),
            ("GET", "/models", self._list_models),
            ("GET", "/models/hashing", self._read_hashing),
            ("POST", "/models/hashing/{verb:pause|resume}", self._tell_hashing),
            ("GET", "/recipes/facets", self._facets),
            ("POST", "/recipes/bulk", self._bulk),
            ("POST", "/batch-imports", self._start),
            ("POST", "/batch-imports/preview", self._preview),
            ("POST", "/uploads", self._upload),
            ("GET", "/batch-imports/{id}", self._one_job),
            ("GET", "/batch-imports/{id}/items", self._items),
            ("POST", "/batch-imports/{id}/{verb}", self._tell),
            ("GET", "/recipes", self._list_recipes),
            ("GET", "/recipes/{id}", self._one_recipe),
            ("GET", "/recipes/{id}/workflow", self._workflow),
            ("PATCH", "/recipes/{id}", self._patch_recipe),
            ("GET", "/recipes/{id}/{picture:thumbnail|image}", self._picture),
            ("GET", "/settings", self._read_settings),
            ("PATCH", "/settings", self._patch_settings),
            ("GET", "/about", self._about),
            ("GET", "/network", self._network),
            ("POST", "/network/{host}/try", self._try),
            ("GET", "/folders", self._folders),
        ]

    async def push(self, event: str, data: dict[str, Any]) -> None:
        """Send an event to every watcher, whichever way they listen."""
        self.publish(event, data)
        for socket in list(self.sockets):
            await socket.send_json({"type": event, "data": data})

    async def socket(self, request: web.Request) -> web.StreamResponse:
        """Serve /pantry/ws."""
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        self.sockets.add(socket)
        async for _message in socket:
            pass
        self.sockets.discard(socket)
        return socket

    async def _list_jobs(self, _request: web.Request) -> web.Response:
        return web.json_response({"items": self.jobs, "next_cursor": None})

    async def _start(self, request: web.Request) -> web.Response:
        self.started.append(await request.json())
        self.jobs.append(job(completed=0, success=0, skipped=0, skipped_reasons={}, progress_percent=0))
        return web.json_response({"operation_id": "job-1"}, status=202)

    async def _preview(self, request: web.Request) -> web.Response:
        self.previewed.append(await request.json())
        return web.json_response(self.preview)

    async def _upload(self, request: web.Request) -> web.Response:
        names = [part.filename async for part in await request.multipart()]
        if self.refuse_uploads:
            error = {"code": "storage", "message": "The disk is full."}
            return web.json_response({"error": error}, status=503)
        self.uploads.append(names)
        return web.json_response({"files": [f"/uploads/{name}" for name in names]})

    async def _one_job(self, _request: web.Request) -> web.Response:
        return web.json_response(self.jobs[-1])

    async def _items(self, _request: web.Request) -> web.Response:
        items = [
            {"id": 1, "name": "a.png", "source": "/p/a.png", "status": "SUCCESS", "reason": None, "recipe_id": "1"},
            {
                "id": 2,
                "name": "b.png",
                "source": "/p/b.png",
                "status": "SKIPPED",
                "reason": "duplicate",
                "recipe_id": None,
            },
            {
                "id": 3,
                "name": "c.png",
                "source": "/p/c.png",
                "status": "FAILED",
                "reason": "unreadable",
                "detail": "This file ends in the middle; copy it anew.",
                "recipe_id": None,
            },
        ]
        return web.json_response({"items": items, "next_cursor": None})

    async def _tell(self, request: web.Request) -> web.Response:
        reason = (await request.json())["reason"] if request.can_read_body else None
        self.told.append((request.match_info["id"], " ".join(filter(None, (request.match_info["verb"], reason)))))
        status = {"pause": "paused", "resume": "running", "cancel": "cancelled"}.get(request.match_info["verb"])
        self.jobs[-1] = {**self.jobs[-1], **({"status": status} if status else {})}
        return web.json_response(self.jobs[-1])

    async def _list_recipes(self, request: web.Request) -> web.Response:
        start = int(request.query.get("offset") or 0)
        stop = min(self.count, start + int(request.query.get("limit") or 50))
        items = [self.make(number) for number in range(start, stop)]
        return web.json_response({"items": items, "next_cursor": None, "total": self.count})

    async def _list_models(self, request: web.Request) -> web.Response:
        self.models_asked.append(request.query_string)
        start, wanted = int(request.query.get("cursor") or 0), request.query.get("q", "")
        stop = start + int(request.query["limit"])
        found = [one for one in self.models if wanted in one["title"]]
        return web.json_response({"items": found[start:stop], "next_cursor": str(stop) if stop < len(found) else None})

    async def _read_hashing(self, _request: web.Request) -> web.Response:
        self.hashing_asked += 1
        return web.json_response(self.hashing)

    async def _tell_hashing(self, request: web.Request) -> web.Response:
        self.hashing["paused"] = request.match_info["verb"] == "pause"
        return web.json_response(self.hashing)

    async def _facets(self, _request: web.Request) -> web.Response:
        lists = {name: [{"value": f"{name} {one}", "count": one} for one in (9, 5)] for name in FACETS}
        levels = [{"value": 1, "count": 5}, {"value": 4, "count": 2}]
        return web.json_response({**lists, "nsfw_levels": levels, "missing": 4, "favourites": 6})

    async def _bulk(self, request: web.Request) -> web.Response:
        self.bulk.append(await request.json())
        return web.json_response({"changed": len(self.bulk[-1]["ids"])})

    async def _one_recipe(self, request: web.Request) -> web.Response:
        return web.json_response(self.make(int(request.match_info["id"])))

    async def _workflow(self, _request: web.Request) -> web.Response:
        node = {"id": 1, "type": "KSampler", "pos": [0, 0], "size": [200, 200], "flags": {}, "order": 0, "mode": 0}
        graph = {"nodes": [{**node, "properties": {}}], "links": [], "groups": [], "config": {}, "extra": {}}
        return web.json_response({**graph, "last_node_id": 1, "last_link_id": 0, "version": 0.4})

    async def _patch_recipe(self, request: web.Request) -> web.Response:
        self.patched.append(await request.json())
        return web.json_response({**self.make(int(request.match_info["id"])), **self.patched[-1]})

    async def _picture(self, request: web.Request) -> web.Response:
        data = await asyncio.to_thread(tile, int(request.match_info["id"]))
        return web.Response(body=data, content_type="image/png")

    async def _read_settings(self, _request: web.Request) -> web.Response:
        return web.json_response(self.settings)

    async def _patch_settings(self, request: web.Request) -> web.Response:
        changes = await request.json()
        self.patched.append(changes)
        self.settings.update(changes)
        return web.json_response(self.settings)

    async def _network(self, _request: web.Request) -> web.Response:
        host = {"host": "civitai.red", "window_open": False, "remaining_seconds": 192, "pace_per_second": 0.66}
        counts = {"sent": 412, "refused": 2, "saved": 9130, "waiting": 37}
        return web.json_response({"items": [{**host, **counts}], "next_cursor": None})

    async def _about(self, _request: web.Request) -> web.Response:
        return web.json_response({"version": "0.1.0", "data_dir": "/home/me/pantry", "local": True, **self.problems})

    async def _try(self, request: web.Request) -> web.Response:
        self.told.append((request.match_info["host"], "try"))
        return await self._network(request)

    async def _folders(self, request: web.Request) -> web.Response:
        roots = [{"path": path, "name": path[1:]} for path in ("/pictures", *self.settings["import_folders"])]
        path = request.query.get("path")
        inside = [{"path": f"{path}/2026", "name": "2026"}] if path else []
        return web.json_response({"path": path, "parent": None, "roots": roots, "folders": inside, "images": 3})
