"""Hold the models that a vendor knows, found by every kind of hash."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field


def digest(name, kind="sha256"):
    """Make up a hash that depends on nothing but the name."""
    length = {"sha256": 64, "blake3": 64, "autov3": 12, "autov2": 10, "autov1": 8, "crc32": 8}[kind]
    return hashlib.sha256(f"{'' if kind in ('sha256', 'autov2') else kind}{name}".encode()).hexdigest()[:length]


@dataclass(frozen=True, kw_only=True)
class VendorModel:
    """Describe one model version with one file; hashes that are not given are made up from the name."""

    model_id: int
    version_id: int
    name: str
    version_name: str = "v1.0"
    type: str = "LORA"
    base_model: str = "Illustrious"
    file_name: str = ""
    hashes: dict = field(default_factory=dict)
    trained_words: tuple = ()
    tags: tuple = ("style",)
    creator: str = "someone"
    nsfw: bool = False
    size_kb: float = 1024.0
    images: int = 1
    metas: tuple = ()  # of the first images
    archived: bool = False

    def hash(self, kind):
        given = self.hashes.get("sha256")
        if kind == "autov2" and given:
            return self.hashes.get("autov2", given[:10])
        return self.hashes.get(kind) or digest(f"{self.name} {self.version_name}", kind)

    @property
    def all_hashes(self):
        """Hashes as CivitAI spells them."""
        names = {
            "autov1": "AutoV1",
            "autov2": "AutoV2",
            "sha256": "SHA256",
            "crc32": "CRC32",
            "blake3": "BLAKE3",
            "autov3": "AutoV3",
        }
        return {shown: self.hash(kind).upper() for kind, shown in names.items()}


class Catalogue:
    """Find models by hash, by version and by model; `images` holds image items by id for the images route."""

    def __init__(self, models=(), images=None):
        self.by_hash, self.by_version, self.by_model = {}, {}, {}
        self.images = dict(images or {})
        for model in models:
            self.add(model)

    def add(self, model):
        self.by_version[model.version_id] = model
        self.by_model.setdefault(model.model_id, []).append(model)
        for value in model.all_hashes.values():
            self.by_hash.setdefault(value.lower(), model)  # duplicates resolve to the oldest version
        return model

    def remove(self, version_id):
        """Take a version back, as its author can."""
        model = self.by_version.pop(version_id)
        self.by_model[model.model_id].remove(model)
        self.by_hash = {key: one for key, one in self.by_hash.items() if one is not model}

    def __len__(self):
        return len(self.by_version)
