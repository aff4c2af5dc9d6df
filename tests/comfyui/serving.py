"""Serve an aiohttp application on a free loopback port, in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from typing import Any

from aiohttp import web

Build = Callable[[], Awaitable[web.Application]]


class Server:
    """Run `build()`'s application until `close`; `url` is its address without a slash at the end."""

    def __init__(self, build: Build) -> None:
        self._build = build
        self._loop = asyncio.new_event_loop()
        self._ready: Future[str] = Future()
        self._thread = threading.Thread(target=self._run, name="test server", daemon=True)
        self._thread.start()
        self.url = self._ready.result(30)

    def call(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Run a coroutine on the server's loop and return what it returns."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(30)

    def close(self) -> None:
        """Stop serving and wait for the thread."""
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(30)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._serve())
        except BaseException as error:  # whatever it is, the test that waits must hear of it
            self._ready.done() or self._ready.set_exception(error)
            raise
        finally:
            self._loop.close()

    async def _serve(self) -> None:
        self._stop = asyncio.Event()
        runner = web.AppRunner(await self._build(), shutdown_timeout=0.5)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self._ready.set_result(f"http://127.0.0.1:{runner.addresses[0][1]}")
        await self._stop.wait()
        await runner.cleanup()
