"""Write what is known about models beside their files."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from .daemon import in_daemon_thread
from .models import ModelFile
from .sidecars import write_sidecar

logger = logging.getLogger(__name__)


async def write_sidecars(files: Sequence[ModelFile]) -> None:
    """Write a sidecar for each described file; a folder that cannot be written is said once and passed over."""
    described = [one for one in files if one.knowledge.metadata is not None and not one.offline]
    if described:
        await in_daemon_thread(partial(_write_all, described))


def sidecar_of(file: ModelFile) -> dict[str, Any]:
    """Return what is written: the vendor's description, the file's hashes, and who said so."""
    known = file.knowledge
    return {
        "written_by": "ComfyUI Pantry",
        "sha256": file.hashes.get("sha256"),
        "hashes": file.hashes,
        "metadata": known.metadata.to_json() if known.metadata else None,
        "metadata_source": known.metadata_source,
        "civitai_deleted": known.civitai_deleted,
        "checked_at": known.checked_at,
    }


def _write_all(files: Sequence[ModelFile]) -> None:
    failed: set[Path] = set()
    for file in files:
        path = Path(file.path)
        if path.parent in failed:
            continue
        try:
            write_sidecar(path, sidecar_of(file))
        except OSError as error:
            failed.add(path.parent)
            logger.warning("No sidecars can be written in one model folder: %s.", error.strerror)
