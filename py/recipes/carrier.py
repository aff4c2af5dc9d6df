"""Describe what containers hand to parsers: named texts, and the caps that hostile files meet."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

# One text may be this long (characters); longer ones are left out and said so.
MAX_TEXT = 16 * 1024 * 1024
# All texts of one file together.
MAX_TOTAL = 64 * 1024 * 1024
# A compressed text may grow to this many bytes.
MAX_INFLATED = 8 * 1024 * 1024
# zlib makes at most this many bytes of one.
_MOST_GROWTH = 1032
MAX_CARRIERS = 256
MAX_JSON_DEPTH = 200


@dataclass(frozen=True)
class Carrier:
    """Hold one text of a file: where it was (``exif:UserComment``), under which key, and the text itself."""

    where: str
    key: str
    text: str

    @cached_property
    def data(self) -> Any:
        """Return the text as JSON, or None where it is not an object or array."""
        return load_json(self.text)


@dataclass
class Harvest:
    """Collect what one container holds; the size is in pixels."""

    container: str
    width: int | None = None
    height: int | None = None
    carriers: list[Carrier] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    provenance: bool = False
    # Whether the beginning of a picture was seen; without it the file was cut, or never was an image.
    pictured: bool = False
    _total: int = 0
    _unpacked: int = 0

    def add(self, where: str, key: str, text: str) -> None:
        """Keep a text; of several with the same place the first that is not empty counts."""
        text = text.strip("\0")
        if not text.strip():
            return
        if len(text) > MAX_TEXT or self._total + len(text) > MAX_TOTAL or len(self.carriers) >= MAX_CARRIERS:
            self.note(f"{where} is too large to read.")
            return
        if any(one.where == where for one in self.carriers):
            self.note(f"{where} occurs more than once; the first is used.")
            return
        self._total += len(text)
        self.carriers.append(Carrier(where, key, text))

    def unpacking_limit(self) -> int:
        """How many bytes the next compressed text may grow to; all of a file share one budget."""
        return max(min(MAX_INFLATED, MAX_TOTAL - self._unpacked), 0)

    def unpacked(self, packed: int, size: int | None) -> None:
        """Count what `packed` bytes grew to; where nobody knows, as much as zlib can make of them."""
        self._unpacked += min(self.unpacking_limit(), packed * _MOST_GROWTH) if size is None else size

    def note(self, sentence: str) -> None:
        """Keep one sentence for a person, once."""
        if sentence not in self.notes and len(self.notes) < MAX_CARRIERS:
            self.notes.append(sentence)


def _finite(digits: str) -> float | None:
    number = float(digits)
    return number if math.isfinite(number) else None


_DECODER = json.JSONDecoder(parse_constant=lambda _: None, parse_float=_finite)


def load_json(text: str) -> Any:
    """Return the JSON object or array that `text` is, or None.

    The bare NaN and Infinity that ComfyUI writes become None, so that what is stored is JSON again; trailing NULs
    (Tensor.art) are taken. Nesting beyond `MAX_JSON_DEPTH` counts as not JSON.
    """
    text = text.strip("\0 \t\r\n\ufeff")
    if text[:1] not in ("{", "["):
        return None
    try:
        value = _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None
    if "\\ud" in text or "\\uD" in text:
        value = _well_formed_json(value)
    few = text.count("[") + text.count("{") <= MAX_JSON_DEPTH
    return value if few or _is_shallow(value) else None


def _well_formed_json(value: Any) -> Any:
    """Replace halves of characters, which JSON can escape and nothing can store."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return None
    clean = well_formed(text)
    return value if clean is text else json.loads(clean)


def well_formed(text: str) -> str:
    """Return the text, with lone surrogates replaced by U+FFFD."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _is_shallow(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_JSON_DEPTH):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if type(outer) is dict else outer)
            if type(inner) is dict or type(inner) is list
        ]
        if not level:
            return True
    return False
