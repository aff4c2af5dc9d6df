"""Where connections for somebody else really go, on loopback sockets."""

from __future__ import annotations

import socket

import pytest
from aiohttp import web
from aiohttp.abc import AbstractResolver

from py.core.clock import SystemClock
from py.core.errors import NotAllowedError
from py.core.ports import Request, TransportFailure
from py.net.aiohttp_transport import AiohttpTransport
from py.net.public_resolver import PublicResolver
from tests.net.loopback import serving

NAME = "image.civitai.com"


class Rebound(AbstractResolver):
    """Answer every name with the addresses at hand, as a hostile name server would."""

    def __init__(self, *addresses):
        self.addresses = addresses

    async def resolve(self, host, port=0, family=socket.AF_INET):
        return [
            {"hostname": host, "host": one, "port": port, "family": family, "proto": 0, "flags": 0}
            for one in self.addresses
        ]

    async def close(self):
        pass


@pytest.fixture
async def served():
    """Yield a port of this machine, and who has come."""
    seen = []

    async def handle(request):
        seen.append(request.host)
        return web.Response(text="inside")

    async with serving(handle) as base:
        yield base.rpartition(":")[2], seen


@pytest.fixture
async def transport():
    made = AiohttpTransport(SystemClock(), Rebound("127.0.0.1"))
    yield made
    await made.close()


async def test_a_name_that_means_this_machine_is_not_asked(served, transport):
    """The name is on the list, its address is not: no socket is opened."""
    port, seen = served

    with pytest.raises(NotAllowedError, match="this machine"):
        await transport.send(Request(method="GET", url=f"http://{NAME}:{port}/x.png", public_only=True))

    assert seen == []


async def test_an_open_connection_of_another_request_is_not_used(served, transport):
    """What a configured vendor on this machine has opened opens nothing for others."""
    port, seen = served
    url = f"http://{NAME}:{port}/x.png"
    assert (await transport.send(Request(method="GET", url=url))).body == b"inside"

    with pytest.raises(NotAllowedError):
        await transport.send(Request(method="GET", url=url, public_only=True))

    assert len(seen) == 1


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "[::1]", "[::ffff:127.0.0.1]", "localhost"]
)
async def test_no_spelling_of_this_machine_is_asked(served, host):
    """Addresses are judged as they stand, odd spellings as the system's resolver reads them, where aiohttp asks it."""
    port, seen = served
    transport = AiohttpTransport(SystemClock())

    with pytest.raises((NotAllowedError, TransportFailure)):
        await transport.send(Request(method="GET", url=f"http://{host}:{port}/", public_only=True))

    await transport.close()
    assert seen == []


async def test_only_the_public_addresses_of_a_name_are_used():
    """A name that answers with both keeps its public ones."""
    found = await PublicResolver(Rebound("10.0.0.1", "104.16.0.1", "fd00::1")).resolve(NAME, 443)

    assert [one["host"] for one in found] == ["104.16.0.1"]
