"""The API key goes to CivitAI's API and nowhere else, whatever happens."""

from __future__ import annotations

import json
import logging

import pytest
from aiohttp.test_utils import TestClient, TestServer

from py.routes.front import Front
from py.routes.server import add_front
from py.routes.sockets import Sockets

from .pictures import make
from .vendor import Fault
from .world import world

KEY = "sk-0123456789abcdef-SECRET"
FAULTS = ["401", "challenge", "500", "html", "reset", None]


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    return make(tmp_path_factory.mktemp("pictures"), 6, loras=4, archive_only=2, unknown=1)


async def everything_shown(here, folder):
    """Return the text of every answer that a browser could ask for, errors included."""
    from aiohttp import web

    app = web.Application()
    add_front(app, Front(here.pantry, Sockets(), folder))
    texts = []
    async with TestClient(TestServer(app)) as client:
        jobs = await (await client.get("/pantry/api/batch-imports")).json()
        ids = [one["operation_id"] for one in jobs["items"]]
        found = await (await client.get("/pantry/api/recipes")).json()
        paths = [
            "settings",
            "network",
            "about",
            "batch-imports",
            "recipes",
            "models",
            "metadata-syncs",
            "recipes/export",
        ]
        paths += [f"batch-imports/{one}/{what}" for one in ids for what in ("items", "report", "log")]
        paths += [f"recipes/{one['id']}" for one in found["items"]]
        texts += [await (await client.get(f"/pantry/api/{path}")).text() for path in paths]
        bad = {"civitai_api_key": KEY, "civitai_api_base": "nonsense"}
        texts.append(await (await client.patch("/pantry/api/settings", json=bad)).text())
    return "\n".join(texts)


@pytest.mark.parametrize("fault", FAULTS)
async def test_the_key_is_in_no_log_answer_event_or_file(tmp_path, pictures, caplog, fault):
    """Through an import against a vendor that works, refuses the key, breaks or talks nonsense."""
    caplog.set_level(logging.DEBUG)
    async with world(tmp_path, pictures, civitai_api_key=KEY, civarchive_enabled=True) as here:
        if fault:
            here.civitai.fail(Fault(fault))
        await here.import_folder(pictures.folder)
        shown = await everything_shown(here, tmp_path)
        events = json.dumps(here.events.all)
    assert KEY not in shown
    assert KEY[-4:] in shown  # whether it is set, and how it ends
    assert KEY not in events
    assert KEY not in caplog.text
    for path in (tmp_path / "data").rglob("*"):
        if path.is_file() and path.name != "settings.json":
            assert KEY.encode() not in path.read_bytes(), path


async def test_the_key_goes_to_civitai_alone(tmp_path, pictures):
    """CivArchive gets the question and not the key; a query never carries it."""
    async with world(tmp_path, pictures, civitai_api_key=KEY) as here:
        await here.import_folder(pictures.folder)
        assert here.civarchive.journal.entries
        for one in here.civarchive.journal.entries:
            assert KEY not in json.dumps(one.headers)
        for one in (*here.civitai.journal.entries, *here.civarchive.journal.entries):
            assert KEY not in one.path


async def test_a_key_is_kept_for_its_owner_alone(tmp_path, pictures):
    """Nobody else on the machine can read the file, where the system knows owners."""
    async with world(tmp_path, pictures) as here:
        here.pantry.settings.update({"civitai_api_key": KEY})
        mode = (tmp_path / "data" / "settings.json").stat().st_mode & 0o777
    assert mode in (0o600, 0o666)  # Windows knows no owners here
