"""Read the archive's rows into the common shape."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import Any

from ..checked import flag, number, record, text, texts, whole
from ..hashes import LENGTHS, hashes_of, normalised
from ..model_info import FileInfo, ModelInfo


def model_info(model: sqlite3.Row, version: sqlite3.Row, files: Sequence[sqlite3.Row]) -> ModelInfo:
    """Return one version; `data` holds what CivitAI's API said beyond the columns, as JSON."""
    about_model, about_version = _data(model), _data(version)
    return ModelInfo(
        version_id=version["id"],
        model_id=model["id"],
        name=model["name"],
        version_name=version["name"],
        type=model["type"],
        base_model=version["base_model"],
        nsfw=flag(about_model.get("nsfw")),
        nsfw_level=whole(about_version.get("nsfwLevel", about_model.get("nsfwLevel"))),
        trained_words=texts(about_version.get("trainedWords")),
        tags=texts(about_model.get("tags")),
        description=text(about_version.get("description")) or text(about_model.get("description")),
        creator=model["username"],
        published_at=text(version["published_at"]),
        files=tuple(_file(one) for one in files),
        source="archive_db",
    )


def _file(row: sqlite3.Row) -> FileInfo:
    data = _data(row)
    sha256 = normalised("sha256", row["sha256"])
    stated = {"sha256": sha256, "autov2": sha256[: LENGTHS["autov2"]]} if sha256 else {}
    return FileInfo(
        name=text(data.get("name")) or "",
        kind=row["type"] or "Model",
        size_kb=number(data.get("sizeKB")),
        primary=data.get("primary") is True,
        hashes={**hashes_of(data.get("hashes")), **stated},
        download_url=text(data.get("downloadUrl")),
    )


def _data(row: sqlite3.Row) -> dict[str, Any]:
    try:
        return record(json.loads(row["data"] or "{}"))
    except ValueError:
        return {}
