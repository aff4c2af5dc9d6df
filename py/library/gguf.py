"""Read the key-value head of a GGUF file (ggml, docs/gguf.md); only text values are kept."""

from __future__ import annotations

import struct
from typing import BinaryIO

# Sizes of the fixed-length value types by their number; 8 is a string, 9 an array.
_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
_STRING, _ARRAY = 8, 9
_MOST_KEYS = 500
_LONGEST_TEXT = 65_536
_VERSIONS = (2, 3)


def read_gguf(file: BinaryIO, start: bytes) -> dict[str, str]:
    """Return the text values; `start` is the first eight bytes, already read. Raises ValueError on a broken head."""
    (version,) = struct.unpack("<I", start[4:8])
    if version not in _VERSIONS:
        return {}
    _tensors, count = struct.unpack("<QQ", _exactly(file, 16))
    told: dict[str, str] = {}
    for _ in range(min(count, _MOST_KEYS)):
        key = _text(file)
        (kind,) = struct.unpack("<I", _exactly(file, 4))
        if kind == _STRING:
            told[key] = _text(file)
        elif kind == _ARRAY:
            return told  # vocabularies; what is of use comes before them
        else:
            _exactly(file, _SIZES[kind] if kind in _SIZES else _unknown(kind))
    return told


def _unknown(kind: int) -> int:
    raise ValueError(f"GGUF value type {kind} is not known.")


def _text(file: BinaryIO) -> str:
    (length,) = struct.unpack("<Q", _exactly(file, 8))
    if length > _LONGEST_TEXT:
        raise ValueError("A GGUF text is too long.")
    return _exactly(file, length).decode("utf-8", "replace")


def _exactly(file: BinaryIO, length: int) -> bytes:
    data = file.read(length)
    if len(data) < length:
        raise ValueError("The GGUF head ends early.")
    return data
