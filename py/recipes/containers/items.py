"""Read the items of a HEIF ``meta`` box: Exif and XMP, wherever their bytes lie (ISO/IEC 23008-12)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ..carrier import MAX_TEXT, Harvest
from ..source import Source
from .boxes import Box, boxes
from .exif import read_exif
from .text import decode_loose
from .xmp import read_xmp

_MAX_ITEMS = 4096
# An image has one of each; more may all point at the same large piece of the file.
_MOST_TEXTS = 8
_MAX_META = 4 * 1024 * 1024


@dataclass(slots=True)
class _Items:
    kinds: dict[int, bytes] = field(default_factory=dict)
    # Item id to extents: construction method, offset, length.
    places: dict[int, list[tuple[int, int, int]]] = field(default_factory=dict)
    data_start: int = 0


class _Bytes:
    """Read big-endian numbers one behind the other; behind the end everything is 0."""

    def __init__(self, data: bytes, at: int = 0) -> None:
        self._data = data
        self.at = at

    def number(self, size: int) -> int:
        self.at += size
        return int.from_bytes(self._data[self.at - size : self.at], "big")

    @property
    def more(self) -> bool:
        return self.at < len(self._data)


def read_items(source: Source, meta: Box, harvest: Harvest) -> None:
    """Add the texts of the Exif and XMP items, and the image's size."""
    items = _Items()
    for box in boxes(source, meta.start + 4, meta.end):
        data = source.read(box.start, min(box.size, _MAX_META)) if box.kind in (b"iinf", b"iloc") else b""
        if box.kind == b"iinf":
            items.kinds = dict(_item_kinds(data))
        elif box.kind == b"iloc":
            items.places = dict(_item_places(data))
        elif box.kind == b"idat":
            items.data_start = box.start
        elif box.kind == b"iprp":
            _size(source, box, harvest)
    wanted = [(item, kind) for item, kind in items.kinds.items() if kind in (b"Exif", b"xmp")]
    for item, kind in wanted[:_MOST_TEXTS]:
        _add(kind, _bytes_of(source, items, item), harvest)


def _add(kind: bytes, data: bytes, harvest: Harvest) -> None:
    if kind == b"Exif":
        read_exif(data[4 + int.from_bytes(data[:4], "big") :], harvest)
    else:
        read_xmp(decode_loose(data), harvest)


def _bytes_of(source: Source, items: _Items, item: int) -> bytes:
    found = b""
    for method, offset, length in items.places.get(item, ()):
        start = offset + (items.data_start if method == 1 else 0)
        found += source.read(start, min(length or MAX_TEXT, MAX_TEXT - len(found)))
    return found


def _item_kinds(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield id and kind of each ``infe``; XMP is a mime item of type application/rdf+xml."""
    if not data:
        return
    at = 6 if data[0] == 0 else 8
    for _ in range(_MAX_ITEMS):
        size = int.from_bytes(data[at : at + 4], "big")
        if size < 12 or at + size > len(data):  # noqa: PLR2004 - header and version of an entry
            return
        entry = _Bytes(data[at + 8 : at + size])
        version = entry.number(1)
        entry.number(3)
        item = entry.number(2 if version < 3 else 4)  # noqa: PLR2004 - from version 3 ids have 32 bits
        entry.number(2)
        kind = data[at + 8 + entry.at : at + 12 + entry.at]
        is_xmp = kind == b"mime" and b"application/rdf+xml" in data[at : at + size]
        yield item, b"xmp" if is_xmp else kind
        at += size


def _item_places(data: bytes) -> Iterator[tuple[int, list[tuple[int, int, int]]]]:
    """Yield id and extents of each item; the sizes of the fields are given in front, four bits each."""
    reader = _Bytes(data)
    version = reader.number(1)
    reader.number(3)
    sizes = reader.number(2)
    offset_size, length_size = sizes >> 12, sizes >> 8 & 15
    base_size, index_size = sizes >> 4 & 15, sizes & 15 if version else 0
    count = reader.number(2 if version < 2 else 4)  # noqa: PLR2004 - from version 2 there may be more
    for _ in range(min(count, _MAX_ITEMS)):
        if not reader.more:
            return
        item = reader.number(2 if version < 2 else 4)  # noqa: PLR2004
        method = reader.number(2) & 15 if version else 0
        reader.number(2)
        base = reader.number(base_size)
        extents = []
        for _ in range(min(reader.number(2), _MAX_ITEMS)):
            reader.number(index_size)
            offset = base + reader.number(offset_size)
            extents.append((method, offset, reader.number(length_size)))
            if not reader.more:
                break
        yield item, extents


def _size(source: Source, properties: Box, harvest: Harvest) -> None:
    """The largest ``ispe`` is the whole image; smaller ones are tiles and thumbnails."""
    for container in boxes(source, properties.start, properties.end):
        for box in boxes(source, container.start, container.end) if container.kind == b"ipco" else ():
            data = source.read(box.start, 12) if box.kind == b"ispe" else b""
            width, height = int.from_bytes(data[4:8], "big"), int.from_bytes(data[8:12], "big")
            if width * height > (harvest.width or 0) * (harvest.height or 0):
                harvest.width, harvest.height = width, height
