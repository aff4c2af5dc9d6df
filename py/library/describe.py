"""Read, on a thread, what a model file and its neighbours in the folder say."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..vendors.hashes import LENGTHS
from .headers import HeaderFacts, read_header
from .models import ModelFile
from .sidecars import SidecarFacts, find_preview, read_sidecars
from .states import Knowledge, ModelState
from .store import save_hashes, save_knowledge


@dataclass(frozen=True, slots=True)
class Description:
    """Hold what was read about one file."""

    file: ModelFile
    header: HeaderFacts
    sidecars: SidecarFacts
    preview: str | None

    @property
    def hashes(self) -> dict[str, str]:
        """Return the hashes that need no hashing: those that header and sidecars state."""
        found = {**self.sidecars.hashes, **({"autov3": self.header.autov3} if self.header.autov3 else {})}
        if "sha256" in found:
            found["autov2"] = found["sha256"][: LENGTHS["autov2"]]
        return found


def describe(files: Sequence[ModelFile]) -> list[Description]:
    """Read headers, sidecars and previews of files; each folder is listed once. Blocks the calling thread."""
    listed: dict[Path, frozenset[str]] = {}
    found = []
    for file in files:
        path = Path(file.path)
        if (names := listed.get(path.parent)) is None:
            names = listed[path.parent] = _names(path.parent)
        sidecars = read_sidecars(path, file.size, names)
        found.append(Description(file, read_header(path), sidecars, find_preview(path, names)))
    return found


def save_descriptions(connection: sqlite3.Connection, descriptions: Iterable[Description], now: float) -> None:
    """Store what was read, inside a transaction of the caller; what a vendor told meanwhile stands."""
    sql = """UPDATE model_files SET read_at = ?, facts = ?, preview = ?, base_model = coalesce(base_model, ?)
        WHERE number = ?"""
    for one in descriptions:
        facts = json.dumps(_facts(one))
        connection.execute(sql, (now, facts, one.preview, one.sidecars.base_model, one.file.number))
        if one.hashes:
            save_hashes(connection, one.file.number, one.hashes, now)
        knowledge = _quoted(one)
        if knowledge:
            save_knowledge(connection, {one.file.number: knowledge})


def _facts(one: Description) -> dict[str, object]:
    facts = {key: value for key, value in one.header.to_json().items() if value not in (None, (), {})}
    if one.sidecars.title:
        facts["title"] = one.sidecars.title
    if one.sidecars.trained_words:
        facts["trained_words"] = one.sidecars.trained_words
    return facts


def _quoted(one: Description) -> Knowledge | None:
    """Return what a sidecar quotes of a vendor, where nothing better is known."""
    info, known = one.sidecars.info, one.file.knowledge
    if info is None or known.metadata is not None:
        return None
    ours = one.sidecars.source == "pantry"
    source = info.source if ours else "sidecar"
    state = ModelState.SYNCED if source in ("sidecar", "civitai") else ModelState.ARCHIVED_COPY
    return replace(known, state=state, metadata=info, metadata_source=source)


def _names(folder: Path) -> frozenset[str]:
    try:
        with os.scandir(folder) as entries:
            return frozenset(one.name.lower() for one in entries)
    except OSError:
        return frozenset()
