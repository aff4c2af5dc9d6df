"""Read one image: bytes to carriers, carriers to drafts, drafts to one reading.

No pixels are decoded, nothing is written, nothing is asked of a vendor. `read_image` blocks; run it in a thread.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from ..core.errors import UnreadableImageError
from .containers.detect import harvest_from
from .draft import Draft, Reading
from .merge import merge
from .parsers.comfy.outputs import Origin
from .parsers.dispatch import parse
from .source import Source


def read_image(path: Path) -> Reading:
    """Return what the file says; raise `UnreadableImageError` where it is no image or cannot be opened."""
    try:
        with closing(Source.open(path)) as source:
            return _read(source)
    except OSError as error:
        raise UnreadableImageError(f"{path.name} cannot be opened: {error.strerror or 'it is not a file'}.") from error


def read_bytes(data: bytes, name: str = "") -> Reading:
    """Return what an image in memory says; `name` helps to tell which output of a graph it is."""
    source = Source(data)
    source.name = name
    return _read(source)


def _read(source: Source) -> Reading:
    if source.size == 0:
        raise UnreadableImageError("The file is empty.")
    harvest = harvest_from(source)
    if harvest is None:
        raise UnreadableImageError("This is not an image that Pantry knows.")
    parsed = parse(harvest.carriers, Origin(source.name, harvest.width, harvest.height))
    draft = merge(parsed.candidates, harvest.notes)
    return Reading(
        draft=_told(draft),
        carriers=tuple(one.where for one in harvest.carriers),
        container=harvest.container,
        content_hash=source.content_hash(),
        pixel_width=harvest.width,
        pixel_height=harvest.height,
        workflow=parsed.workflow,
    )


def _told(draft: Draft | None) -> Draft | None:
    return draft if draft is not None and draft.says_something else None
