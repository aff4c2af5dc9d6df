"""Serve the page, its modules and its events, and nothing else."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest
from aiohttp.test_utils import TestClient, TestServer

from py.routes.server import application
from py.routes.sockets import Sockets


class NotStarted:
    """Parts that do not exist yet: the page and its events do not need them."""

    problem = "starting"
    host = SimpleNamespace(listens_on=("127.0.0.1",))


@pytest.fixture
async def client(tmp_path):
    folder = tmp_path / "web"
    folder.mkdir()
    (folder / "index.html").write_text("<title>Pantry</title>", encoding="utf-8")
    (folder / "app.mjs").write_text("export const one = 1", encoding="utf-8")
    (folder / "notes.txt").write_text("not for the page", encoding="utf-8")
    (tmp_path / "secret.json").write_text("{}", encoding="utf-8")
    sockets = Sockets()
    app = application(NotStarted(), sockets, folder)
    async with TestClient(TestServer(app)) as made:
        made.sockets = sockets
        yield made


async def test_the_page_allows_nothing_from_elsewhere(client):
    """Scripts, pictures and connections come from here alone; nobody frames the page."""
    answer = await client.get("/pantry")
    policy = answer.headers["Content-Security-Policy"]
    assert answer.content_type == "text/html"
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'self'" in policy
    assert "unsafe" not in policy
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


async def test_modules_are_javascript_whatever_the_system_thinks(client):
    """Windows' registry may call .mjs text/plain, and browsers refuse such modules."""
    answer = await client.get("/pantry/web/app.mjs")
    assert (answer.content_type, answer.headers["Cache-Control"]) == ("text/javascript", "no-cache")


@pytest.mark.parametrize(
    "path",
    [
        "notes.txt",
        "nothing.mjs",
        "..%2fsecret.json",
        "%2e%2e/secret.json",
        "x/../../secret.json",
        "a%00.mjs",
        "%5c..%5csecret.json",
    ],
)
async def test_nothing_else_is_served(client, path):
    """Only known kinds of files inside the folder, however the address is spelled."""
    assert (await client.get(f"/pantry/web/{path}")).status == 404


async def test_an_event_reaches_every_open_page(client):
    """Two tabs see the same."""
    one, two = await client.ws_connect("/pantry/ws"), await client.ws_connect("/pantry/ws")
    await asyncio.sleep(0)
    client.sockets.publish("pantry.batch_import", {"operation_id": "a", "total": 1})
    for page in (one, two):
        assert await page.receive_json() == {"type": "pantry.batch_import", "data": {"operation_id": "a", "total": 1}}
        await page.close()


async def test_a_slow_page_gets_the_newest_of_each_job(client):
    """A hundred thousand events cost a slow page two messages, and the others nothing."""
    page = await client.ws_connect("/pantry/ws")
    await asyncio.sleep(0)
    for number in range(1000):
        client.sockets.publish("pantry.batch_import", {"operation_id": "a", "n": number})
        client.sockets.publish("pantry.batch_import", {"operation_id": "b", "n": number})
    got = [await page.receive_json() for _ in range(2)]
    assert [(one["data"]["operation_id"], one["data"]["n"]) for one in got] == [("a", 999), ("b", 999)]
    await page.close()


async def test_a_foreign_page_gets_no_socket(client):
    """The handshake is where a page of another site is stopped."""
    for origin in ("null", "http://evil.example"):
        answer = await client.get("/pantry/ws", headers={"Origin": origin, "Upgrade": "websocket"})
        assert answer.status == 403


async def test_a_page_that_left_is_forgotten(client):
    """Publishing to nobody is nothing."""
    page = await client.ws_connect("/pantry/ws")
    await page.close()
    for _ in range(50):
        await asyncio.sleep(0)
    client.sockets.publish("pantry.batch_import", {"operation_id": "a"})
