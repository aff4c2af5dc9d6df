"""Read CivitAI's answers into the common shape; believe nothing that lacks the documented fields.

Shapes: developer.civitai.com, site API. Every function raises `MalformedAnswerError` on anything else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
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
from ..hashes import hashes_of, normalised
from ..model_info import FileInfo, ImageInfo, ModelInfo

DownloadUrl = Callable[[int], str]


def version(data: Any, download_url: DownloadUrl) -> ModelInfo:
    """Read one model version (GET by id or by hash)."""
    raw = required_record(data, "The model version")
    version_id = required_identity(raw.get("id"), "The version's id")
    model = record(raw.get("model"))
    return ModelInfo(
        version_id=version_id,
        model_id=required_identity(raw.get("modelId"), "The model's id"),
        name=required_text(model.get("name"), "The model's name"),
        version_name=text(raw.get("name")),
        type=text(model.get("type")),
        base_model=text(raw.get("baseModel")),
        nsfw=flag(model.get("nsfw")),
        nsfw_level=whole(raw.get("nsfwLevel")),
        trained_words=texts(raw.get("trainedWords")),
        description=text(raw.get("description")),
        published_at=text(raw.get("publishedAt")),
        files=tuple(_file(one, download_url(version_id)) for one in records(raw.get("files"))),
        images=tuple(_image(one) for one in records(raw.get("images")) if text(one.get("url"))),
    )


def versions(data: Any, download_url: DownloadUrl) -> list[ModelInfo]:
    """Read the list that POST by-hash answers; its order means nothing and misses are simply not in it."""
    return [version(one, download_url) for one in required_records(data, "The list of versions")]


def version_ids(data: Any) -> dict[str, tuple[int, int]]:
    """Read the list that POST by-hash/ids answers: (model id, version id) by SHA256, the oldest version first."""
    found: dict[str, tuple[int, int]] = {}
    rows = required_records(data, "The list of ids")
    for row in sorted(rows, key=lambda one: identity(one.get("modelVersionId")) or 0):
        sha256, model_id = normalised("sha256", row.get("hash")), identity(row.get("modelId"))
        # The documentation leaves the model's id out; without it a row is of no use here.
        if sha256 and model_id:
            version_id = required_identity(row.get("modelVersionId"), "The version's id")
            found.setdefault(sha256, (model_id, version_id))
    if rows and not found:
        raise MalformedAnswerError("The list of ids names no models.")
    return found


def model(data: Any, download_url: DownloadUrl) -> list[ModelInfo]:
    """Read one model (GET by id) into one `ModelInfo` a version, newest first as CivitAI orders them."""
    raw = required_record(data, "The model")
    model_id = required_identity(raw.get("id"), "The model's id")
    required_text(raw.get("name"), "The model's name")
    nested = required_records(raw.get("modelVersions"), "The model's versions")
    found = [_version_of_model(raw, model_id, one, download_url) for one in nested]
    newest = found[0] if found else None
    return [
        replace(one, latest_version_id=newest.version_id, latest_version_name=newest.version_name)
        for one in found
        if newest
    ]


def models(data: Any, download_url: DownloadUrl) -> dict[int, list[ModelInfo]]:
    """Read a page of models by model id (GET models?ids=)."""
    raw = required_record(data, "The page of models")
    items = required_records(raw.get("items"), "The page's items")
    return {required_identity(one.get("id"), "A model's id"): model(one, download_url) for one in items}


def images(data: Any) -> dict[int, dict[str, Any]]:
    """Read a page of images by image id; each keeps CivitAI's own fields, its metadata unwrapped."""
    raw = required_record(data, "The page of images")
    items = required_records(raw.get("items"), "The page's items")
    return {required_identity(one.get("id"), "An image's id"): _unwrapped(one) for one in items}


def shown_images(data: Any) -> dict[int, list[dict[str, Any]]]:
    """Read the example images of one model (GET by id) by version id, newest version first, in CivitAI's fields."""
    nested = required_records(required_record(data, "The model").get("modelVersions"), "The model's versions")
    return dict(version_images(one) for one in nested)


def shown_images_of_models(data: Any) -> dict[int, dict[int, list[dict[str, Any]]]]:
    """Read the example images of a page of models (GET models?ids=) by model id and version id."""
    items = required_records(required_record(data, "The page of models").get("items"), "The page's items")
    return {required_identity(one.get("id"), "A model's id"): shown_images(one) for one in items}


def version_images(data: Any) -> tuple[int, list[dict[str, Any]]]:
    """Read the id and the example images of one version (GET by id), in CivitAI's own fields."""
    raw = required_record(data, "The model version")
    images = [_unwrapped(one) for one in records(raw.get("images"))]
    return required_identity(raw.get("id"), "The version's id"), images


def _version_of_model(
    raw: dict[str, Any], model_id: int, nested: dict[str, Any], download_url: DownloadUrl
) -> ModelInfo:
    joined = {**nested, "modelId": model_id, "model": {key: raw.get(key) for key in ("name", "type", "nsfw")}}
    return replace(
        version(joined, download_url),
        tags=texts(raw.get("tags")),
        description=text(raw.get("description")),
        creator=text(record(raw.get("creator")).get("username")),
    )


def _file(raw: dict[str, Any], download_url: str) -> FileInfo:
    return FileInfo(
        name=text(raw.get("name")) or "",
        kind=text(raw.get("type")) or "Model",
        size_kb=number(raw.get("sizeKB")),
        primary=raw.get("primary") is True,
        hashes=hashes_of(raw.get("hashes")),
        # CivitAI builds its own from a header that may be missing ("https://undefined/..."), so it is rebuilt.
        download_url=download_url if text(raw.get("downloadUrl")) else None,
    )


def _image(raw: dict[str, Any]) -> ImageInfo:
    return ImageInfo(
        url=raw["url"],
        kind=text(raw.get("type")) or "image",
        width=whole(raw.get("width")),
        height=whole(raw.get("height")),
        nsfw_level=whole(raw.get("nsfwLevel")),
    )


def _unwrapped(item: dict[str, Any]) -> dict[str, Any]:
    """Take the generation data out of ``{"id": N, "meta": {...}}``, which image look-ups by id wrap it in."""
    meta = item.get("meta")
    if isinstance(meta, dict) and isinstance(meta.get("meta"), dict) and identity(meta.get("id")):
        return {**item, "meta": meta["meta"]}
    return item
