"""Start batch imports over HTTP; `jobs` watches and steers them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .call import Call
from .folders import reach_of, remember
from .parts import Parts
from .shape import Field

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


async def start(parts: Parts, call: Call) -> dict[str, Any]:
    """Start an import of a folder, files or URLs; progress arrives as pantry.batch_import."""
    request = import_request(parts, call)
    request.check()
    if call.local:
        for folder in request.directories:
            remember(parts, folder)
    return {"operation_id": await parts.imports.start(request)}


async def preview(parts: Parts, call: Call) -> Any:
    """Return what an import of the same body would do: images, known ones, look-ups, seconds; nothing is changed."""
    request = import_request(parts, call)
    request.check()
    return await parts.imports.preview(request)


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
