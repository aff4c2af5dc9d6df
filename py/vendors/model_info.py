"""Describe a model version in the one shape that every vendor's answer is turned into."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class FileInfo:
    """Describe one file of a model version; hashes by kind, lower-case hex (`sha256`, `autov2`, …)."""

    name: str
    kind: str = "Model"
    size_kb: float | None = None
    primary: bool = False
    hashes: dict[str, str] = field(default_factory=dict)
    download_url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageInfo:
    """Describe one example image: its address, size in pixels and NSFW level (CivitAI's bit mask)."""

    url: str
    kind: str = "image"
    width: int | None = None
    height: int | None = None
    nsfw_level: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelInfo:
    """Describe one model version; what a vendor does not say is None or empty."""

    version_id: int | None
    model_id: int | None
    name: str
    version_name: str | None = None
    type: str | None = None
    base_model: str | None = None
    nsfw: bool | None = None
    nsfw_level: int | None = None
    trained_words: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    description: str | None = None
    creator: str | None = None
    deleted_at: str | None = None
    published_at: str | None = None
    files: tuple[FileInfo, ...] = ()
    images: tuple[ImageInfo, ...] = ()
    source: str = "civitai"
    # The model's newest version, where the vendor's answer listed them all.
    latest_version_id: int | None = None
    latest_version_name: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-ready copy; `from_json` reads it back."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> ModelInfo:
        """Build from what `to_json` wrote."""
        known = {**data}
        known["files"] = tuple(FileInfo(**one) for one in data.get("files", ()))
        known["images"] = tuple(ImageInfo(**one) for one in data.get("images", ()))
        known["trained_words"] = tuple(data.get("trained_words", ()))
        known["tags"] = tuple(data.get("tags", ()))
        return cls(**known)
