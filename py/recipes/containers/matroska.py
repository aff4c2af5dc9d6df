"""Read the tags of WebM and Matroska (RFC 9559), as ComfyUI's video savers write them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..carrier import MAX_TEXT, Harvest
from ..source import Source
from .text import decode_loose

SIGNATURE = b"\x1a\x45\xdf\xa3"
_MAX_ELEMENTS = 65_536
_SEGMENT, _TAGS, _TAG, _SIMPLE, _NAME, _STRING = 0x18538067, 0x1254C367, 0x7373, 0x67C8, 0x45A3, 0x4487
_TRACKS, _TRACK, _VIDEO, _WIDTH, _HEIGHT = 0x1654AE6B, 0xAE, 0xE0, 0xB0, 0xBA
# Where to look for what: parents and the children that matter.
_INSIDE = frozenset({_SEGMENT, _TAGS, _TAG, _TRACKS, _TRACK, _VIDEO})
_MAX_DEPTH = 8


@dataclass(frozen=True, slots=True)
class _Element:
    kind: int
    start: int
    end: int


def read_matroska(source: Source) -> Harvest:
    """Return the tags; clusters of frames are passed over by their size."""
    harvest = Harvest("webm")
    stack = [_elements(source, 0, source.size)]
    for _ in range(_MAX_ELEMENTS):
        if not stack:
            break
        element = next(stack[-1], None)
        if element is None:
            stack.pop()
        elif element.kind == _SIMPLE:
            _tag(source, element, harvest)
        elif element.kind in (_WIDTH, _HEIGHT):
            _size(source, element, harvest)
        elif element.kind in _INSIDE and len(stack) < _MAX_DEPTH:
            stack.append(_elements(source, element.start, element.end))
    return harvest


def _elements(source: Source, start: int, end: int) -> Iterator[_Element]:
    while start < end:
        head = source.read(start, 12)
        kind, kind_size = _vint(head, keep_marker=True)
        size, size_size = _vint(head[kind_size:], keep_marker=False)
        if not kind_size or not size_size:
            return
        content = start + kind_size + size_size
        unknown = size == (1 << 7 * size_size) - 1
        stop = end if unknown else content + size
        yield _Element(kind, content, min(stop, end))
        start = stop


def _vint(data: bytes, *, keep_marker: bool) -> tuple[int, int]:
    """Return a number of variable length and its length in bytes (0 where there is none)."""
    if not data or data[0] == 0:
        return 0, 0
    length = 9 - data[0].bit_length()
    if len(data) < length:
        return 0, 0
    value = int.from_bytes(data[:length], "big")
    return (value if keep_marker else value & ((1 << 7 * length) - 1)), length


def _tag(source: Source, element: _Element, harvest: Harvest) -> None:
    name = text = ""
    for inner in _elements(source, element.start, element.end):
        if inner.end - inner.start > MAX_TEXT:
            harvest.note("A tag is too large to read.")
        elif inner.kind == _NAME:
            name = decode_loose(source.read(inner.start, inner.end - inner.start))
        elif inner.kind == _STRING:
            text = decode_loose(source.read(inner.start, inner.end - inner.start))
    if name:
        harvest.add(f"webm:{name.lower()[:79]}", name.lower()[:79], text)


def _size(source: Source, element: _Element, harvest: Harvest) -> None:
    value = int.from_bytes(source.read(element.start, min(element.end - element.start, 8)), "big")
    if element.kind == _WIDTH and harvest.width is None:
        harvest.width = value
    elif element.kind == _HEIGHT and harvest.height is None:
        harvest.height = value
