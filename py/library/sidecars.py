"""Read what other tools have written beside a model file, and write what Pantry knows, without losing a word.

Read: ``.pantry.json`` (ours), ``.metadata.json`` (LoRA Manager), ``.civitai.info`` and ``.json`` (web UI helpers),
``.cm-info.json`` (Stability Matrix). Only ours is ever written. Another tool's word that a model was deleted is not
taken over: it may have been written after a mere refusal.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..core.errors import MalformedAnswerError
from ..vendors.checked import identity, number, record, records, text, texts
from ..vendors.civitai import decode
from ..vendors.hashes import hashes_of, normalised
from ..vendors.model_info import ModelInfo

OURS = ".pantry.json"
PREVIEWS = (".preview.png", ".preview.jpg", ".preview.jpeg", ".preview.webp", ".png", ".jpg", ".jpeg", ".webp")
_LARGEST = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class SidecarFacts:
    """Hold what sidecars say: the vendor's description, hashes of this very file, trigger words, base model."""

    info: ModelInfo | None = None
    hashes: dict[str, str] = field(default_factory=dict)
    trained_words: tuple[str, ...] = ()
    base_model: str | None = None
    title: str | None = None
    source: str | None = None


def read_sidecars(model: Path, size: int, names: Collection[str]) -> SidecarFacts:
    """Return what all sidecars of a model file of `size` bytes say; the first to know something is believed.

    `names` are the lower-case names of the files in the model's folder.
    """
    facts, stem = SidecarFacts(), model.stem.lower()
    for ending, read in _READERS:
        data = _load(model.with_name(model.stem + ending)) if stem + ending in names else {}
        if data:
            with suppress(MalformedAnswerError):
                facts = _joined(facts, read(data, size))
    return facts


def find_preview(model: Path, names: Collection[str]) -> str | None:
    """Return the preview's path, given the lower-case names of the files in the model's folder."""
    stem = model.stem.lower()
    for ending in PREVIEWS:
        if stem + ending in names:
            return str(model.with_name(model.stem + ending))
    return None


def write_sidecar(model: Path, ours: dict[str, Any]) -> None:
    """Write ``.pantry.json`` in one step; keys in it that Pantry does not know are kept. Raises OSError."""
    target = model.with_name(model.stem + OURS)
    merged = {**_load(target), **ours}
    temporary = target.with_name(f".{target.name}.new")
    try:
        temporary.write_text(json.dumps(merged, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        temporary.replace(target)
    except OSError:
        with suppress(OSError):
            temporary.unlink()
        raise


def _load(path: Path) -> dict[str, Any]:
    """Return a JSON object, or an empty one where there is none that can be read."""
    try:
        if path.stat().st_size > _LARGEST:
            return {}
        return record(json.loads(path.read_bytes().decode("utf-8-sig")))
    except (OSError, ValueError, RecursionError):
        return {}


def _joined(first: SidecarFacts, other: SidecarFacts) -> SidecarFacts:
    return SidecarFacts(
        info=first.info or other.info,
        hashes={**other.hashes, **first.hashes},
        trained_words=first.trained_words or other.trained_words,
        base_model=first.base_model or other.base_model,
        title=first.title or other.title,
        source=first.source or (other.source if other.info else None),
    )


def _ours(data: dict[str, Any], _size: int) -> SidecarFacts:
    raw = record(data.get("metadata"))
    try:
        info = ModelInfo.from_json(raw) if raw else None
    except (TypeError, AttributeError) as error:
        raise MalformedAnswerError from error
    return SidecarFacts(info=info, hashes=_hash("sha256", data.get("sha256")), source="pantry")


def _lora_manager(data: dict[str, Any], size: int) -> SidecarFacts:
    own = _hash("sha256", data.get("sha256")) if data.get("size") == size else {}
    return SidecarFacts(
        info=_from_civitai(data.get("civitai"), data.get("modelDescription"), data.get("tags")),
        hashes={**own, **_hash("autov3", data.get("autov3"))},
        trained_words=texts(data.get("trainedWords")),
        base_model=text(data.get("base_model")),
        title=text(data.get("model_name")),
        source="lora_manager",
    )


def _civitai_info(data: dict[str, Any], size: int) -> SidecarFacts:
    return SidecarFacts(
        info=_from_civitai(data, None, None), hashes=_hashes_of_size(data.get("files"), size), source="civitai_info"
    )


def _webui(data: dict[str, Any], _size: int) -> SidecarFacts:
    words = text(data.get("activation text"))
    return SidecarFacts(
        trained_words=tuple(one.strip() for one in words.split(",") if one.strip()) if words else (),
        base_model=text(data.get("sd version")),
    )


def _stability_matrix(data: dict[str, Any], _size: int) -> SidecarFacts:
    model_id, version_id, name = (
        identity(data.get("ModelId")),
        identity(data.get("VersionId")),
        text(data.get("ModelName")),
    )
    info = None
    if name and model_id and version_id:
        info = ModelInfo(
            version_id=version_id,
            model_id=model_id,
            name=name,
            version_name=text(data.get("VersionName")),
            type=text(data.get("ModelType")),
            base_model=text(data.get("BaseModel")),
            trained_words=texts(data.get("TrainedWords")),
            tags=texts(data.get("Tags")),
            description=text(data.get("ModelDescription")),
        )
    return SidecarFacts(info=info, hashes=hashes_of(data.get("Hashes")), source="stability_matrix")


def _from_civitai(raw: Any, description: Any, tags: Any) -> ModelInfo | None:
    """Read a version as CivitAI answers it, where the tool kept it whole."""
    if not isinstance(raw, dict) or not identity(raw.get("id")):
        return None
    info = decode.version(raw, lambda version_id: f"https://civitai.com/api/download/models/{version_id}")
    return replace(info, description=text(description) or info.description, tags=texts(tags) or info.tags)


def _hashes_of_size(files: Any, size: int) -> dict[str, str]:
    """Return the hashes of the listed file that is exactly as large as ours; sizes are in KiB with fractions."""
    for one in records(files):
        size_kb = number(one.get("sizeKB"))
        if size_kb is not None and round(size_kb * 1024) == size:
            return hashes_of(one.get("hashes"))
    return {}


def _hash(kind: str, value: Any) -> dict[str, str]:
    found = normalised(kind, value)
    return {kind: found} if found else {}


_READERS: tuple[tuple[str, Callable[[dict[str, Any], int], SidecarFacts]], ...] = (
    (OURS, _ours),
    (".metadata.json", _lora_manager),
    (".civitai.info", _civitai_info),
    (".cm-info.json", _stability_matrix),
    (".json", _webui),
)
