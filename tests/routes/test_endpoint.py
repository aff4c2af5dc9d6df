"""Turn requests into answers, and every refusal and error into one shape."""

from __future__ import annotations

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from py.core import errors
from py.routes.endpoint import MOST_BODY_BYTES, Endpoint, answer
from py.routes.errors import STATUSES, status_of
from py.routes.guard import Door
from py.routes.shape import Field


class Settings:
    def get(self, name):
        return {"allow_remote_changes": False, "allowed_hosts": ()}[name]


class Parts:
    problem = None
    settings = Settings()


async def echo(_parts, call):
    """Say what arrived."""
    if call.query["fail"]:
        raise getattr(errors, call.query["fail"])
    if call.query["crash"]:
        raise ZeroDivisionError
    return {"body": dict(call.body), "path": dict(call.path), "local": call.local}


QUERY = (Field(name="fail", help=""), Field(name="crash", kind="bool", help=""))
ECHO = Endpoint(method="POST", path="/x/{id}", action=echo, query=QUERY, body=(Field(name="a", kind="int", help=""),))
KEPT = Endpoint(method="DELETE", path="/x/{id}", action=echo, query=QUERY, protected=True)


def serving(parts, *endpoints):
    """Return an application with the endpoints, each behind the guard."""
    app = web.Application(client_max_size=2**30)
    for endpoint in endpoints:

        async def handle(request, endpoint=endpoint):
            return await answer(parts, Door(), endpoint, request, dict(request.match_info))

        app.router.add_route(endpoint.method, endpoint.path, handle)
    return app


@pytest.fixture
def parts():
    return Parts()


@pytest.fixture
async def client(parts):
    async with TestClient(TestServer(serving(parts, ECHO, KEPT))) as made:
        yield made


async def error(got):
    return got.status, (await got.json())["error"]["code"]


async def test_a_request_without_a_body_needs_no_content_type(client):
    """POST /pause and its like carry nothing."""
    got = await client.post("/x/7")
    assert (got.status, await got.json()) == (200, {"body": {}, "path": {"id": "7"}, "local": True})


async def test_a_json_body_is_checked(client):
    """What fits arrives; what does not is a 400 that names the field."""
    assert (await (await client.post("/x/7", json={"a": 1})).json())["body"] == {"a": 1}
    got = await client.post("/x/7", json={"a": "1"})
    assert "a must be a number" in (await got.json())["error"]["message"]
    assert await error(await client.post("/x/7", json={"b": 1})) == (400, "invalid_request")


async def test_half_a_character_is_refused(client):
    """JSON can escape half of a surrogate pair, which no path and no database takes."""
    headers = {"Content-Type": "application/json"}
    got = await client.post("/x/7", data=b'{"a": "\\ud800"}', headers=headers)
    assert await error(got) == (400, "invalid_request")
    whole = await client.post("/x/7", data=b'{"b": "\\ud83d\\ude00"}', headers=headers)
    assert "no field called" in await whole.text()


@pytest.mark.parametrize("data", ["{", "[1]", "\xff", "[" * 100_000, '"x"'])
async def test_a_body_that_is_no_json_object_is_said_so(client, data):
    """Broken text, wrong shapes and towers of brackets are one error."""
    got = await client.post("/x/7", data=data.encode("latin-1"), headers={"Content-Type": "application/json"})
    assert await error(got) == (400, "invalid_request")


async def test_a_body_of_another_type_is_refused(client):
    """Only application/json is read."""
    assert await error(await client.post("/x/7", data=b"{}")) == (415, "unsupported_media_type")


async def test_a_body_above_the_cap_is_refused_while_it_arrives(client):
    """The cap counts bytes, whatever Content-Length says."""

    async def endless():
        for _ in range(MOST_BODY_BYTES // 2**20 + 2):
            yield b" " * 2**20

    got = await client.post("/x/7", data=endless(), headers={"Content-Type": "application/json"})
    assert await error(got) == (400, "invalid_request")


async def test_a_refusal_reads_no_body(client):
    """A foreign page is turned away by its headers."""
    got = await client.post("/x/7", json={"a": 1}, headers={"Sec-Fetch-Site": "cross-site"})
    assert await error(got) == (403, "cross_site")


async def test_a_remote_peer_may_not_do_what_is_protected(client):
    """Whoever comes through a proxy is not at this machine."""
    assert (await client.delete("/x/7")).status == 200
    assert await error(await client.delete("/x/7", headers={"X-Forwarded-For": "10.0.0.9"})) == (403, "not_allowed")


async def test_a_defect_is_an_answer_and_a_log_line(client, caplog):
    """An unforeseen exception tells the caller nothing of its inside."""
    got = await client.post("/x/7?crash=1")
    assert await error(got) == (500, "internal")
    assert "ZeroDivisionError" in caplog.text
    assert "ZeroDivisionError" not in await got.text()


async def test_before_the_start_every_route_says_so(client, parts):
    """A Pantry that could not start answers with the reason instead of failing oddly."""
    parts.problem = "The database is locked."
    got = await client.post("/x/7")
    assert await error(got) == (503, "not_ready")
    assert "locked" in await got.text()


def every_error(kind=errors.PantryError):
    yield kind
    for below in kind.__subclasses__():
        yield from every_error(below)


@pytest.mark.parametrize("kind", list(every_error()), ids=lambda kind: kind.__name__)
def test_every_error_has_a_status(kind):
    """No error of the tree is a surprise, and a branch's own status wins over its root's."""
    assert status_of(kind()) == next(status for one, status in STATUSES if issubclass(kind, one))


async def test_a_wait_is_told_in_the_header_too(parts):
    """A caller learns from Retry-After and retry_at when to come again."""

    async def limited(_parts, _call):
        """Wait."""
        raise errors.RateLimitError(host="civitai.red", retry_after=12.2, retry_at=1_900_000_000.0)

    endpoint = Endpoint(method="GET", path="/x", action=limited)
    async with TestClient(TestServer(serving(parts, endpoint))) as client:
        got = await client.get("/x")
        assert (got.status, got.headers["Retry-After"]) == (503, "13")
        assert (await got.json())["error"]["retry_at"] == 1_900_000_000.0
