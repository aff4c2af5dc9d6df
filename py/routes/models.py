"""Show the model library, scan it, and fill in what vendors know, over HTTP."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

from aiohttp import web

from ..core.errors import InvalidRequestError, NotFoundError
from .call import Call
from .parts import Parts
from .pictures import small_picture
from .shape import CURSOR, Field, limit_field

_MOST_DIGITS = 18  # what fits SQLite's integers
LIST_QUERY = (
    Field(name="type", help="Only models of this type, for instance loras."),
    Field(name="q", help="Words in a model's name, title or trigger words."),
    Field(name="state", help="Only models in this state: unknown, synced, archived_copy, absent, waiting or offline."),
    Field(name="sort", default="name", choices=("name", "newest", "size", "state"), help="The order."),
    limit_field(50, 500),
    CURSOR,
    Field(name="offset", kind="int", default=0, minimum=0, help="Start here instead of at a cursor."),
)
RELINK_FIELDS = (
    Field(name="model_version_id", kind="int", minimum=1, help="CivitAI's id of the version that this file is."),
    Field(name="url", help="Or the address of its page on CivitAI."),
)
SYNC_FIELDS = (
    Field(name="force", kind="bool", help="Ask again also for what is known (false)."),
    Field(name="types", kind="strings", help="Only models of these types."),
)


async def listing(parts: Parts, call: Call) -> Any:
    """Return the models that fit every filter."""
    return await parts.library.page(**call.query)


async def get(parts: Parts, call: Call) -> Any:
    """Return one model with what is known of it."""
    return await parts.library.model(_number(call))


async def preview(parts: Parts, call: Call) -> web.StreamResponse:
    """Return a small WebP of the picture beside a model's file, else of its vendor's first example."""
    file = await parts.library.store.get(_number(call))
    if not file.preview:
        fetch = partial(parts.previews.source, file.number)
        return await small_picture(parts.thumbnails, f"model-{file.number}-vendor", fetch)
    picture = Path(file.preview)
    stamp = await asyncio.to_thread(_stamp, picture)
    return await small_picture(parts.thumbnails, f"model-{file.number}-{stamp}", picture)


async def scan(parts: Parts, call: Call) -> Any:  # noqa: ARG001 - one shape for all handlers
    """Look through the model folders; new files are hashed in the background afterwards."""
    counts = await parts.library.scan()
    parts.library.start_hashing()
    return counts


async def hashing(parts: Parts, call: Call) -> Any:  # noqa: ARG001 - one shape for all handlers
    """Say whether hashing is paused, and how many files have no SHA256 yet: {paused, left}."""
    return await parts.library.hashing()


async def pause_hashing(parts: Parts, call: Call) -> Any:
    """Pause hashing at once, until it is resumed or Pantry starts anew; a sync waits for files that it needs hashed."""
    parts.library.hasher.pause()
    return await hashing(parts, call)


async def resume_hashing(parts: Parts, call: Call) -> Any:
    """Go on hashing; the file that was under way is begun anew."""
    parts.library.hasher.resume()
    return await hashing(parts, call)


async def refresh(parts: Parts, call: Call) -> Any:
    """Ask the vendors about one model now."""
    return await parts.syncs.refresh(_number(call))


async def relink(parts: Parts, call: Call) -> Any:
    """Say which model version a file is, where its hash does not."""
    version, url = call.body.get("model_version_id"), call.body.get("url")
    if (version is None) == (not url):
        raise InvalidRequestError("Give either model_version_id or url.")
    return await parts.syncs.relink(_number(call), version_id=version, url=url)


async def start_sync(parts: Parts, call: Call) -> dict[str, Any]:
    """Start filling in the whole library; progress arrives as pantry.metadata_sync."""
    from ..services.metadata_sync_service import SyncRequest

    request = SyncRequest(force=call.body.get("force", False), types=call.body.get("types", ()))
    return {"operation_id": await parts.syncs.start(request)}


def _stamp(picture: Path) -> int:
    """Return what changes when the picture does."""
    try:
        return picture.stat().st_mtime_ns
    except OSError:
        raise NotFoundError("The picture beside this model is no longer there.") from None


def _number(call: Call) -> int:
    text = call.path["id"]
    if not text.isdecimal() or len(text) > _MOST_DIGITS:
        raise NotFoundError("There is no such model.")
    return int(text)
