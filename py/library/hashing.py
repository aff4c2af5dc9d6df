"""Hash model files at disk speed, in a thread; a hash run can be stopped between two blocks."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any, Protocol

from ..core.errors import PantryError
from ..vendors.hashes import LENGTHS

BLOCK = 1024 * 1024


class HashingStoppedError(PantryError):
    """Hashing was stopped before its end."""

    code = "stopped"


class Digest(Protocol):
    """Take a file's bytes in order, as hashlib's objects do."""

    def update(self, data: memoryview, /) -> Any:
        """Take the next bytes."""
        ...

    def hexdigest(self) -> str:
        """Return the hash of all bytes so far, in hex."""
        ...


class _Crc32:
    def __init__(self) -> None:
        self._value = 0

    def update(self, data: memoryview, /) -> None:
        self._value = zlib.crc32(data, self._value)

    def hexdigest(self) -> str:
        return f"{self._value:08x}"


class _Weights:
    """The SHA256 of what comes after the first `start` bytes."""

    def __init__(self, start: int) -> None:
        self._to_skip = start
        self._digest = hashlib.sha256()

    def update(self, data: memoryview, /) -> None:
        self._digest.update(data[self._to_skip :])
        self._to_skip = max(0, self._to_skip - len(data))

    def hexdigest(self) -> str:
        return self._digest.hexdigest()


def hash_file(
    path: Path,
    *,
    payload_start: int | None = None,
    wanted: Collection[str] = ("sha256",),
    stopped: Callable[[], bool] = lambda: False,
) -> dict[str, str]:
    """Return a file's `wanted` hashes by kind, in one reading; blocks the calling thread.

    A SHA256 brings its AutoV2 along; an AutoV3 is that of the weights alone, from `payload_start` on. What cannot be
    made here is left out. Raises OSError, and `HashingStoppedError` once `stopped()` says so.
    """
    digests = _digests(wanted, payload_start)
    for block in _blocks(path, stopped):
        for digest in digests.values():
            digest.update(block)
    found = {kind: digest.hexdigest()[: LENGTHS[kind]] for kind, digest in digests.items()}
    return found | ({"autov2": found["sha256"][: LENGTHS["autov2"]]} if "sha256" in found else {})


def can_blake3() -> bool:
    """Tell whether BLAKE3 can be made here, which takes the package `blake3`; ComfyUI's newer versions bring it."""
    return _blake3() is not None


def _digests(wanted: Collection[str], payload_start: int | None) -> dict[str, Digest]:
    makers: dict[str, Callable[[], Digest] | None] = {
        "sha256": hashlib.sha256,
        "autov3": None if payload_start is None else lambda: _Weights(payload_start),
        "crc32": _Crc32,
        "blake3": _blake3() if "blake3" in wanted else None,
    }
    return {kind: make() for kind, make in makers.items() if kind in wanted and make is not None}


def _blake3() -> Callable[[], Digest] | None:
    try:
        from blake3 import blake3
    except ImportError:
        return None
    made: Callable[[], Digest] = blake3
    return made


def _blocks(path: Path, stopped: Callable[[], bool]) -> Iterator[memoryview]:
    """Yield the file's blocks; each is valid until the next one is asked for."""
    buffer = bytearray(BLOCK)
    view = memoryview(buffer)
    with path.open("rb", buffering=0) as file:
        while count := file.readinto(buffer):
            if stopped():
                raise HashingStoppedError
            yield view[:count]
