"""Serve Pantry's own page and its modules."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from aiohttp import web

from . import guard
from .errors import error_answer
from .folders import is_within

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


def page_file(request: web.Request, door: guard.Door, folder: Path, name: str) -> web.StreamResponse:
    """Answer with one file below the folder, its type taken from the list above."""
    refusal = guard.judge("GET", request.headers, door, "none", has_body=False)
    if refusal is not None:
        return error_answer(refusal.status, refusal.code, refusal.message)
    path = folder / name
    kind = _TYPES.get(path.suffix.lower())
    if kind is None or "\0" in name or not is_within(path, [folder]) or not path.is_file():
        return error_answer(404, "not_found", "There is no such page.")
    charset = "" if kind.startswith("image/png") else "; charset=utf-8"
    return web.FileResponse(path, headers={**SECURITY_HEADERS, "Content-Type": kind + charset})
