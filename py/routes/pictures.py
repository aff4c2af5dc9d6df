"""Show pictures: known by their first bytes, whatever a file is called, and small ones made on demand."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from aiohttp import web

from ..core.errors import NotFoundError, UnreadableImageError

if TYPE_CHECKING:
    from ..recipes.thumbnails import Thumbnails

HEAD_BYTES = 32

_STARTS: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"\xff\x0a", "image/jxl"),
    (b"\x00\x00\x00\x0cJXL ", "image/jxl"),
    (b"\x1aE\xdf\xa3", "video/webm"),
)
_BRANDS: tuple[tuple[tuple[bytes, ...], str], ...] = (
    ((b"avif", b"avis"), "image/avif"),
    ((b"heic", b"heix", b"mif1", b"msf1"), "image/heic"),
    ((b"isom", b"iso2", b"mp41", b"mp42", b"avc1", b"qt  "), "video/mp4"),
)


PICTURE_HEADERS = {"X-Content-Type-Options": "nosniff", "Cache-Control": "private, max-age=86400"}


async def small_picture(
    thumbnails: Thumbnails, identity: str, source: Path | Callable[[], Awaitable[Path]]
) -> web.StreamResponse:
    """Answer with the thumbnail kept under `identity`, made from `source` where it has not been made yet."""
    made = await thumbnails.existing(identity)
    if made is None:
        made = await thumbnails.make(identity, source if isinstance(source, Path) else await source())
    return web.FileResponse(made, headers={**PICTURE_HEADERS, "Content-Type": "image/webp"})


def picture_type(head: bytes) -> str | None:
    """Return the media type of a picture or video that browsers show and never run, else None."""
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    if head[4:8] == b"ftyp":
        return next((kind for brands, kind in _BRANDS if head[8:12] in brands), None)
    return next((kind for start, kind in _STARTS if head.startswith(start)), None)


def type_of_file(path: Path) -> str:
    """Return a file's media type; raise `NotFoundError` where there is none, `UnreadableImageError` for no picture."""
    try:
        with path.open("rb") as file:
            kind = picture_type(file.read(HEAD_BYTES))
    except OSError:
        raise NotFoundError("The image of this recipe is no longer there.") from None
    if kind is None:
        raise UnreadableImageError("The file of this recipe is no picture any more.")
    return kind
