"""Answer Pantry's HTTP contract from a script, for states that a real import passes through too fast to be seen."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from aiohttp import web

from .pictures import tile

PREFIX = "/pantry/api"
FACETS = ("checkpoints", "loras", "base_models", "tags")
SETTINGS = {
    "civitai_api_key": {"set": True, "hint": "…1234"},
    "rate_limit_gate_enabled": True,
    "rate_limit_max_wait_seconds": 300.0,
    "rate_limit_min_interval_seconds": 0.75,
    "import_folders": [],
}


def job(**changes: Any) -> dict[str, Any]:
    """Return a snapshot of a job in the middle of its work."""
    return {
        "operation_id": "job-1",
        "status": "running",
        "phase": "resolving",
        "source": "/pictures/2026",
        "total": 200,
        "completed": 120,
        "success": 112,
        "skipped": 8,
        "failed": 0,
        "skipped_reasons": {"duplicate": 8},
        "progress_percent": 60.0,
        "current_item": "mountain_0121.png",
        "items_per_second": 21.5,
        "eta_seconds": 4,
        "started_at": 1_800_000_000.0,
        "finished_at": None,
        "rate_limited": False,
        "limits": [],
        "message": None,
        "tags": [],
        **changes,
    }


def waiting_job(seconds: float = 192.0, **changes: Any) -> dict[str, Any]:
    """Return the same job held by CivitAI for `seconds`."""
    limit = {
        "host": "civitai.red",
        "retry_at": 1_800_000_500.0,
        "remaining_seconds": seconds,
        "waiting_items": 37,
    }
    return job(**{"rate_limited": True, "limits": [limit], **changes})


def recipe(number: int, **changes: Any) -> dict[str, Any]:
    """Return one recipe, whole; lists show the same fields and more. Every fifth misses two of its three models."""
    here = number % 5 != 0
    return {
        "id": str(number),
        "title": f"Mountain lake {number}",
        "created_at": 1_800_000_000.0 + number,
        "prompt": "a calm mountain lake at dawn, mist over the water, soft light, highly detailed",
        "negative_prompt": "blurry, text, watermark",
        "seed": 1_234_567 + number,
        "steps": 28,
        "cfg_scale": 6.5,
        "guidance": None,
        "sampler": "DPM++ 2M",
        "scheduler": "Karras",
        "width": 832,
        "height": 1216,
        "clip_skip": None,
        "denoise": None,
        "hires": {},
        "checkpoint": {
            "name": "juggernautXL_v9",
            "hash": "d91d35736d",
            "hash_type": "autov2",
            "model_version_id": 348913,
            "model_id": 133005,
            "state": "found",
            "source": "civitai",
            "here": here,
            "vendor_name": "Juggernaut XL",
            "version_name": "V9",
            "base_model": "SDXL 1.0",
        },
        "loras": [
            {"name": "misty_mornings", "strength_model": 0.8, "strength_clip": 0.8, "state": "found", "here": True},
            {"name": "old_and_gone", "strength_model": 0.35, "strength_clip": 0.3, "state": "absent", "here": here},
        ],
        "embeddings": [],
        "vae": None,
        "other_models": [],
        "has_workflow": True,
        "base_model": "SDXL 1.0",
        "tags": ["landscape"] if number % 3 else [],
        "favourite": number % 4 == 0,
        "rating": number % 6 or None,
        "notes": "",
        "nsfw_level": 4 if number % 8 == 2 else None,
        "missing": 0 if here else 2,
        "origins": {},
        "source": {
            "path": f"/pictures/2026/mountain_{number:04}.png",
            "generator": "A1111",
            "carriers": ["png:parameters"],
        },
        **changes,
    }


def model(number: int) -> dict[str, Any]:
    """Return one file of the model library."""
    states = ("synced", "archived_copy", "absent", "waiting", "unknown", "offline")
    return {
        "id": number,
        "type": "loras",
        "file_name": f"styles/misty_mornings_{number}.safetensors",
        "size": 228_000_000,
        "state": states[number % len(states)],
        "hashes": {},
        "title": f"Misty Mornings {number}",
        "version_name": "v2",
        "base_model": "SDXL 1.0",
        "trained_words": ["misty", "soft morning light"],
        "model_id": 1000 + number,
        "model_version_id": 2000 + number,
        "newer_version": {"model_version_id": 9, "name": "v3"} if number == 1 else None,
        "nsfw_level": 1,
        "retry_at": None,
        "host": None,
        "detail": None,
        "has_preview": False,
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
            ("GET", "/recipes/facets", self._facets),
            ("POST", "/recipes/bulk", self._bulk),
            ("POST", "/batch-imports", self._start),
            ("POST", "/batch-imports/preview", self._preview),
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

    async def _preview(self, _request: web.Request) -> web.Response:
        return web.json_response({"images": 1200, "known": 300, "folders": 4, "bytes": 10**9, "truncated": False})

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
        ]
        return web.json_response({"items": items, "next_cursor": None})

    async def _tell(self, request: web.Request) -> web.Response:
        self.told.append((request.match_info["id"], request.match_info["verb"]))
        status = {"pause": "paused", "resume": "running", "cancel": "cancelled"}.get(request.match_info["verb"])
        self.jobs[-1] = {**self.jobs[-1], **({"status": status} if status else {})}
        return web.json_response(self.jobs[-1])

    async def _list_recipes(self, request: web.Request) -> web.Response:
        start = int(request.query.get("offset") or 0)
        stop = min(self.count, start + int(request.query.get("limit") or 50))
        items = [self.make(number) for number in range(start, stop)]
        return web.json_response({"items": items, "next_cursor": None, "total": self.count})

    async def _list_models(self, _request: web.Request) -> web.Response:
        return web.json_response({"items": [model(number) for number in range(12)], "next_cursor": None})

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
        return web.json_response({"version": "0.1.0", "data_dir": "/home/me/pantry", **self.problems})

    async def _try(self, request: web.Request) -> web.Response:
        self.told.append((request.match_info["host"], "try"))
        return await self._network(request)

    async def _folders(self, request: web.Request) -> web.Response:
        roots = [{"path": "/pictures", "name": "pictures"}]
        path = request.query.get("path")
        inside = [{"path": f"{path}/2026", "name": "2026"}] if path else []
        return web.json_response({"path": path, "parent": None, "roots": roots, "folders": inside, "images": 3})
