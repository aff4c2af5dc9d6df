"""A transport that answers from a script and remembers what it was asked."""

from __future__ import annotations

import json as jsonlib

from py.core.ports import Response, TransportFailure


class ScriptedTransport:
    """Answer each request with the next of `script`: a status, (status, JSON[, headers]), or an exception."""

    def __init__(self, clock, *script, default=(200, {"id": 1})):
        self.clock, self.script, self.default = clock, list(script), default
        self.requests = []
        self.sent_at = []
        self.closed = False

    async def send(self, request):
        self.requests.append(request)
        self.sent_at.append(self.clock.monotonic())
        step = self.script.pop(0) if self.script else self.default
        if step is TransportFailure:
            raise TransportFailure("reset")
        if callable(step):
            step = await step()
        return self.response(request, step)

    def response(self, request, step):
        status, body, headers = (*((step,) if isinstance(step, int) else step), {}, {})[:3]
        raw = body if isinstance(body, bytes) else jsonlib.dumps(body).encode()
        kind = "application/json" if not isinstance(body, bytes) else "text/html"
        return Response(
            status=status,
            headers={"content-type": kind, **headers},
            body=raw,
            url=request.url,
            received_monotonic=self.clock.monotonic(),
            received_wall=self.clock.wall(),
        )

    async def close(self):
        self.closed = True
