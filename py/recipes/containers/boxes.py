"""Walk the boxes of an ISO base media file (ISO/IEC 14496-12, section 4.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..source import Source

_MAX_BOXES = 65_536


@dataclass(frozen=True, slots=True)
class Box:
    """Hold the type and the place of one box; `start` is behind its header, `end` behind its content."""

    kind: bytes
    start: int
    end: int

    @property
    def size(self) -> int:
        """How many bytes of content there are."""
        return self.end - self.start


def boxes(source: Source, start: int, end: int) -> Iterator[Box]:
    """Yield the boxes between two offsets; sizes of 64 bits and "to the end" are known."""
    for _ in range(_MAX_BOXES):
        header = source.read(start, 16)
        if start + 8 > end or len(header) < 8:  # noqa: PLR2004 - size and type
            return
        size, kind, content = int.from_bytes(header[:4], "big"), header[4:8], 8
        if size == 1:
            size, content = int.from_bytes(header[8:16], "big"), 16
        elif size == 0:
            size = end - start
        if size < content:
            return
        yield Box(kind, start + content, min(start + size, end))
        start += size
