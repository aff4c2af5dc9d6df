"""Answer everything below /pantry from one place: the API, the page, its modules and the events."""

from __future__ import annotations

import re
from pathlib import Path

from aiohttp import web

from .endpoint import Endpoint, answer
from .errors import error_answer
from .page import page_file
from .parts import Parts
from .sockets import Sockets
from .table import ENDPOINTS, door_of


class Front:
    """Hold the four handlers that a host mounts: `api` at /pantry/api/{tail}, `page`, `module` and `socket`."""

    def __init__(self, parts: Parts, sockets: Sockets, web_folder: Path) -> None:
        self._parts = parts
        self._door = door_of(parts)
        self._web_folder = web_folder
        self._patterns = [(one.method, _pattern(one.path), one) for one in ENDPOINTS]
        self.socket = sockets.handler(self._door)

    async def api(self, request: web.Request) -> web.StreamResponse:
        """Find the endpoint that a request means, and answer as it does."""
        path = "/" + request.match_info["tail"]
        found = self._find(request.method, path)
        if found is None:
            return self._nothing(request.method, path)
        endpoint, values = found
        return await answer(self._parts, self._door, endpoint, request, values)

    async def page(self, request: web.Request) -> web.StreamResponse:
        """Answer with the page."""
        return page_file(request, self._door, self._web_folder, "index.html")

    async def module(self, request: web.Request) -> web.StreamResponse:
        """Answer with one file of the page."""
        return page_file(request, self._door, self._web_folder, request.match_info["path"])

    def _nothing(self, method: str, path: str) -> web.Response:
        """Say what is wrong: there is no such path, or it knows other methods."""
        known = sorted({one for one, pattern, _ in self._patterns if pattern.fullmatch(path)})
        if not known:
            return error_answer(404, "not_found", "There is no such path.")
        refusal = error_answer(405, "method_not_allowed", f"{method} is not possible here, only {', '.join(known)}.")
        refusal.headers["Allow"] = ", ".join(known)
        return refusal

    def _find(self, method: str, path: str) -> tuple[Endpoint, dict[str, str]] | None:
        """Return the first endpoint in the table that fits; HEAD is answered as GET."""
        wanted = "GET" if method == "HEAD" else method
        for known, pattern, endpoint in self._patterns:
            if known == wanted and (match := pattern.fullmatch(path)):
                return endpoint, match.groupdict()
        return None


def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"{(\w+)}", r"(?P<\1>[^/]+)", path))
