"""Turn what images write into numbers, hashes and names; anything that is not one is None."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

_HEX = re.compile(r"[0-9a-f]+")
_AIR = re.compile(
    r"(?:urn:air:)?(?P<eco>[\w.\-]+):(?P<type>[\w.\-]+):(?P<source>[\w.\-]+):(?P<model>[^@\s?]+)(?:@(?P<version>[^?\s]+))?(?:\?\S*)?",
    re.IGNORECASE,
)
_SIZE = re.compile(r"\s*\(?\s*(\d{1,6})\s*[xX\u00d7,]\s*(\d{1,6})")
_BY_LENGTH = {8: "autov1", 10: "autov2", 12: "autov3", 64: "sha256"}
_MODEL_FILE = re.compile(r"\.(safetensors|sft|ckpt|pt|pth|bin|gguf|onnx)$", re.IGNORECASE)
_NOTHING = frozenset({"", "none", "null", "undefined", "unknown", "n/a"})


@dataclass(frozen=True, slots=True)
class Hash:
    """Hold one hash, lower-case hex, and its kind (None where its length tells nothing)."""

    value: str
    kind: str | None


@dataclass(frozen=True, slots=True)
class Air:
    """Hold one AIR urn (``urn:air:sdxl:lora:civitai:123@456``); the ids only where CivitAI is the source."""

    ecosystem: str
    type: str
    source: str
    model_id: int | None
    version_id: int | None
    name: str


def to_int(value: Any) -> int | None:
    """Return a whole number; text and floats that are one count too."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, str):
        text = value.strip()
        if len(text) <= 24 and text.lstrip("-+").isdecimal():  # noqa: PLR2004 - 2^64 has twenty digits
            return int(text)
    number = to_float(value)
    return int(number) if number is not None and number.is_integer() and abs(number) < 2**64 else None


def to_float(value: Any) -> float | None:
    """Return a finite number; text that is one counts too."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value[:64] if isinstance(value, str) else value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def to_seed(value: Any) -> int | None:
    """Return a seed; a negative one means "random", which is not known."""
    seed = to_int(value)
    return seed if seed is not None and 0 <= seed < 2**64 else None


def to_size(value: Any) -> tuple[int, int] | None:
    """Return width and height of ``512x768``, ``512 x 768`` or ``(512, 768)``."""
    match = _SIZE.match(value[:64]) if isinstance(value, str) else None
    return (int(match[1]), int(match[2])) if match else None


def to_text(value: Any) -> str | None:
    """Return a text as written; None where it is not one."""
    return value if isinstance(value, str) else None


def to_name(value: Any) -> str | None:
    """Return a name without surrounding space; the words that mean "none" are None."""
    if not isinstance(value, str):
        return None
    name = value.strip()
    return None if name.casefold() in _NOTHING else name


def to_hash(value: Any) -> Hash | None:
    """Return a hash with its kind, told by prefix or length.

    Twelve digits are what A1111 writes for a LoRA; SwarmUI's ``0x`` hash leaves the header out, as AutoV3 does,
    so its first twelve digits are kept.
    """
    if not isinstance(value, str):
        return None
    text = value.strip().lower()
    if text.startswith("blake3:") and _HEX.fullmatch(text[7:]):
        return Hash(text[7:], "blake3")
    if text.startswith("0x") and len(text) >= 14 and _HEX.fullmatch(text[2:]):  # noqa: PLR2004 - 0x and twelve digits
        return Hash(text[2:14], "autov3")
    text = text.removeprefix("sha256:")
    if len(text) < 8 or not _HEX.fullmatch(text):  # noqa: PLR2004 - the shortest kind
        return None
    return Hash(text, _BY_LENGTH.get(len(text)))


def to_air(value: Any) -> Air | None:
    """Return an AIR, with or without its ``urn:air:``."""
    match = _AIR.fullmatch(value.strip()) if isinstance(value, str) and len(value) < 1024 else None  # noqa: PLR2004
    if match is None:
        return None
    source = match["source"].lower()
    ours = source == "civitai"
    return Air(
        ecosystem=match["eco"].lower(),
        type=match["type"].lower(),
        source=source,
        model_id=to_int(match["model"]) if ours else None,
        version_id=to_int(match["version"]) if ours else None,
        name=value.strip(),
    )


def normalised_name(name: str) -> str:
    """Return a name for matching: no folder, no model file's extension, casefolded."""
    stem = re.split(r"[\\/]", name.strip())[-1]
    return _MODEL_FILE.sub("", stem).strip().casefold()


def loose_name(name: str) -> str:
    """Return a name for matching against A1111's ``Lora hashes``, whose writer removes colons and commas."""
    return normalised_name(name).replace(":", "").replace(",", "")
