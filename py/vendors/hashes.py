"""Know the kinds of file hash that vendors and images use, and how each is written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..core.outcomes import LookupKey

# Lengths in hex digits (developer.civitai.com, model versions by hash). An AutoV3 is 12 digits of a SHA256.
LENGTHS: Mapping[str, int] = {"sha256": 64, "blake3": 64, "autov3": 12, "autov2": 10, "autov1": 8, "crc32": 8}
_HEX = re.compile(r"[0-9a-f]+\Z")


def normalised(kind: str, value: Any) -> str | None:
    """Return `value` in lower-case hex where it is a hash of that kind, else None.

    An AutoV3 may come as the whole SHA256 that it is the start of; it is cut to twelve digits.
    """
    if not isinstance(value, str) or kind not in LENGTHS:
        return None
    digits = value.strip().lower().removeprefix("0x")
    if kind == "autov3":
        digits = digits[: LENGTHS[kind]]
    return digits if len(digits) == LENGTHS[kind] and _HEX.match(digits) else None


def hashes_of(raw: Any) -> dict[str, str]:
    """Return a file's hashes by kind from CivitAI's ``hashes`` object; the AutoV2 follows from the SHA256."""
    if not isinstance(raw, dict):
        return {}
    known = {kind.lower(): normalised(kind.lower(), value) for kind, value in raw.items() if isinstance(kind, str)}
    found = {kind: value for kind, value in known.items() if value}
    if "sha256" in found:
        found.setdefault("autov2", found["sha256"][: LENGTHS["autov2"]])
    return found


def contradicts(key: LookupKey, files: list[dict[str, str]]) -> bool:
    """Tell whether files with these hashes cannot be the answer to `key`.

    Only a full SHA256 is judged: short hashes collide, and an archived model lists no files at all.
    """
    if key.kind != "sha256":
        return False
    named = [hashes["sha256"] for hashes in files if "sha256" in hashes]
    return bool(named) and key.value not in named
