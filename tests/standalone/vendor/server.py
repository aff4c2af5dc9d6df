"""Serve one vendor on a port of 127.0.0.1."""

from __future__ import annotations

import time

from aiohttp import web

from . import routes
from .catalogue import Catalogue
from .faults import broken_wire, plain_answer
from .journal import Journal
from .policies import Open
from .refusal import Refusal

BY_HASH = "/api/v1/model-versions/by-hash"


class MachineClock:
    """Tell the machine's time, where no test's clock is given."""

    monotonic = staticmethod(time.monotonic)
    wall = staticmethod(time.time)


class LoopbackVendor:
    """Be CivitAI (`kind` civitai) or CivArchive (civarchive, civarchive-v1); policy, refusal and faults may be
    changed at any time.

    `async with LoopbackVendor(...) as vendor` serves it; `vendor.base` is what goes into the settings.
    """

    def __init__(self, kind="civitai", catalogue=None, *, clock=None, policy=None, refusal=None, port=0):
        self.kind = kind
        self.catalogue = catalogue if catalogue is not None else Catalogue()
        self.clock = clock or MachineClock()
        self.policy = policy or Open()
        self.refusal = refusal or Refusal()
        self.faults = []
        self.journal = Journal()
        self.port = port
        self.bulk = "there"  # CivitAI: the POST routes, or what is in their place: no ids, json 404, 404, 405
        self.points = False  # CivArchive: answer a hash with a pointer instead of a model
        self.key = None  # CivitAI: the only key that is not refused, where one is wanted
        self.extra_routes = ()
        self.in_flight = 0
        self._runner = None

    @property
    def host(self):
        return f"127.0.0.1:{self.port}"

    @property
    def origin(self):
        return f"http://{self.host}/api"

    @property
    def base(self):
        return self.origin + ("" if self.kind == "civarchive" else "/v1")

    async def start(self):
        app = web.Application()
        table = routes.CIVITAI if self.kind == "civitai" else routes.ARCHIVE
        for path, answer in table.items():
            app.router.add_get(path, self._handler(answer))
        if self.kind == "civitai":
            app.router.add_post(BY_HASH, self._handler(routes.civitai_by_hashes))
            app.router.add_post(f"{BY_HASH}/ids", self._handler(routes.civitai_ids))
        app.add_routes(self.extra_routes)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self.port, reuse_address=True)
        await site.start()
        self.port = self._runner.addresses[0][1]
        return self

    async def stop(self):
        """Go down: connections are refused until `start`, which comes back on the same port."""
        if self._runner:
            await self._runner.cleanup()
            self._runner = None

    async def __aenter__(self):
        return await self.start()

    async def __aexit__(self, *_exc):
        await self.stop()

    def fail(self, fault):
        self.faults.append(fault)
        return fault

    def open_up(self):
        """Refuse nothing from now on, and forget the windows announced before."""
        self.policy, self.faults = Open(), []
        self.journal.announced_until = float("-inf")

    def _handler(self, answer):
        async def handle(request):
            self.in_flight += 1
            try:
                return await self._handle(request, answer)
            finally:
                self.in_flight -= 1

        return handle

    async def _handle(self, request, answer):
        body = await request.json() if request.method == "POST" else None
        questions = routes.questions_of(request, body)
        now = self.clock.monotonic()
        entry = self.journal.open(now, request.method, request.path_qs, questions, request.headers)
        fault = next((one for one in self.faults if one.strikes(request.path_qs)), None)
        if fault:
            entry.kind = fault.kind
            return plain_answer(fault.kind) or await broken_wire(fault, request, self._answered(request, answer, body))
        wait = self.policy.admit(now)
        if wait is not None:
            return await self._refused(request, entry, now, wait)
        response = self._answered(request, answer, body)
        entry.kind, entry.status = "answered", response.status
        return response

    def _answered(self, request, answer, body):
        if self.key and request.headers.get("Authorization") != f"Bearer {self.key}":
            return web.json_response({"error": "Unauthorized"}, status=401)
        if request.method != "POST":
            return answer(self, request)
        if self.bulk == "there" or (self.bulk == "no ids" and answer is not routes.civitai_ids):
            return answer(self, body)
        if self.bulk == "json 404":
            return web.json_response({"error": "Not found"}, status=404)
        return web.Response(text="no such route", status=404 if self.bulk == "no ids" else int(self.bulk))

    async def _refused(self, request, entry, now, wait):
        seconds = self.refusal.wait(wait)
        content_type, text = self.refusal.content(seconds)
        headers = self.refusal.headers(seconds, self.clock.wall())
        response = web.Response(text=text, content_type=content_type, status=self.refusal.status, headers=headers)
        entry.kind, entry.status = "refused", response.status
        await response.prepare(request)
        await response.write_eof()
        if self.refusal.names_a_window():
            # Counted from when the refusal left: what was on its way before could not know.
            self.journal.announce(now + seconds - (0.5 if self.refusal.spelling == "decimal" else 0))
        return response
