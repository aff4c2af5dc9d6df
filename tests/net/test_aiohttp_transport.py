"""The wire, on real loopback sockets."""

from __future__ import annotations

import asyncio

import pytest
from aiohttp import web

from py.core.clock import SystemClock
from py.core.errors import MalformedAnswerError
from py.core.ports import Request, TransportFailure
from py.net.aiohttp_transport import AiohttpTransport
from tests.net.loopback import serving


@pytest.fixture
async def transport():
    made = AiohttpTransport(SystemClock())
    yield made
    await made.close()


async def test_an_answer_has_lower_case_headers_and_joins_repeats(transport):
    """And says when its headers came."""

    async def handle(request):
        response = web.json_response({"agent": request.headers["User-Agent"], "accept": request.headers["Accept"]})
        response.headers.add("Retry-After", "5")
        response.headers.add("retry-after", "9")
        return response

    async with serving(handle) as base:
        answer = await transport.send(Request(method="GET", url=f"{base}/x"))

    assert answer.headers["retry-after"] == "5, 9"
    assert b"ComfyUI-Pantry/" in answer.body
    assert b"application/json" in answer.body
    assert not any(word in answer.body.lower() for word in (b"mozilla", b"chrome", b"safari"))
    assert answer.received_monotonic <= SystemClock().monotonic()


async def test_redirects_and_cookies_are_left_to_the_caller(transport):
    """A redirect is an answer; a cookie is not kept."""
    seen = []

    async def handle(request):
        seen.append(request.headers.get("Cookie"))
        response = web.Response(status=302, headers={"Location": "/elsewhere"})
        response.set_cookie("session", "1")
        return response

    async with serving(handle) as base:
        answers = [await transport.send(Request(method="GET", url=base)) for _ in range(2)]

    assert [answer.status for answer in answers] == [302, 302]
    assert seen == [None, None]


async def test_a_body_above_its_cap_is_given_up_while_it_streams(transport):
    """It is no failure of the wire, and it is not read to the end."""
    sent = []

    async def handle(request):
        response = web.StreamResponse()
        await response.prepare(request)
        for number in range(1000):
            await response.write(b"x" * 65_536)
            sent[:] = [number]
        return response

    async with serving(handle) as base:
        with pytest.raises(MalformedAnswerError):
            await transport.send(Request(method="GET", url=base, max_bytes=100_000))

    assert sent < [900]


async def test_a_lost_connection_is_one_request(transport):
    """The library's own second try would go past the gate."""
    seen = []

    async def handle(request):
        seen.append(request.path)
        request.transport.abort()
        await asyncio.sleep(0)
        return web.Response()

    async with serving(handle) as base:
        with pytest.raises(TransportFailure):
            await transport.send(Request(method="GET", url=f"{base}/x"))

    assert seen == ["/x"]


async def test_every_failure_of_the_wire_is_one_kind_of_error(transport):
    """Nobody listens, nobody answers in time, no such address: the same error, and none of aiohttp's."""
    async with serving(lambda _request: asyncio.sleep(5)) as base:
        with pytest.raises(TransportFailure):
            await transport.send(Request(method="GET", url=base, timeout=0.05))

    for url in (base, "http://127.0.0.1:1/", "http://[::bad/", "http://"):
        with pytest.raises(TransportFailure):
            await transport.send(Request(method="GET", url=url))


async def test_closing_twice_is_harmless_and_reopens_on_use(transport):
    """A session belongs to the loop that uses it."""
    async with serving(lambda _request: _ok()) as base:
        await transport.send(Request(method="GET", url=base))
        await transport.close()
        await transport.close()

        assert (await transport.send(Request(method="GET", url=base))).status == 200


async def _ok():
    return web.Response(text="ok")
