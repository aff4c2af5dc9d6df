"""Give recipes away as a file and take such a file back, over HTTP."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from pathlib import Path

from aiohttp import web

from ..core.errors import InvalidRequestError
from .call import Call
from .folders import checked_path, is_within, reach_of
from .parts import Parts
from .shape import Field
from .uploads import take_one

EXPORT_QUERY = (Field(name="images", kind="bool", default=False, help="A zip with the images instead of JSON Lines."),)

_CHUNK = 256 * 1024
_MOST_BYTES = 64 * 1024**3
_ZIP = b"PK\x03\x04"


async def export(parts: Parts, call: Call) -> web.StreamResponse:
    """Return all recipes as a file: JSON Lines, or a zip of them with their images."""
    if call.query["images"]:
        return await _export_zip(parts, call)
    answer = _download("pantry-recipes.jsonl", "application/x-ndjson")
    await answer.prepare(call.request)
    async for line in parts.backup.export():
        await answer.write(line.encode("utf-8"))
    await answer.write_eof()
    return answer


async def take_back(parts: Parts, call: Call) -> dict[str, int]:
    """Take in a file that `export` made; what is already there is not added twice."""
    path = parts.host.data_dir / f"incoming-{secrets.token_hex(6)}"
    try:
        await take_one(call.request, path, _MOST_BYTES)
        if await asyncio.to_thread(_starts_with, path, _ZIP):
            return await parts.backup.restore_zip(path)
        with await asyncio.to_thread(path.open, encoding="utf-8", errors="replace") as file:
            return await parts.backup.restore(file, permit=_permit(parts, call))
    finally:
        await asyncio.to_thread(path.unlink, missing_ok=True)


async def _export_zip(parts: Parts, call: Call) -> web.StreamResponse:
    path = parts.host.data_dir / f"outgoing-{secrets.token_hex(6)}"
    answer = _download("pantry-recipes.zip", "application/zip")
    try:
        await parts.backup.export_zip(path)
        await answer.prepare(call.request)
        with await asyncio.to_thread(path.open, "rb") as file:
            while chunk := await asyncio.to_thread(file.read, _CHUNK):
                await answer.write(chunk)
        await answer.write_eof()
    finally:
        await asyncio.to_thread(path.unlink, missing_ok=True)
    return answer


def _download(name: str, kind: str) -> web.StreamResponse:
    headers = {
        "Content-Disposition": f'attachment; filename="{name}"',
        "Content-Type": kind,
        "Cache-Control": "no-store",
    }
    return web.StreamResponse(headers=headers)


def _permit(parts: Parts, call: Call) -> Callable[[str], bool]:
    """Return whether a recipe from a file may point to an image there: it will be served, so it must be in reach."""
    reach = reach_of(parts, call)

    def permitted(text: str) -> bool:
        try:
            path = checked_path(text)
        except InvalidRequestError:
            return False
        return reach.local or is_within(path, reach.roots)

    return permitted


def _starts_with(path: Path, start: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(start)) == start
