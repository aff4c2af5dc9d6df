"""Take image files from a browser, and keep them in the data folder.

A browser's file name is a suggestion: what could be a path, a stream or a device goes, the rest is what people see
later. Each upload has a folder of its own with a random name, so that no file is overwritten. What does not begin like
a picture, a zip or a recipe of LoRA Manager is refused at its first bytes.
"""

from __future__ import annotations

import asyncio
import re
import secrets
import shutil
import unicodedata
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from aiohttp import BodyPartReader, MultipartReader, web
from aiohttp.http_exceptions import HttpProcessingError

from ..core.errors import InvalidRequestError, UnreadableImageError
from ..jobs.listing import RECIPE_ENDING
from ..jobs.zips import ENDING as ZIP_ENDING
from .call import Call
from .folders import is_device
from .parts import Parts
from .pictures import HEAD_BYTES, picture_type

MOST_FILES = 200
MOST_FILE_BYTES = 256 * 1024 * 1024
MOST_TOTAL_BYTES = 2 * 1024 * 1024 * 1024

_CHUNK = 256 * 1024
_ZIP = b"PK\x03\x04"
# What a file system refuses somewhere, and marks that turn the direction of what is shown.
_UNSAFE = re.compile(r'[\x00-\x1f\x7f-\x9f<>:"/\\|?*\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]+')
_MOST_NAME_BYTES = 120  # some file systems take 143, and Windows counts the folders too
_LONGEST_ENDING = 16


async def upload(parts: Parts, call: Call) -> dict[str, Any]:
    """Keep images, zips of images and recipes of LoRA Manager; pass the returned paths to POST /batch-imports as files.

    Every part of the body is one file.
    """
    return {"files": [str(path) for path in await take_files(parts, call.request, MOST_FILES, _named_by_kind)]}


async def take_image(parts: Parts, request: web.Request) -> Path:
    """Write the only file of a multipart request, which must be an image, to a new folder in uploads."""
    return (await take_files(parts, request, 1, _named_as_image))[0]


async def take_files(parts: Parts, request: web.Request, most: int, named: Callable[[str, bytes], str]) -> list[Path]:
    """Write every file of a multipart request to a new folder in uploads; on any error none is kept.

    `named` returns what a file is called that has this name and begins so, or raises `UnreadableImageError`.
    """
    if request.content_type != "multipart/form-data":
        raise InvalidRequestError("Send the files as multipart/form-data.")
    folder = parts.host.data_dir / "uploads" / secrets.token_hex(6)
    await asyncio.to_thread(folder.mkdir, parents=True)
    try:
        with _blaming_the_sender():
            return await _take_each(await request.multipart(), folder, most, named)
    except BaseException:  # also when the browser went away in the middle
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        raise


async def _take_each(
    reader: MultipartReader, folder: Path, most: int, named: Callable[[str, bytes], str]
) -> list[Path]:
    kept: list[Path] = []
    names: set[str] = set()
    budget = MOST_TOTAL_BYTES
    while (part := await reader.next()) is not None:
        if not isinstance(part, BodyPartReader) or not part.filename:
            continue
        if len(kept) >= most:
            raise InvalidRequestError(f"At most {most} files at a time.")
        head = await _head(part)
        name = named(safe_name(part.filename), head)
        kept.append(await asyncio.to_thread(_place, folder, name, names))
        budget -= await _save(part, kept[-1], head, min(budget, MOST_FILE_BYTES))
    if not kept:
        raise InvalidRequestError("There is no file in this upload.")
    return kept


def _place(folder: Path, name: str, names: set[str]) -> Path:
    """Return where a file goes; one whose name an earlier file of the upload has gets a folder of its own."""
    known = unicodedata.normalize("NFC", name).casefold()
    if known in names:
        folder = folder / secrets.token_hex(6)
        folder.mkdir()
    names.add(known)
    return folder / name


async def take_one(request: web.Request, path: Path, most: int) -> None:
    """Write the first file of a multipart request to `path`, whatever it holds; at most `most` bytes."""
    if request.content_type != "multipart/form-data":
        raise InvalidRequestError("Send the file as multipart/form-data.")
    with _blaming_the_sender():
        part = await (await request.multipart()).next()
        if not isinstance(part, BodyPartReader) or not part.filename:
            raise InvalidRequestError("There is no file in this upload.")
        await _save(part, path, b"", most)


@contextmanager
def _blaming_the_sender() -> Iterator[None]:
    """Turn what aiohttp raises over a multipart body without, or with wrong, boundaries into the caller's error."""
    try:
        yield
    except (ValueError, AssertionError, RuntimeError, HttpProcessingError) as error:
        raise InvalidRequestError("This upload is not whole: it cannot be taken apart.") from error


def safe_name(name: str) -> str:
    """Return what may be kept of a file name: one that every system takes, of at most 120 bytes."""
    last = re.split(r"[\\/]", name)[-1]
    kept = _shortened(_UNSAFE.sub("_", last).strip(" .")) or "image"
    return f"_{kept}" if is_device(kept) else kept


def _shortened(name: str) -> str:
    """Return the name with the end of its stem cut off where it is too long; its ending stays."""
    recipe = RECIPE_ENDING if name.lower().endswith(RECIPE_ENDING) else ""
    ending = name[-len(recipe) :] if recipe else Path(name).suffix[-_LONGEST_ENDING:]
    stem = name.removesuffix(ending).encode()[: _MOST_NAME_BYTES - len(ending.encode())]
    return stem.decode(errors="ignore").rstrip(" .") + ending


def _named_as_image(name: str, head: bytes) -> str:
    if picture_type(head) is None:
        raise UnreadableImageError(f"{name} is not an image.")
    return name


def _named_by_kind(name: str, head: bytes) -> str:
    """Return the name with the ending that an import knows the file by."""
    if head.startswith(_ZIP):
        return name if name.lower().endswith(ZIP_ENDING) else name + ZIP_ENDING
    if name.lower().endswith(RECIPE_ENDING) and head.removeprefix(BOM_UTF8).lstrip().startswith(b"{"):
        return name[: -len(RECIPE_ENDING)] + RECIPE_ENDING
    if picture_type(head) is None:
        raise UnreadableImageError(f"{name} is neither an image, a zip of images nor a recipe of LoRA Manager.")
    return name


async def _save(part: BodyPartReader, path: Path, head: bytes, most: int) -> int:
    size = len(head)
    file = await asyncio.to_thread(path.open, "xb")
    try:
        await asyncio.to_thread(file.write, head)
        while chunk := await part.read_chunk(_CHUNK):
            size += len(chunk)
            _check_size(size, most)
            await asyncio.to_thread(file.write, chunk)
    finally:
        await asyncio.to_thread(file.close)
    return size


async def _head(part: BodyPartReader) -> bytes:
    head = b""
    while len(head) < HEAD_BYTES and (chunk := await part.read_chunk(_CHUNK)):
        head += chunk
    return head


def _check_size(size: int, most: int) -> None:
    if size > most:
        raise InvalidRequestError(f"This upload is larger than {most // 2**20} MB.")
