"""Serve a real Pantry on loopback, its data in a temporary folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from aiohttp.test_utils import TestClient, TestServer

from py.app import HostInfo, Pantry
from py.routes.server import application
from py.routes.sockets import Sockets
from tests.doubles.fake_clock import FakeClock

WEB = Path(__file__).parents[2] / "web"
FROM_ELSEWHERE = {"X-Forwarded-For": "10.0.0.9"}


class NoNetwork:
    """A transport that must not be used."""

    async def send(self, request):
        raise AssertionError(f"a route sent {request.method} {request.url}")

    async def close(self):
        pass


@pytest.fixture
def sockets():
    return Sockets()


@pytest.fixture
def host(tmp_path, sockets):
    output = tmp_path / "output"
    output.mkdir()
    return HostInfo(data_dir=tmp_path / "data", sink=sockets, output_folders=(output,))


@pytest.fixture
async def pantry(host):
    made = Pantry(host, clock=FakeClock(), transport=NoNetwork())
    try:
        await made.start()
        yield made
    finally:
        await made.close()


@pytest.fixture
async def client(pantry, sockets):
    async with TestClient(TestServer(application(pantry, sockets, WEB))) as made:
        yield made
