"""Find, show, change and remove recipes over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aiohttp import web

from ..core.errors import InvalidRequestError, NotAllowedError, NotFoundError
from ..core.events import RECIPES_CHANGED
from ..recipes.nsfw import LEVELS
from .call import Call
from .parts import Parts
from .pictures import PICTURE_HEADERS, small_picture, type_of_file
from .shape import CURSOR, Field, limit_field

if TYPE_CHECKING:
    from ..recipes.store import RecipeFilter

SHOWN_IDS = 50  # in one event; whoever shows more asks for the list again
BULK_ACTIONS = ("add_tags", "remove_tags", "favourite", "delete", "restore")
FILTERS = (
    Field(name="q", help="Words in prompt, title, notes, tags or model names."),
    Field(name="lora", help="Name of a LoRA that must be used."),
    Field(name="checkpoint", help="Name of the checkpoint."),
    Field(name="base_model", help="Base model, for instance SDXL 1.0."),
    Field(name="tag", kind="strings", help="Tag that must be set; repeat for several."),
    Field(name="missing", kind="bool", help="Whether its checkpoint or a LoRA is not on this machine."),
    Field(name="favourite", kind="bool", help="Whether marked as favourite."),
    Field(name="nsfw", kind="int", choices=LEVELS, help="Highest level to show: 1 PG, 2 PG-13, 4 R, 8 X, 16 XXX."),
)
LIST_QUERY = (
    *FILTERS,
    Field(name="sort", default="newest", help="newest, oldest, title, -title, rating, updated or missing."),
    limit_field(50, 500),
    CURSOR,
    Field(name="offset", kind="int", default=0, minimum=0, help="Start here instead of at a cursor."),
)
BULK_FIELDS = (
    Field(name="ids", kind="strings", required=True, help="Which recipes."),
    Field(name="action", required=True, choices=BULK_ACTIONS, help="What to do."),
    Field(name="tags", kind="strings", help="For add_tags and remove_tags."),
    Field(name="favourite", kind="bool", help="For favourite: mark (true) or unmark."),
)
PATCH_FIELDS = (
    Field(name="title", help="A name for people.", longest=500),
    Field(name="tags", kind="strings", help="All tags."),
    Field(name="favourite", kind="bool", help="Marked or not."),
    Field(name="rating", kind="int", nullable=True, minimum=0, maximum=5, help="0 to 5, or null."),
    Field(name="notes", help="Free text."),
    Field(name="nsfw_level", kind="int", nullable=True, choices=LEVELS, help="CivitAI's level, or null."),
)


async def listing(parts: Parts, call: Call) -> Any:
    """Return the recipes that fit every filter."""
    return await parts.recipes.list(recipe_filter(call.query))


def recipe_filter(query: Mapping[str, Any]) -> RecipeFilter:
    """Return the filter that a checked query describes."""
    from ..recipes.store import RecipeFilter

    named = {("tags" if name == "tag" else name): value for name, value in query.items()}
    return RecipeFilter(**named)


async def facets(parts: Parts, call: Call) -> Any:
    """Return the values that the fitting recipes have, with how many have each."""
    return await parts.recipes.facets(recipe_filter(call.query))


async def bulk(parts: Parts, call: Call) -> dict[str, int]:
    """Do one thing to many recipes; deleted ones can be restored for a while."""
    body = call.body
    if body["action"] == "delete" and not call.local:
        raise NotAllowedError("From another machine this needs the setting allow_remote_changes.")
    favourite = body.get("favourite", True)
    changed = await parts.recipes.bulk(body["ids"], body["action"], tags=body.get("tags", ()), favourite=favourite)
    _tell(parts, body["ids"])
    return {"changed": changed}


async def get(parts: Parts, call: Call) -> Any:
    """Return one recipe with everything its image says and what is known of its models."""
    recipe = await parts.recipes.get(call.path["id"])
    if recipe is None:
        raise NotFoundError("There is no such recipe.")
    return recipe


async def patch(parts: Parts, call: Call) -> Any:
    """Change a recipe's title, tags, favourite mark, rating, notes or level of maturity."""
    if not call.body:
        raise InvalidRequestError("Give at least one field to change.")
    recipe = await parts.recipes.patch(call.path["id"], call.body)
    _tell(parts, [call.path["id"]])
    return recipe


async def delete(parts: Parts, call: Call) -> web.Response:
    """Remove a recipe; its image stays where it is."""
    if not await parts.recipes.delete(call.path["id"]):
        raise NotFoundError("There is no such recipe.")
    _tell(parts, [call.path["id"]])
    return web.Response(status=204)


def _tell(parts: Parts, ids: Sequence[str]) -> None:
    """Let every open page know, so that two tabs agree."""
    parts.host.sink.publish(RECIPES_CHANGED, {"ids": [*ids[:SHOWN_IDS]], "more": len(ids) > SHOWN_IDS})


async def workflow(parts: Parts, call: Call) -> Any:
    """Return the ComfyUI workflow that the image carries."""
    from ..recipes.reader import read_image

    reading = await asyncio.to_thread(read_image, await _source(parts, call))
    if reading.workflow is None:
        raise NotFoundError("This image carries no workflow.")
    return reading.workflow


async def image(parts: Parts, call: Call) -> web.StreamResponse:
    """Return the image itself; one that CivitAI shows is fetched from there the first time."""
    path = await parts.pictures.whole(call.path["id"])
    kind = await asyncio.to_thread(type_of_file, path)
    return web.FileResponse(path, headers={**PICTURE_HEADERS, "Content-Type": kind})


async def thumbnail(parts: Parts, call: Call) -> web.StreamResponse:
    """Return a small WebP of the image; of one that CivitAI shows, made of its small rendition."""
    identity = call.path["id"]
    return await small_picture(parts.thumbnails, identity, lambda: parts.pictures.small(identity))


async def _source(parts: Parts, call: Call) -> Path:
    path = await parts.recipes.source_path(call.path["id"])
    if path is None:
        raise NotFoundError("There is no such recipe.")
    if not await asyncio.to_thread(path.is_file):
        raise NotFoundError("The image of this recipe is no longer there.")
    return path
