"""Make small model files of every kind."""

from __future__ import annotations

import hashlib
import json
import struct


def safetensors(path, metadata=None, weights=b"weights"):
    """Write a safetensors file; return its hashes."""
    header = json.dumps(
        {
            "__metadata__": metadata or {},
            "w": {"dtype": "U8", "shape": [len(weights)], "data_offsets": [0, len(weights)]},
        }
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(len(header).to_bytes(8, "little") + header.encode() + weights)
    whole = hashlib.sha256(path.read_bytes()).hexdigest()
    return {"sha256": whole, "autov2": whole[:10], "autov3": hashlib.sha256(weights).hexdigest()[:12]}


def gguf(path, **texts):
    """Write the head of a GGUF file with text values, a number between them and an array after."""
    path.parent.mkdir(parents=True, exist_ok=True)
    parts = [b"GGUF", struct.pack("<IQQ", 3, 0, len(texts) + 2)]
    parts.append(_text("general.alignment") + struct.pack("<II", 4, 32))
    parts += [_text(key.replace("__", ".")) + struct.pack("<I", 8) + _text(value) for key, value in texts.items()]
    parts.append(_text("tokens") + struct.pack("<I", 9))
    path.write_bytes(b"".join(parts))


def _text(value):
    return struct.pack("<Q", len(value.encode())) + value.encode()
