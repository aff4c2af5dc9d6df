"""Describe one model file as the library knows it, and as callers see it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from ..core.outcomes import LookupKey
from ..storage.database import Row
from ..vendors.model_info import ModelInfo
from ..vendors.pictures import tamest
from .states import Knowledge, ModelState


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFile:
    """Hold one row of model_files with its hashes by kind; times are seconds since the epoch."""

    number: int
    path: str
    root: str
    type: str
    file_name: str
    name: str
    size: int
    mtime_ns: int
    offline: bool
    hashed_at: float | None
    hash_problem: str | None
    facts: dict[str, Any]
    preview: str | None
    title: str | None
    version_name: str | None
    base_model: str | None
    hashes: dict[str, str]
    knowledge: Knowledge

    @classmethod
    def from_row(cls, row: Row, hashes: dict[str, str]) -> ModelFile:
        """Build from a row with every column."""
        plain = ("number", "path", "root", "type", "file_name", "name", "size", "mtime_ns", "hashed_at")
        more = ("hash_problem", "preview", "title", "version_name", "base_model")
        return cls(
            **{name: row[name] for name in (*plain, *more)},
            offline=bool(row["offline"]),
            facts=json.loads(row["facts"]),
            hashes=hashes,
            knowledge=_knowledge(row),
        )

    @property
    def key(self) -> LookupKey | None:
        """What to ask a vendor for; None until the file has been hashed."""
        return LookupKey("sha256", self.hashes["sha256"]) if "sha256" in self.hashes else None

    def to_json(self) -> dict[str, Any]:
        """Return what the HTTP API shows of it (docs/reference/http-api.md); no absolute path."""
        known = self.knowledge
        info = known.metadata
        picture = tamest(info.images) if info else None
        return {
            "id": self.number,
            "type": self.type,
            "file_name": self.file_name,
            "size": self.size,
            "state": "offline" if self.offline else known.state.value,
            "hashes": self.hashes,
            "title": self.title or self.facts.get("title") or self.file_name.rsplit(".", 1)[0],
            "version_name": self.version_name,
            "base_model": self.base_model or self.facts.get("base_model"),
            "trained_words": list((info and info.trained_words) or self.facts.get("trained_words") or ()),
            "model_id": info and info.model_id,
            "model_version_id": info and info.version_id,
            "metadata_source": known.metadata_source,
            "civitai_deleted": known.civitai_deleted,
            "newer_version": newer_version(info),
            "nsfw_level": info and info.nsfw_level,
            "checked_at": known.checked_at,
            "retry_at": known.retry_at,
            "host": known.host,
            "detail": known.detail or self.hash_problem,
            "has_preview": bool(self.preview or picture),
            # A picture beside the file is the user's own, and nobody has rated it.
            "preview_nsfw_level": picture.nsfw_level if picture and not self.preview else None,
        }


def newer_version(info: ModelInfo | None) -> dict[str, Any] | None:
    """Return id and name of the model's newest version where it is not this one."""
    if info is None or info.latest_version_id in (None, info.version_id):
        return None
    return {"model_version_id": info.latest_version_id, "name": info.latest_version_name}


def _knowledge(row: Row) -> Knowledge:
    metadata = row["metadata"]
    return Knowledge(
        state=ModelState(row["state"]),
        metadata=ModelInfo.from_json(json.loads(metadata)) if metadata else None,
        metadata_source=row["metadata_source"],
        civitai_deleted=bool(row["civitai_deleted"]),
        checked_at=row["checked_at"],
        host=row["host"],
        retry_at=row["retry_at"],
        detail=row["detail"],
    )
