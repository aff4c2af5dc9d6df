"""Hash model files at disk speed, in a thread; a hash run can be stopped between two blocks."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from ..core.errors import PantryError
from ..vendors.hashes import LENGTHS

BLOCK = 1024 * 1024


class HashingStoppedError(PantryError):
    """Hashing was stopped before its end."""

    code = "stopped"


def hash_file(
    path: Path,
    *,
    payload_start: int | None = None,
    wanted: Collection[str] = ("sha256",),
    stopped: Callable[[], bool] = lambda: False,
) -> dict[str, str]:
    """Return a file's hashes by kind, in one reading; blocks the calling thread.

    The SHA256 (and with it the AutoV2) is always made. An AutoV3 is that of the weights alone, from `payload_start`
    on; CRC32 only where `wanted` names it. Raises OSError, and `HashingStoppedError` once `stopped()` says so.
    """
    whole, weights, crc, at = hashlib.sha256(), hashlib.sha256(), 0, 0
    with_weights = payload_start is not None and "autov3" in wanted
    for block in _blocks(path, stopped):
        whole.update(block)
        if with_weights and payload_start is not None:
            weights.update(block[max(0, payload_start - at) :])
        if "crc32" in wanted:
            crc = zlib.crc32(block, crc)
        at += len(block)
    found = {"sha256": whole.hexdigest(), "autov2": whole.hexdigest()[: LENGTHS["autov2"]]}
    if with_weights:
        found["autov3"] = weights.hexdigest()[: LENGTHS["autov3"]]
    return found | ({"crc32": f"{crc:08x}"} if "crc32" in wanted else {})


def _blocks(path: Path, stopped: Callable[[], bool]) -> Iterator[memoryview]:
    """Yield the file's blocks; each is valid until the next one is asked for."""
    buffer = bytearray(BLOCK)
    view = memoryview(buffer)
    with path.open("rb", buffering=0) as file:
        while count := file.readinto(buffer):
            if stopped():
                raise HashingStoppedError
            yield view[:count]
