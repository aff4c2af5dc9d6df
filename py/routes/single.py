"""Turn one image, uploaded or named by its address, into a recipe while the caller waits."""

from __future__ import annotations

import asyncio
from typing import Any

from aiohttp import web

from ..core.errors import InvalidRequestError, UnreadableImageError
from .call import Call
from .parts import Parts
from .shape import Field
from .uploads import take_image

FIELDS = (
    Field(name="url", help="The address of an image or of its page; or send the image as multipart/form-data."),
    Field(name="tags", kind="strings", help="Tags for the recipe."),
)
# Longer than any image takes to read; a look-up that takes longer goes on by itself.
PATIENCE_SECONDS = 20.0


async def add(parts: Parts, call: Call) -> Any:
    """Add one image: 201 with its recipe, 200 with the one it already had, 202 where a vendor has to be waited for."""
    from ..jobs.request import ImportRequest

    sent, url = call.request.content_type == "multipart/form-data", call.body.get("url")
    if not (sent or url):
        raise InvalidRequestError("Send one image, or the url of one.")
    files = (await take_image(parts, call.request),) if sent else ()
    urls = (url,) if url else ()
    request = ImportRequest(files=files, urls=urls, tags=call.body.get("tags", ()), skip_no_metadata=True)
    operation = await parts.imports.start(request)
    if not await _is_over(parts, operation):
        return web.json_response({"operation_id": operation}, status=202)
    return await _outcome(parts, operation)


async def _is_over(parts: Parts, operation: str) -> bool:
    """Wait for a job, but not for a vendor that has asked us to wait."""
    job = asyncio.ensure_future(parts.imports.wait(operation))
    patience = asyncio.ensure_future(parts.clock.sleep(PATIENCE_SECONDS))
    await asyncio.wait({job, patience}, return_when=asyncio.FIRST_COMPLETED)
    over = job.done()
    for task in (job, patience):
        task.cancel()
    await asyncio.gather(job, patience, return_exceptions=True)
    return over


async def _outcome(parts: Parts, operation: str) -> web.Response:
    page = await parts.imports.items(operation, limit=1)
    item: dict[str, Any] = page["items"][0] if page["items"] else {"status": "FAILED", "reason": None, "detail": None}
    if item.get("recipe_id"):
        status = 201 if item["status"] == "SUCCESS" else 200
        return web.json_response(await parts.recipes.get(item["recipe_id"]), status=status)
    if item["reason"] == "no_metadata":
        raise UnreadableImageError("This image says nothing about how it was made.")
    if item["status"] == "FAILED":
        raise UnreadableImageError(item["detail"] or "This image could not be read.")
    return web.json_response({"operation_id": operation}, status=202)
