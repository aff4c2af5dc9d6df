"""Name the images inside a zip, each as ``<path of the zip>!/<name inside>``.

A zip may come from anybody. Nothing is unpacked to a path that it names, and three bounds keep a bomb from doing harm:
on its table of contents, which is held in memory, on one image, and on all images together.
"""

from __future__ import annotations

import struct
import threading
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from io import BufferedReader, FileIO
from pathlib import Path, PurePosixPath

from ..core.errors import UnreadableImageError
from ..core.paths import path_of
from .listing import IMAGE_SUFFIXES

ENDING = ".zip"
INSIDE = "!/"
MAX_MEMBERS = 200_000
MAX_CONTENTS_BYTES = 32 * 1024 * 1024  # the table of contents
MAX_BYTES = 64 * 1024 * 1024  # of one image, unpacked
# Of all images, unpacked: pictures are compressed already, so an honest zip is about as large as they are.
FREE_BYTES = 1024 * 1024 * 1024
MAX_RATIO = 20
# Python's other decompressors take no bound: a few kilobytes could become gigabytes in memory.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_PIECE = 1024 * 1024
_START = b"PK"
_BROKEN = (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, struct.error)
# RuntimeError: the zip wants a password.
_UNREADABLE = (*_BROKEN, KeyError, RuntimeError, zlib.error, EOFError)


def is_inside(source: str) -> bool:
    """Whether a source names an image in a zip."""
    return f"{ENDING}{INSIDE}" in source.lower()


def members(path: Path) -> Iterator[tuple[str, str]]:
    """Yield source and name of every image in a zip; of a file that is no zip, the file itself, which then fails."""
    try:
        infos = _images(path)
    except _BROKEN:
        infos = []
    if not infos or _trouble_of(path, infos):
        yield str(path), path.name
    else:
        yield from ((f"{path}{INSIDE}{info.filename}", PurePosixPath(info.filename).name) for info in infos)


def trouble(path: Path) -> str | None:
    """Say in a sentence why nothing can be imported from a zip, or None where it is no zip or something can."""
    try:
        return _trouble_of(path, _images(path)) if _begins_like_one(path) else None
    except _BROKEN:
        return "This zip is damaged or too large to be opened; pack its images again, in smaller parts."


def _trouble_of(path: Path, infos: list[zipfile.ZipInfo]) -> str | None:
    if not infos:
        return "There are no images in this zip; name another, or the folder that the images are in."
    if sum(info.file_size for info in infos) > max(FREE_BYTES, MAX_RATIO * path.stat().st_size):
        return "This zip says that it unpacks to far more than images do; unpack it yourself and import the folder."
    return None


def _images(path: Path) -> list[zipfile.ZipInfo]:
    with _opened(path) as archive:
        return [info for info in archive.infolist()[:MAX_MEMBERS] if _is_image(info)]


def _is_image(info: zipfile.ZipInfo) -> bool:
    name = PurePosixPath(info.filename)
    hidden = any(part.startswith((".", "__MACOSX")) for part in name.parts)
    return name.suffix.lower() in IMAGE_SUFFIXES and not hidden and not info.is_dir()


def _begins_like_one(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_START)) == _START


class ZipReader:
    """Read images out of zips, from any thread; the last zip stays open, so that its contents are listed once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open = ExitStack()
        self._path: Path | None = None
        self._archive: zipfile.ZipFile | None = None

    def read(self, source: str) -> bytes:
        """Return an image's bytes; raise `UnreadableImageError` where that cannot be."""
        at = source.lower().index(f"{ENDING}{INSIDE}") + len(ENDING)
        try:
            with self._lock:
                return _unpacked(self._archive_at(path_of(source[:at])), source[at + len(INSIDE) :])
        except _UNREADABLE as error:
            raise UnreadableImageError(
                "The image cannot be read from its zip: it is damaged, or packed in a way that Pantry does not know. "
                "Unpack the zip yourself and import the folder."
            ) from error

    def close(self) -> None:
        """Close the zip that is open."""
        with self._lock:
            self._open.close()
            self._path = self._archive = None

    def _archive_at(self, path: Path) -> zipfile.ZipFile:
        if self._archive is None or self._path != path:
            self._open.close()
            self._path = self._archive = None
            self._archive, self._path = self._open.enter_context(_opened(path)), path
        return self._archive


def _unpacked(archive: zipfile.ZipFile, name: str) -> bytes:
    info = archive.getinfo(name)
    if info.compress_type not in _METHODS:
        raise NotImplementedError
    data = bytearray()
    with archive.open(info) as member:
        while piece := member.read(_PIECE):
            data += piece
            if len(data) > MAX_BYTES:
                raise UnreadableImageError(f"The image is larger than {MAX_BYTES // 2**20} MB; unpack it to import it.")
    return bytes(data)


class _Sparing(BufferedReader):
    """Refuse to read a table of contents that is larger than any honest one, since all of it is held in memory."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > MAX_CONTENTS_BYTES:
            raise zipfile.BadZipFile("the table of contents is too large")
        return super().read(size)


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    with _Sparing(FileIO(path)) as file, zipfile.ZipFile(file) as archive:
        yield archive
