"""Send requests with aiohttp: no redirects, no cookies, no proxy from the environment, no retry of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import aiohttp
from aiohttp.abc import AbstractResolver
from yarl import URL

from ..core.errors import TooLargeAnswerError
from ..core.ports import Clock, Request, Response, TransportFailure
from ..core.version import VERSION
from .public_address import is_literal, is_public
from .public_resolver import PublicResolver, inside

# A name without "Mozilla": CivitAI sends browsers pages where it sends programs JSON.
USER_AGENT = f"ComfyUI-Pantry/{VERSION}"
_DEFAULTS = {"User-Agent": USER_AGENT, "Accept": "application/json"}
_CONNECT_SECONDS = 15.0
_CHUNK = 64 * 1024

_WIRE_ERRORS = (aiohttp.ClientError, asyncio.TimeoutError, OSError, ValueError)


class AiohttpTransport:
    """Implement `Transport`; sessions are made at the first request, on the loop that uses them.

    Requests that may reach the public alone have a session of their own: a connection that another request has opened
    is never theirs. `resolver` takes the place of the system's.
    """

    def __init__(self, clock: Clock, resolver: AbstractResolver | None = None) -> None:
        self._clock = clock
        self._resolver = resolver
        self._sessions: dict[bool, aiohttp.ClientSession] = {}

    async def send(self, request: Request) -> Response:
        """Return the answer; raise `TransportFailure`, or `TooLargeAnswerError` above ``request.max_bytes``."""
        async with self.open(request) as (head, chunks):
            body = bytearray()
            async for chunk in chunks:
                body += chunk
                if len(body) > request.max_bytes:
                    raise TooLargeAnswerError
            return Response(
                status=head.status,
                headers=head.headers,
                body=bytes(body),
                url=head.url,
                received_monotonic=head.received_monotonic,
                received_wall=head.received_wall,
            )

    @asynccontextmanager
    async def open(self, request: Request) -> AsyncIterator[tuple[Response, AsyncIterator[bytes]]]:
        """Yield the answer without its body, and the body in pieces as they come; raise `TransportFailure`."""
        try:
            async with self._request(request) as answer:
                head = Response(
                    status=answer.status,
                    headers=_joined(answer.headers),
                    body=b"",
                    url=request.url,
                    received_monotonic=self._clock.monotonic(),
                    received_wall=self._clock.wall(),
                )
                yield head, answer.content.iter_chunked(_CHUNK)
        except _WIRE_ERRORS as error:
            raise TransportFailure(type(error).__name__) from error

    def _request(self, request: Request) -> aiohttp.client._RequestContextManager:
        url = URL(request.url)
        host = url.host or ""
        if request.public_only and is_literal(host) and not is_public(host):
            raise inside(host)
        return self._opened(public_only=request.public_only).request(
            request.method,
            url,
            headers={**_DEFAULTS, **request.headers},
            json=request.json,
            allow_redirects=False,
            timeout=aiohttp.ClientTimeout(total=request.timeout or None, connect=_CONNECT_SECONDS, sock_read=60.0),
        )

    def _opened(self, *, public_only: bool) -> aiohttp.ClientSession:
        session = self._sessions.get(public_only)
        if session is None or session.closed:
            resolver = PublicResolver(self._resolver) if public_only else self._resolver
            connector = aiohttp.TCPConnector(resolver=resolver)
            session = aiohttp.ClientSession(connector=connector, trust_env=False, cookie_jar=aiohttp.DummyCookieJar())
            # aiohttp sends a GET again by itself after a lost connection; that would be a request past the gate.
            if hasattr(session, "_retry_connection"):
                session._retry_connection = False  # noqa: SLF001 - there is no public switch
            self._sessions[public_only] = session
        return session

    async def close(self) -> None:
        """Close the sessions and their sockets; safe to call twice."""
        for session in self._sessions.values():
            await session.close()
        if self._sessions:
            # Lets the sockets' own callbacks run, so that nothing is reported as left open.
            await asyncio.sleep(0)


def _joined(headers: Mapping[str, str]) -> Mapping[str, str]:
    joined: dict[str, str] = {}
    for name, value in headers.items():
        key = name.lower()
        joined[key] = f"{joined[key]}, {value}" if key in joined else value
    return joined
