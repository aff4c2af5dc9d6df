"""Serve Pantry's own page and its modules."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from aiohttp import web

from . import guard
from .errors import error_answer
from .folders import is_within

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

SECURITY_HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data: blob:; connect-src 'self'; object-src 'none'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'self'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}
# Windows' registry may say otherwise, so the types are not asked from the system.
_TYPES: Mapping[str, str] = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".css": "text/css",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".md": "text/markdown",
}


def page_routes(web_folder: Path, door: guard.Door) -> list[tuple[str, Handler]]:
    """Return the paths of the page and of its files with their handlers."""

    async def page(request: web.Request) -> web.StreamResponse:
        return _file(request, door, web_folder, "index.html")

    async def module(request: web.Request) -> web.StreamResponse:
        return _file(request, door, web_folder, request.match_info["path"])

    return [("/pantry", page), ("/pantry/web/{path:.+}", module)]


def _file(request: web.Request, door: guard.Door, folder: Path, name: str) -> web.StreamResponse:
    refusal = guard.judge("GET", request.headers, door, "none", has_body=False)
    if refusal is not None:
        return error_answer(refusal.status, refusal.code, refusal.message)
    path = folder / name
    kind = _TYPES.get(path.suffix.lower())
    if kind is None or "\0" in name or not is_within(path, [folder]) or not path.is_file():
        return error_answer(404, "not_found", "There is no such page.")
    charset = "" if kind.startswith("image/png") else "; charset=utf-8"
    return web.FileResponse(path, headers={**SECURITY_HEADERS, "Content-Type": kind + charset})
