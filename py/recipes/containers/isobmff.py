"""Walk the boxes of ISO base media files: AVIF, HEIC, JPEG XL and MP4 (ISO/IEC 14496-12, 23008-12, 18181-2)."""

from __future__ import annotations

from ..carrier import MAX_TEXT, Harvest
from ..source import Source
from .boxes import Box, boxes
from .exif import read_exif
from .items import read_items
from .mp4_tags import read_tags
from .text import decode_loose
from .xmp import read_xmp

JXL_SIGNATURE = b"\0\0\0\x0cJXL \r\n\x87\n"
_XMP_UUID = bytes.fromhex("be7acfcb97a942e89c71999491e3afac")
_C2PA_UUID = bytes.fromhex("d8fec3d61b0e483c92975828877ec481")
_BRANDS = {b"avif": "avif", b"avis": "avif", b"heic": "heic", b"heix": "heic", b"mif1": "heic", b"msf1": "heic"}


def is_isobmff(head: bytes) -> bool:
    """Tell a file that begins with a file type box, or JPEG XL's signature."""
    return head[4:8] == b"ftyp" or head.startswith(JXL_SIGNATURE)


def read_isobmff(source: Source) -> Harvest:
    """Return the texts of the boxes that image and video writers use."""
    harvest = Harvest(_container(source.head))
    for box in boxes(source, 0, source.size):
        if box.kind == b"meta":
            read_items(source, box, harvest)
        elif box.kind == b"moov":
            read_tags(source, box, harvest)
        elif box.kind in (b"Exif", b"xml ", b"brob", b"uuid", b"jumb"):
            _small(source, box, harvest)
    return harvest


def _container(head: bytes) -> str:
    if head.startswith(JXL_SIGNATURE):
        return "jxl"
    brand = _BRANDS.get(head[8:12])
    return brand or ("avif" if b"avif" in head[8:64] else "mp4")


def _small(source: Source, box: Box, harvest: Harvest) -> None:
    if box.size > MAX_TEXT:
        harvest.note("A box is too large to read.")
        return
    data = source.read(box.start, box.size)
    if box.kind == b"brob":
        _brotli(data, harvest)
    else:
        _content(box.kind, data, harvest)


def _content(kind: bytes, data: bytes, harvest: Harvest) -> None:
    if kind == b"Exif":
        read_exif(data[4 + int.from_bytes(data[:4], "big") :], harvest)
    elif kind == b"xml ":
        read_xmp(decode_loose(data), harvest)
    elif kind == b"comf":
        harvest.add("box:comf", "comf", decode_loose(data))
    elif kind == b"jumb" or data[:16] == _C2PA_UUID:
        harvest.provenance = True
    elif data[:16] == _XMP_UUID:
        read_xmp(decode_loose(data[16:]), harvest)


def _brotli(data: bytes, harvest: Harvest) -> None:
    """A compressed box: the inner type, then Brotli; without that library it stays unread, and that is said."""
    try:
        import brotli  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        harvest.note("A Brotli-compressed box was not read: the brotli package is not installed.")
        return
    try:
        unpacked = _unbrotli(brotli.Decompressor(), data[4:], harvest.unpacking_limit())
    except brotli.error:
        unpacked = None
    harvest.unpacked(len(data), None if unpacked is None else len(unpacked))
    if unpacked is None:
        harvest.note("A Brotli-compressed box could not be unpacked.")
    else:
        _content(data[:4], unpacked, harvest)


def _unbrotli(stream: object, data: bytes, limit: int) -> bytes | None:
    """Unpack piece by piece, so that a small box cannot grow without bound."""
    found = b""
    for at in range(0, len(data), 1024):
        found += stream.process(data[at : at + 1024])  # type: ignore[attr-defined]
        if len(found) > limit:
            return None
    return found
