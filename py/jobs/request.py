"""Describe what an import job is to import."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..core.errors import InvalidRequestError

MAX_TAGS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRequest:
    """Name the sources of one import and how to treat them.

    `directories`, `files` are absolute; `include`, `exclude` are globs on the path below a directory (exclude also
    ends the walk into a folder that it matches); `skip_*` as None means: as the setting says when the job runs;
    `origin` says who asked (``user``, or ``watch`` for a watched folder).
    """

    directories: tuple[Path, ...] = ()
    files: tuple[Path, ...] = ()
    urls: tuple[str, ...] = ()
    recursive: bool = True
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    skip_duplicates: bool | None = None
    skip_no_metadata: bool | None = None
    origin: str = "user"

    def check(self) -> None:
        """Raise `InvalidRequestError` where there is nothing to import or a value cannot be meant."""
        if not (self.directories or self.files or self.urls):
            raise InvalidRequestError("Name a folder, files or addresses to import.")
        if len(self.tags) > MAX_TAGS:
            raise InvalidRequestError(f"An import can carry at most {MAX_TAGS} tags.")
        for folder in self.directories:
            if not folder.is_dir():
                raise InvalidRequestError(f"There is no folder {folder}.")

    @property
    def source(self) -> str:
        """Name the sources for people: ``/pictures``, ``2 folders and 12 files``."""
        if len(self.directories) == 1 and not (self.files or self.urls):
            return str(self.directories[0])
        counts = (("folder", self.directories), ("file", self.files), ("address", self.urls))
        return " and ".join(_counted(len(found), noun) for noun, found in counts if found)

    @property
    def source_key(self) -> str:
        """Return what is equal for the same sources, whatever the tags and options."""
        sources = [sorted(map(str, found)) for found in (self.directories, self.files, self.urls)]
        return json.dumps([*sources, self.recursive, self.include, self.exclude])

    def to_json(self) -> str:
        """Return the request as text; `from_json` reads it back."""
        return json.dumps(asdict(self), default=str)

    @classmethod
    def from_json(cls, text: str) -> ImportRequest:
        """Build from what `to_json` wrote."""
        data: dict[str, Any] = json.loads(text)
        known: dict[str, Any] = {name: tuple(one) if isinstance(one, list) else one for name, one in data.items()}
        known["directories"] = tuple(map(Path, known["directories"]))
        known["files"] = tuple(map(Path, known["files"]))
        return cls(**known)


def _counted(number: int, noun: str) -> str:
    plural = noun + ("es" if noun.endswith("s") else "s")
    return f"{number} {noun if number == 1 else plural}"
