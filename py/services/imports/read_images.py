"""Read image files on threads, and keep what they said as text while a job waits for its references."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from ...core.errors import UnreadableImageError
from ...core.outcomes import LookupKey
from ...core.paths import path_of
from ...jobs.items import Item
from ...jobs.states import ItemStatus, Reason
from ...jobs.zips import ENDING as ZIP_ENDING
from ...jobs.zips import trouble
from ...recipes.draft import Reading, draft_from_json, draft_to_json
from ...recipes.lora_manager_files import ENDING, Kept, read_recipe_file
from ...recipes.references import references

Reader = Callable[[Path], Reading]
Stamp = tuple[int, int]  # size in bytes, mtime in ns


@dataclass(frozen=True, slots=True)
class ReadImage:
    """Hold what one file said, and the size and time that the file had."""

    reading: Reading
    size: int
    mtime_ns: int
    kept: Kept | None = None
    image: str | None = None  # our own copy of an image from elsewhere
    nsfw_level: int | None = None  # as the vendor rates it
    picture: str | None = None  # where the vendor shows an image of which there is no copy

    def to_json(self) -> str:
        """Return this as text, without the workflow, which stays in the image."""
        reading, draft = self.reading, self.reading.draft
        beyond = {} if draft is None else {name: getattr(draft, name) for name in ("generator", "origins", "notes")}
        data: dict[str, Any] = {
            "draft": None if draft is None else {**draft_to_json(draft), **beyond},
            "carriers": reading.carriers,
            "container": reading.container,
            "content_hash": reading.content_hash,
            "pixel_width": reading.pixel_width,
            "pixel_height": reading.pixel_height,
            "notes": reading.notes,
        }
        kept = None if self.kept is None else asdict(self.kept)
        whole = [data, self.size, self.mtime_ns, kept, self.image, self.nsfw_level, self.picture]
        return json.dumps(whole, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> ReadImage:
        """Build from what `to_json` wrote."""
        data, size, mtime_ns, kept, image, *later = json.loads(text)  # an older Pantry wrote five or six
        data["draft"] = None if data["draft"] is None else draft_from_json(data["draft"])
        data["carriers"], data["notes"] = tuple(data["carriers"]), tuple(data["notes"])
        brought = None if kept is None else Kept(**{**kept, "tags": tuple(kept["tags"])})
        return cls(Reading(**data), size, mtime_ns, brought, image, *later)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Say in a sentence why a file could not be read."""

    detail: str


@dataclass(frozen=True, slots=True)
class Unfetched:
    """Say how an image ends that could not be fetched; `retry_at` in seconds since the epoch."""

    status: ItemStatus
    reason: Reason
    detail: str
    retry_at: float | None = None
    host: str | None = None
    sample: str = ""  # of an answer that cannot be understood, for the job's log alone


@dataclass(frozen=True, slots=True)
class Several:
    """The address leads to these images: source, name, and what is already told of each as `ReadImage.to_json`."""

    parts: tuple[tuple[str, str, str | None], ...]


@dataclass(frozen=True, slots=True)
class Known:
    """The file needs no reading: it already has this recipe."""

    recipe_id: str


Read = ReadImage | Unreadable | Unfetched | Known


def keys_of(read: Read) -> tuple[LookupKey, ...]:
    """Return what a look-up is needed for."""
    if not isinstance(read, ReadImage) or read.reading.draft is None:
        return ()
    return tuple(dict.fromkeys(one.key for one in references(read.reading.draft)))


def stamps_of(sources: Iterable[str]) -> dict[str, Stamp]:
    """Return size and time of each file; one that is not there is left out."""
    found = {}
    for source in sources:
        try:
            status = path_of(source).stat()
        except (OSError, ValueError):
            continue
        found[source] = (status.st_size, status.st_mtime_ns)
    return found


def read_all(items: Sequence[Item], reader: Reader) -> list[Read]:
    """Read files one after another; never raises for what is in them."""
    return [_read(path_of(item.source), reader) for item in items]


def _read(path: Path, reader: Reader) -> Read:
    try:
        if path.suffix.lower() == ZIP_ENDING and (why := trouble(path)):
            return Unreadable(why)
        before = path.stat()
        reading, kept = read_recipe_file(path) if path.name.endswith(ENDING) else (reader(path), None)
        after = path.stat()
    except UnreadableImageError as error:
        return Unreadable(str(error))
    except FileNotFoundError:
        return Unreadable("The file is not there any more; if it was moved, import it from its new place.")
    except OSError as error:
        why = error.strerror or "the system does not say why"
        return Unreadable(f"The file cannot be opened: {why}. See whether you may read it, then retry.")
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        return Unreadable("The file was still being written. Import it again when it is complete.")
    # A workflow is thousands of objects, and stays in the image.
    return ReadImage(replace(reading, workflow=None), after.st_size, after.st_mtime_ns, kept)
