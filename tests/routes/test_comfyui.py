"""Load the pack as ComfyUI does, with a stand-in for its server, and see what it costs and what it answers."""

from __future__ import annotations

import asyncio
import importlib.util
import subprocess
import sys
import textwrap
import types
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

ROOT = Path(__file__).resolve().parents[2]
API = "/pantry/api"


class FakePromptServer:
    """Stand in for ComfyUI's server: a route table mounted twice, an application, a loop, a record of events."""

    def __init__(self):
        self.routes = web.RouteTableDef()
        self.app = web.Application(client_max_size=2**27)
        self.loop = asyncio.get_running_loop()
        self.sent = []

    def send_sync(self, event, data, _sid=None):
        self.sent.append((event, data))

    def add_routes(self):
        """Do what ComfyUI does once all packs are loaded: every route, plain and below /api."""
        for route in self.routes:
            self.app.router.add_route(route.method, route.path, route.handler)
            self.app.router.add_route(route.method, "/api" + route.path, route.handler)


@pytest.fixture
def comfyui(monkeypatch, tmp_path):
    folder_paths = types.ModuleType("folder_paths")
    folder_paths.get_user_directory = lambda: str(tmp_path / "user")
    folder_paths.get_input_directory = lambda: str(tmp_path / "input")
    folder_paths.get_output_directory = lambda: str(tmp_path / "output")
    folder_paths.folder_names_and_paths = {"loras": ()}
    folder_paths.get_folder_paths = lambda _kind: [str(tmp_path / "loras")]
    samplers, cli_args = types.ModuleType("comfy.samplers"), types.ModuleType("comfy.cli_args")
    samplers.KSampler = types.SimpleNamespace(SAMPLERS=["euler"], SCHEDULERS=["normal"])
    cli_args.args = types.SimpleNamespace(listen="127.0.0.1", disable_metadata=False)
    named = {"folder_paths": folder_paths, "comfy": types.ModuleType("comfy")}
    for name, module in {**named, "comfy.samplers": samplers, "comfy.cli_args": cli_args}.items():
        monkeypatch.setitem(sys.modules, name, module)
    for name in ("input", "output", "loras"):
        (tmp_path / name).mkdir()
    return tmp_path


def load_pack(monkeypatch, instance):
    """Import the root __init__ under the name that ComfyUI gives it, its path with dots replaced."""
    server = types.ModuleType("server")
    server.PromptServer = types.SimpleNamespace(instance=instance)
    monkeypatch.setitem(sys.modules, "server", server)
    name = str(ROOT).replace(".", "_x_")
    spec = importlib.util.spec_from_file_location(name, ROOT / "__init__.py", submodule_search_locations=[str(ROOT)])
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    return module


async def test_the_pack_works_inside_comfyui(monkeypatch, comfyui):
    """Nodes are there, routes answer plain and below /api, events go through ComfyUI's own channel."""
    instance = FakePromptServer()
    pack = load_pack(monkeypatch, instance)
    assert set(pack.NODE_CLASS_MAPPINGS) == set(pack.NODE_DISPLAY_NAME_MAPPINGS)
    assert (ROOT / pack.WEB_DIRECTORY / "extension.js").is_file()
    instance.add_routes()
    async with TestClient(TestServer(instance.app)) as client:
        for prefix in ("", "/api"):
            assert (await client.get(f"{prefix}{API}/settings")).status == 200
        assert (await client.get("/pantry")).content_type == "text/html"
        roots = (await (await client.get(f"{API}/folders")).json())["roots"]
        assert {Path(one["path"]).name for one in roots} == {"input", "output"}
        body = {"directory": str(comfyui / "output")}
        assert (await client.post(f"{API}/batch-imports", json=body)).status == 202
        await asyncio.wait_for(_until(lambda: any(event == "pantry.batch_import" for event, _ in instance.sent)), 10)
        assert (comfyui / "user" / "__pantry" / "pantry.sqlite").is_file()
        await _close(pack)


async def test_a_pantry_that_cannot_start_leaves_comfyui_alone(monkeypatch, comfyui):
    """ComfyUI starts; every route of ours says what is wrong."""
    (comfyui / "user").write_text("not a folder", encoding="utf-8")
    instance = FakePromptServer()
    load_pack(monkeypatch, instance)
    instance.add_routes()
    async with TestClient(TestServer(instance.app)) as client:
        answer = await client.get(f"{API}/settings")
        assert (answer.status, (await answer.json())["error"]["code"]) == (503, "not_ready")


async def _until(happened):
    while not happened():
        await asyncio.sleep(0.01)


async def _close(pack):
    """Release what ComfyUI would take down with its process."""
    shelf = pack.NODE_CLASS_MAPPINGS["PantryRecipeLoader"].shelf
    await shelf._parts.close()


def test_loading_the_pack_imports_next_to_nothing():
    """ComfyUI prints each pack's import time, so the parts wait until its server starts."""
    program = f"""
        import asyncio, importlib.util, sys, types
        from aiohttp import web
        server = types.ModuleType("server")
        instance = types.SimpleNamespace(
            routes=web.RouteTableDef(), app=types.SimpleNamespace(on_startup=[]), loop=asyncio.new_event_loop())
        server.PromptServer = types.SimpleNamespace(instance=instance)
        samplers = types.ModuleType("comfy.samplers")
        samplers.KSampler = types.SimpleNamespace(SAMPLERS=["euler"], SCHEDULERS=["normal"])
        sys.modules.update({{"server": server, "comfy": types.ModuleType("comfy"), "comfy.samplers": samplers}})
        before = set(sys.modules)
        spec = importlib.util.spec_from_file_location(
            "pack", r"{ROOT / "__init__.py"}", submodule_search_locations=[r"{ROOT}"])
        pack = importlib.util.module_from_spec(spec)
        sys.modules["pack"] = pack
        spec.loader.exec_module(pack)
        print("\\n".join(sorted(set(sys.modules) - before)))
        instance.loop.close()
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True)
    ours = [name for name in done.stdout.split() if name.startswith("pack.py.")]
    heavy = (
        "app",
        "routes.front",
        "routes.table",
        "services",
        "storage",
        "recipes",
        "jobs",
        "vendors",
        "library",
        "net",
    )
    assert [name for name in ours if name.removeprefix("pack.py.").startswith(heavy)] == []
    assert not {"PIL", "sqlite3", "tqdm"} & set(done.stdout.split())
    assert len(ours) < 25
