"""Serve one handler on a free port of 127.0.0.1."""

from __future__ import annotations

from contextlib import asynccontextmanager

from aiohttp import web


@asynccontextmanager
async def serving(handle):
    """Yield the address; `handle(request)` answers every path and method."""

    async def answer(request):
        return await handle(request)

    app = web.Application()
    app.router.add_route("*", "/{tail:.*}", answer)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()
