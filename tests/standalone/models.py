"""Make a library of small model files, with the vendors' catalogues that fit it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

from tests.library.files import safetensors

from .vendor import VendorModel


@dataclass
class Models:
    """Hold the folder, and who knows which file, by file name."""

    folder: Path
    civitai: list = field(default_factory=list)
    civarchive: list = field(default_factory=list)
    nobody: list = field(default_factory=list)

    @property
    def count(self):
        return len(self.civitai) + len(self.civarchive) + len(self.nobody)


def make(folder, known, *, archive_only=0, unknown=0):
    """Write model files, each with content of its own; return who knows them."""
    folder = Path(folder)
    made = Models(folder)
    for index in range(known + archive_only + unknown):
        name = f"model_{index:05d}.safetensors"
        hashes = safetensors(folder / f"part_{index % 20:02d}" / name, weights=b"weights %d" % index)
        model = VendorModel(
            model_id=1000 + index, version_id=200_000 + index, name=f"Model {index}", file_name=name, hashes=hashes
        )
        who = made.civitai if index < known else made.civarchive if index < known + archive_only else made.nobody
        who.append(model)
    return made


def remember_hashes(folder):
    """Return the SHA256 of every model file, by file name."""
    return {one.name: hashlib.sha256(one.read_bytes()).hexdigest() for one in Path(folder).rglob("*.safetensors")}
