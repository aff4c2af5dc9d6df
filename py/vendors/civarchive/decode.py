"""Read CivArchive's answers, of both API generations, into the common shape.

Legacy answers may or may not be wrapped in ``data`` and mix camel and snake case; official ones are snake case and
spell ids as strings. Anything else raises `MalformedAnswerError`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...core.errors import MalformedAnswerError
from ..checked import (
    flag,
    identity,
    number,
    record,
    records,
    required_identity,
    required_record,
    required_records,
    required_text,
    text,
    texts,
    whole,
)
from ..hashes import LENGTHS, normalised
from ..model_info import FileInfo, ImageInfo, ModelInfo

# CivArchive numbers models of other platforms from here on; CivitAI does not know such ids.
FOREIGN_IDS_FROM = 100_000_000


@dataclass(frozen=True, slots=True)
class Pointer:
    """Say that CivArchive knows the file but describes its model on another page."""

    model_id: int
    version_id: int


def by_sha256(data: Any) -> ModelInfo | Pointer | None:
    """Read what the hash route answers: a model, a pointer to one, or None where CivArchive has nothing."""
    raw = required_record(data, "CivArchive's answer")
    raw = record(raw.get("data")) or raw
    if "models" in raw:
        models = required_records(raw["models"], "CivArchive's models")
        return model(models[0]) if models else _pointer(raw)
    return model(raw) if "version" in raw else _pointer(raw)


def model(data: Any) -> ModelInfo:
    """Read one model with the version that was asked for."""
    raw = required_record(data, "CivArchive's model")
    raw = record(raw.get("data")) or raw
    version = required_record(raw.get("version"), "CivArchive's version")
    return ModelInfo(
        version_id=_origin(version, "civitai_model_version_id", "id"),
        model_id=_origin(version, "civitai_model_id", "modelId") or identity(raw.get("id")),
        name=required_text(raw.get("name"), "The model's name"),
        version_name=text(version.get("name")),
        type=text(raw.get("type")),
        base_model=_either(version, "baseModel", "base_model"),
        nsfw=flag(raw.get("is_nsfw")),
        nsfw_level=whole(version.get("nsfw_level", raw.get("nsfw_level"))),
        trained_words=texts(version.get("trigger")),
        tags=texts(raw.get("tags")),
        description=text(raw.get("description")),
        creator=_either(raw, "creator_username", "creator_name", "username"),
        deleted_at=_either(version, "deletedAt", "deleted_at") or _either(raw, "deletedAt", "deleted_at"),
        files=tuple(_file(one) for one in records(version.get("files"))),
        images=tuple(_image(one) for one in records(version.get("images")) if text(one.get("url"))),
        source="civarchive",
    )


def _pointer(raw: dict[str, Any]) -> Pointer | None:
    """Find the CivitAI ids in a list of mirrors; an empty list means that the hash is unknown."""
    mirrors = required_records(raw.get("files"), "CivArchive's files")
    if not mirrors:
        return None
    for one in mirrors:
        if text(one.get("source")) in (None, "civitai") and _is_civitai(one):
            return Pointer(
                required_identity(one.get("model_id"), "The model's id"),
                required_identity(one.get("model_version_id"), "The version's id"),
            )
    return None


def _is_civitai(mirror: dict[str, Any]) -> bool:
    ids = (identity(mirror.get("model_id")), identity(mirror.get("model_version_id")))
    return all(one is not None and one < FOREIGN_IDS_FROM for one in ids)


def _origin(version: dict[str, Any], *names: str) -> int | None:
    """Return the first id that can be CivitAI's own."""
    found = (identity(version.get(name)) for name in names)
    return next((one for one in found if one is not None and one < FOREIGN_IDS_FROM), None)


def _either(raw: dict[str, Any], *names: str) -> str | None:
    return next((found for name in names if (found := text(raw.get(name)))), None)


def _file(raw: dict[str, Any]) -> FileInfo:
    sha256 = normalised("sha256", raw.get("sha256"))
    return FileInfo(
        name=text(raw.get("name")) or "",
        kind=text(raw.get("type")) or "Model",
        size_kb=number(raw.get("sizeKB", raw.get("size_kb"))),
        primary=raw.get("is_primary") is True,
        hashes={"sha256": sha256, "autov2": sha256[: LENGTHS["autov2"]]} if sha256 else {},
        download_url=_living_mirror(raw) or text(raw.get("downloadUrl")),
    )


def _living_mirror(raw: dict[str, Any]) -> str | None:
    """Return the first mirror that is neither deleted nor behind a gate or a price."""
    for mirror in records(raw.get("mirrors")):
        shut = _either(mirror, "deletedAt", "deleted_at") or mirror.get("is_gated") or mirror.get("is_paid")
        if not shut and text(mirror.get("url")):
            return text(mirror.get("url"))
    return None


def _image(raw: dict[str, Any]) -> ImageInfo:
    return ImageInfo(
        url=raw["url"],
        kind=text(raw.get("type")) or "image",
        width=whole(raw.get("width")),
        height=whole(raw.get("height")),
        nsfw_level=whole(raw.get("nsfwLevel")),
    )


def require_version(info: ModelInfo, version_id: int) -> ModelInfo:
    """Return `info` where it is the version that was asked for; CivArchive may answer with another one."""
    if info.version_id != version_id:
        raise MalformedAnswerError("CivArchive answered with another version.")
    return info
