"""Read one image: bytes to carriers, carriers to drafts, drafts to one reading.

Nothing is written and nothing is asked of a vendor; pixels are touched only for hidden text, behind a probe, where
nothing else was found. `read_image` blocks; run it in a thread.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

from ..core.errors import UnreadableImageError
from .carrier import Carrier, Harvest
from .containers.detect import harvest_from
from .containers.sidecar import read_sidecars
from .containers.stealth import read_stealth
from .draft import Draft, Reading
from .merge import Trust, merge
from .parsers.comfy.outputs import Origin
from .parsers.dispatch import Parsed, parse
from .source import Source

_PROVENANCE = "The image carries a C2PA provenance record only, which names no prompt, seed or model."


NO_IMAGE = (
    "Pantry reads PNG, JPEG, WebP, AVIF, HEIC, JPEG XL, GIF, MP4 and WebM, and this is none of them; "
    "import the picture as the generator saved it."
)


def read_image(path: Path, *, sidecars: bool = False) -> Reading:
    """Return what the file says; raise `UnreadableImageError` where it is no image or cannot be opened.

    With `sidecars`, a .txt or .json of the same name is read where the image itself says nothing.
    """
    try:
        with closing(Source.open(path)) as source:
            beside = read_sidecars(path) if sidecars else []
            return _read(source, beside)
    except OSError as error:
        raise UnreadableImageError(f"{path.name} cannot be opened: {error.strerror or 'it is not a file'}.") from error


def read_bytes(data: bytes, name: str = "") -> Reading:
    """Return what an image in memory says; `name` helps to tell which output of a graph it is."""
    return _read(Source(data, name=name), [])


def _read(source: Source, beside: list[Carrier]) -> Reading:
    if source.size == 0:
        raise UnreadableImageError("The file is empty; copy it again from where it came from.")
    harvest = harvest_from(source)
    if harvest is None:
        raise UnreadableImageError(NO_IMAGE)
    if not _has_picture(harvest):
        raise UnreadableImageError(
            "The file is damaged, there is no picture in it; copy it again from where it came from."
        )
    origin = Origin(source.name, harvest.width, harvest.height)
    parsed = parse(harvest.carriers, origin)
    if not parsed.candidates and parsed.workflow is None:
        parsed = _look_further(source, harvest, beside, origin)
    return _reading(source, harvest, parsed)


def _has_picture(harvest: Harvest) -> bool:
    """A file that was cut before its pixels begin is no picture; boxes may keep them anywhere."""
    if harvest.container in ("png", "jpeg", "webp", "gif"):
        return harvest.pictured and harvest.width is not None
    return harvest.container in ("jxl", "mp4", "webm") or harvest.width is not None or bool(harvest.carriers)


def _look_further(source: Source, harvest: Harvest, beside: list[Carrier], origin: Origin) -> Parsed:
    read_stealth(source, harvest)
    found = parse(harvest.carriers, origin)
    if not found.candidates and beside:
        harvest.carriers.extend(beside)
        found = parse(harvest.carriers, origin)
    return found


def _reading(source: Source, harvest: Harvest, parsed: Parsed) -> Reading:
    draft = _told(merge(parsed.candidates, harvest.notes))
    if draft is not None:
        drawn_only = all(one.trust is Trust.EDITOR for one in parsed.candidates)
        draft = draft if drawn_only else _with_size(draft, harvest)
    if harvest.provenance and draft is None:
        harvest.note(_PROVENANCE)
    provenance = ("c2pa",) if harvest.provenance else ()
    return Reading(
        draft=draft,
        carriers=(*(one.where for one in harvest.carriers), *provenance),
        container=harvest.container,
        content_hash=source.content_hash(),
        pixel_width=harvest.width,
        pixel_height=harvest.height,
        workflow=parsed.workflow,
        notes=tuple(harvest.notes),
    )


def _with_size(draft: Draft, harvest: Harvest) -> Draft:
    """Where nothing else says it, the image's size is that of its pixels; a drawing alone may be a screenshot."""
    if draft.width is not None or draft.height is not None or not harvest.width or not harvest.height:
        return draft
    origins = {**draft.origins, "width": "pixels", "height": "pixels"}
    return replace(draft, width=harvest.width, height=harvest.height, origins=origins)


def _told(draft: Draft | None) -> Draft | None:
    return draft if draft is not None and draft.says_something else None
