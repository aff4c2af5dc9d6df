"""Read what a model file says about itself from its first bytes; weights are never loaded, pickles never opened."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from ..vendors.checked import record
from ..vendors.hashes import normalised
from .gguf import read_gguf

# safetensors' own limit for the header (safetensors/src/tensor.rs, MAX_HEADER_SIZE).
LARGEST_HEADER = 100_000_000
_SMALLEST_HEADER = len("{}")
_LENGTH_BYTES = 8
# The SHA256 of nothing: some trainers write it where they computed no hash.
_HASH_OF_NOTHING = "e3b0c44298fc"
# What a training tool says that is worth showing, by the name that it is kept under.
_TRAINING = {
    "ss_network_dim": "network_dim",
    "ss_network_alpha": "network_alpha",
    "ss_num_train_images": "train_images",
    "ss_epoch": "epoch",
    "ss_steps": "steps",
    "ss_sd_model_name": "trained_on",
    "ss_clip_skip": "clip_skip",
}
_MOST_TAGS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderFacts:
    """Hold a file's own words; `payload_start` is where a safetensors file's weights begin, in bytes."""

    title: str | None = None
    base_model: str | None = None
    trained_words: tuple[str, ...] = ()
    training: dict[str, str] = field(default_factory=dict)
    autov3: str | None = None
    payload_start: int | None = None
    format: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return what it holds by name, JSON-ready."""
        return {name: getattr(self, name) for name in self.__slots__}


def read_header(path: Path) -> HeaderFacts:
    """Return what the header says; a file of another kind, or a broken one, says nothing."""
    try:
        with path.open("rb") as file:
            return _read(file)
    except (OSError, ValueError, struct.error, RecursionError):
        return HeaderFacts()


def _read(file: BinaryIO) -> HeaderFacts:
    start = file.read(_LENGTH_BYTES)
    if start.startswith(b"GGUF"):
        return _from_gguf(read_gguf(file, start))
    length = int.from_bytes(start, "little")
    if len(start) < _LENGTH_BYTES or not _SMALLEST_HEADER <= length <= LARGEST_HEADER:
        return HeaderFacts()
    text = file.read(length)
    if len(text) < length or not text.startswith(b"{"):
        return HeaderFacts()
    metadata = record(record(json.loads(text)).get("__metadata__"))
    told = {key: value for key, value in metadata.items() if isinstance(value, str)}
    return _from_safetensors(told, payload_start=_LENGTH_BYTES + length)


def _from_safetensors(told: dict[str, str], payload_start: int) -> HeaderFacts:
    return HeaderFacts(
        title=told.get("modelspec.title") or told.get("ss_output_name") or None,
        base_model=told.get("modelspec.architecture") or told.get("ss_base_model_version") or None,
        trained_words=_words(told),
        training={name: told[key] for key, name in _TRAINING.items() if told.get(key)},
        autov3=_own_hash(told),
        payload_start=payload_start,
        format="safetensors",
    )


def _from_gguf(told: dict[str, str]) -> HeaderFacts:
    return HeaderFacts(title=told.get("general.name"), base_model=told.get("general.architecture"), format="gguf")


def _own_hash(told: dict[str, str]) -> str | None:
    """Return the AutoV3 that the trainer wrote down, where it is one."""
    for key in ("sshs_model_hash", "modelspec.hash_sha256"):
        found = normalised("autov3", told.get(key))
        if found and found != _HASH_OF_NOTHING:
            return found
    return None


def _words(told: dict[str, str]) -> tuple[str, ...]:
    """Return the trigger words: those that the author names, else the most frequent training tags."""
    named = told.get("modelspec.trigger_phrase")
    if named:
        return tuple(one.strip() for one in named.split(",") if one.strip())
    try:
        folders = json.loads(told.get("ss_tag_frequency") or "{}")
    except ValueError:
        return ()
    return _most_frequent(folders) if isinstance(folders, dict) else ()


def _most_frequent(folders: dict[str, Any]) -> tuple[str, ...]:
    counts: dict[str, int] = {}
    for tags in folders.values():
        for tag, count in tags.items() if isinstance(tags, dict) else ():
            if isinstance(count, int):
                counts[tag.strip()] = counts.get(tag.strip(), 0) + count
    return tuple(sorted(counts, key=lambda tag: (-counts[tag], tag)))[:_MOST_TAGS]
