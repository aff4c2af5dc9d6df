"""Read the text file that some programs write beside an image; only where the image itself says nothing."""

from __future__ import annotations

from pathlib import Path

from ..carrier import Carrier
from .text import decode_loose

_MAX_BYTES = 1024 * 1024


def read_sidecars(path: Path) -> list[Carrier]:
    """Return the texts of ``picture.txt`` and ``picture.json`` beside ``picture.png``.

    The name has to match whole: a file whose name merely begins like the image's belongs to another image.
    """
    found = []
    for suffix in (".txt", ".json"):
        sidecar = path.with_suffix(suffix)
        try:
            if sidecar != path and 0 < sidecar.stat().st_size <= _MAX_BYTES:
                text = decode_loose(sidecar.read_bytes().removeprefix(b"\xef\xbb\xbf"))
                found.append(Carrier(f"sidecar:{suffix[1:]}", "parameters", text))
        except OSError:
            continue
    return found
