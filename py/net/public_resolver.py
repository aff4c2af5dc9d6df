"""Resolve names for addresses that somebody else has chosen: what leads inside is left out.

The check is made on the very answer that the connection then uses, so a name cannot say one thing when it is judged
and another when it is used (DNS rebinding).
"""

from __future__ import annotations

import socket

from aiohttp import DefaultResolver
from aiohttp.abc import AbstractResolver, ResolveResult

from ..core.errors import NotAllowedError
from .public_address import is_public


class PublicResolver(AbstractResolver):
    """Pass on what is public of what `inner` (by default the system's resolver) answers."""

    def __init__(self, inner: AbstractResolver | None = None) -> None:
        self._inner = inner or DefaultResolver()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Return the name's public addresses; raise `NotAllowedError` where it has none."""
        found = [one for one in await self._inner.resolve(host, port, family) if is_public(one["host"])]
        if not found:
            raise inside(host)
        return found

    async def close(self) -> None:
        """Release what the inner resolver holds."""
        await self._inner.close()


def inside(host: str) -> NotAllowedError:
    """Return the error that says why a host is not asked."""
    return NotAllowedError(f"{host[:100]} leads to this machine or the network around it.")
