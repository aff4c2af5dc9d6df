"""Hold the server to its own description: schemathesis makes requests from the OpenAPI file and judges the answers."""

from __future__ import annotations

import asyncio
import threading
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web
from hypothesis import HealthCheck, Phase, settings

from py.app import HostInfo, Pantry
from py.core.ports import TransportFailure
from py.routes.server import application
from py.routes.sockets import Sockets
from tests.doubles.fake_clock import FakeClock

from .conftest import FROM_ELSEWHERE, WEB

schemathesis = pytest.importorskip("schemathesis", reason="schemathesis needs Python 3.11")
from schemathesis.specs.openapi import checks as openapi_checks  # noqa: E402 - only where it is there

schema = schemathesis.openapi.from_path(Path(__file__).parents[2] / "docs" / "reference" / "openapi.json")
JUDGES = [
    openapi_checks.status_code_conformance,
    openapi_checks.content_type_conformance,
    openapi_checks.response_headers_conformance,
    openapi_checks.response_schema_conformance,
]
# Random text must not send a scan through this machine's folders: callers from elsewhere reach our own folders alone.
NAMES_FOLDERS = ("/batch-imports", "/batch-imports/preview", "/settings", "/folders")
# Vendors are unreachable here, and a route may say so.
VENDOR_FAILURES = (502, 503)


class Unreachable:
    """A transport that reaches nobody."""

    async def send(self, request):
        raise TransportFailure(request.method)

    async def close(self):
        pass


@asynccontextmanager
async def serving(folder):
    """Serve a whole Pantry on a free port, and yield its address."""
    sockets = Sockets()
    host = HostInfo(data_dir=folder / "data", sink=sockets, output_folders=(folder,))
    pantry = Pantry(host, clock=FakeClock(), transport=Unreachable())
    runner = web.AppRunner(application(pantry, sockets, WEB), access_log=None, shutdown_timeout=0.1)
    try:
        await pantry.start()
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()
        await pantry.close()


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """Serve on a thread of its own: schemathesis sends with a blocking client."""
    ready, address = threading.Event(), []

    async def serve():
        address.append(asyncio.get_running_loop())
        address.append(asyncio.Event())
        async with serving(tmp_path_factory.mktemp("contract")) as url:
            address.append(url)
            ready.set()
            await address[1].wait()

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    assert ready.wait(30)
    yield address[2]
    address[0].call_soon_threadsafe(address[1].set)
    thread.join(30)


@schema.parametrize()
@settings(
    max_examples=6,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_every_answer_is_as_described(case, base):
    """Requests that fit the description, and some that do not: each answer has a status, type and shape it names."""
    headers = {"X-Pantry": "1", **(FROM_ELSEWHERE if case.path.removeprefix("/pantry/api") in NAMES_FOLDERS else {})}
    answer = case.call(base_url=base, headers=headers, timeout=20)

    assert answer.status_code < 500 or answer.status_code in VENDOR_FAILURES, answer.text
    case.validate_response(answer, checks=JUDGES)
