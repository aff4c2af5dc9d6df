"""Start, watch and steer batch imports over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aiohttp import web

from .call import Call
from .folders import reach_of, remember
from .parts import Parts
from .shape import CURSOR, Field, limit_field

if TYPE_CHECKING:
    from ..jobs.request import ImportRequest

SOURCE_FIELDS = (
    Field(name="directory", help="A folder of images on the server's machine.", nullable=True),
    Field(name="directories", kind="strings", help="Several folders of images."),
    Field(name="urls", kind="strings", help="Addresses of images or of CivitAI pages."),
    Field(name="files", kind="strings", help="Image files on the server's machine."),
    Field(name="recursive", kind="bool", help="Also the folders inside (true)."),
    Field(name="include", kind="strings", help="Globs; only files that fit one are taken."),
    Field(name="exclude", kind="strings", help="Globs; files and folders that fit one are left out."),
    Field(name="tags", kind="strings", help="Tags for every recipe of this import."),
    Field(name="skip_duplicates", kind="bool", nullable=True, help="Instead of the setting of that name."),
    Field(name="skip_no_metadata", kind="bool", nullable=True, help="Instead of the setting of that name."),
)
ITEM_QUERY = (
    Field(name="status", help="Only items in this state, for instance SKIPPED."),
    Field(name="reason", help="Only items with this reason, for instance rate_limited."),
    limit_field(100, 1000),
    CURSOR,
)
REPORT_QUERY = (Field(name="format", default="csv", choices=("csv", "json"), help="csv or json."),)
LIST_QUERY = (limit_field(20, 200), CURSOR)


async def start(parts: Parts, call: Call) -> dict[str, Any]:
    """Start an import of a folder, files or URLs; progress arrives as pantry.batch_import."""
    request = import_request(parts, call)
    request.check()
    if call.local:
        for folder in request.directories:
            remember(parts, folder)
    return {"operation_id": await parts.imports.start(request)}


def import_request(parts: Parts, call: Call) -> ImportRequest:
    """Return what to import, its places resolved and allowed; raise where they are not."""
    from ..jobs.request import ImportRequest

    body, reach = call.body, reach_of(parts, call)
    named = [body["directory"]] if body.get("directory") else []
    return ImportRequest(
        directories=tuple(reach.folder(text) for text in (*named, *body.get("directories", ()))),
        urls=body.get("urls", ()),
        files=tuple(reach.path(text) for text in body.get("files", ())),
        recursive=body.get("recursive", True),
        include=body.get("include", ()),
        exclude=body.get("exclude", ()),
        tags=body.get("tags", ()),
        skip_duplicates=body.get("skip_duplicates"),
        skip_no_metadata=body.get("skip_no_metadata"),
    )


async def listing(parts: Parts, call: Call) -> Any:
    """Return the imports, newest first."""
    return await parts.imports.list(limit=call.query["limit"], cursor=call.query["cursor"])


async def snapshot(parts: Parts, call: Call) -> Any:
    """Return one import as its progress event carries it."""
    return await parts.imports.snapshot(call.path["id"])


async def items(parts: Parts, call: Call) -> Any:
    """Return an import's items, by state and reason where given."""
    return await parts.imports.items(call.path["id"], **call.query)


async def pause(parts: Parts, call: Call) -> Any:
    """Pause an import; what is under way finishes."""
    await parts.imports.pause(call.path["id"])
    return await snapshot(parts, call)


async def resume(parts: Parts, call: Call) -> Any:
    """Go on with a paused or interrupted import."""
    await parts.imports.resume(call.path["id"])
    return await snapshot(parts, call)


async def cancel(parts: Parts, call: Call) -> Any:
    """Stop an import; finished recipes stay."""
    await parts.imports.cancel(call.path["id"])
    return await snapshot(parts, call)


async def retry(parts: Parts, call: Call) -> Any:
    """Run again exactly those items that had to wait for a vendor or failed."""
    await parts.imports.retry(call.path["id"])
    return await snapshot(parts, call)


async def report(parts: Parts, call: Call) -> web.Response:
    """Return one line per item, as a CSV or JSON file to keep."""
    form = call.query["format"]
    text = await parts.imports.report(call.path["id"], form)
    kind = "text/csv" if form == "csv" else "application/json"
    name = f"pantry-import-{call.path['id']}.{form}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return web.Response(text=text, content_type=kind, charset="utf-8", headers=headers)
