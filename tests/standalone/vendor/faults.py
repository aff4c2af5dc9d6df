"""Break an answer in the ways that networks and vendors do."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from aiohttp import web

CHALLENGE = (
    "<!DOCTYPE html><html><head><title>Just a moment...</title></head><body>"
    "<script src='/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1'></script></body></html>"
)
BACK_SOON = "<!DOCTYPE html><html><body>We will be back in a few minutes.</body></html>"
KINDS = (
    "500", "502", "504", "524", "error_object", "503_retry", "401", "403_json", "challenge", "451",
    "html", "html_404", "text_404", "empty_404", "challenge_404", "empty", "truncated", "cut", "reset", "slow", "wrong_type",
)  # fmt: skip


@dataclass
class Fault:
    """Break the next `times` answers (None: all) to paths that contain `path`, after leaving `after` alone."""

    kind: str
    times: int | None = None
    path: str = ""
    after: int = 0
    seconds: float = 0.2

    def __post_init__(self):
        if self.kind not in KINDS:
            raise ValueError(f"unknown fault {self.kind!r}")

    def strikes(self, path):
        """Tell whether this request is broken, and count it."""
        if self.path not in path or self.times == 0:
            return False
        if self.after:
            self.after -= 1
            return False
        if self.times is not None:
            self.times -= 1
        return True


def plain_answer(kind):
    """Return the answer of a fault that is one, else None."""
    html = {"content_type": "text/html"}
    answers = {
        "500": lambda: web.json_response({"message": "An unexpected error occurred", "error": "boom"}, status=500),
        "502": lambda: web.Response(text="<html>Bad gateway</html>", status=502, **html),
        "504": lambda: web.Response(text="<html>Gateway timeout</html>", status=504, **html),
        "524": lambda: web.Response(text="<html>error code: 524</html>", status=524, **html),
        "error_object": lambda: web.json_response({"error": {}}, status=500),
        "503_retry": lambda: web.json_response(
            {"error": "Server busy, please retry shortly."},
            status=503,
            headers={"Retry-After": "2", "Cache-Control": "no-store"},
        ),
        "401": lambda: web.json_response({"error": "Unauthorized"}, status=401),
        "403_json": lambda: web.json_response({"error": "You do not have access"}, status=403),
        "challenge": lambda: web.Response(
            text=CHALLENGE, status=403, headers={"cf-mitigated": "challenge", "Server": "cloudflare"}, **html
        ),
        "451": lambda: web.json_response({"error": "Not here", "code": "REGION_BLOCKED"}, status=451),
        "html": lambda: web.Response(text=BACK_SOON, **html),
        "html_404": lambda: web.Response(text="<html>404 page not found</html>", status=404, **html),
        "text_404": lambda: web.Response(text="404: Not Found", status=404),
        "empty_404": lambda: web.Response(status=404),
        "challenge_404": lambda: web.Response(
            text=CHALLENGE, status=404, headers={"cf-mitigated": "challenge"}, **html
        ),
        "empty": lambda: web.Response(text="", content_type="application/json"),
        "truncated": lambda: web.Response(text='{"id":900001,"modelId":80', content_type="application/json"),
        "wrong_type": lambda: web.json_response(["not", "a", "model"]),
    }
    build = answers.get(kind)
    return build() if build else None


async def broken_wire(fault, request, answer):
    """Send what a failing wire delivers of `answer`."""
    if fault.kind == "slow":
        await asyncio.sleep(fault.seconds)
        return answer
    response = web.Response()
    if fault.kind == "cut":
        response = web.StreamResponse(headers={"Content-Length": "4000", "Content-Type": "application/json"})
        await response.prepare(request)
        await response.write(b'{"id":900001,')
        await asyncio.sleep(0)
    if request.transport is not None:
        request.transport.abort()
    return response
