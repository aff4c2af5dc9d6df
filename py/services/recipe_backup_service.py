"""Give recipes away as a file and take them back: a backup, or a move to another machine."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import zipfile
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path, PurePosixPath

from ..core.errors import InvalidRequestError
from ..core.paths import path_of
from ..recipes.store_transfer import Brought, bring_in, check_header, header, lines_after
from ..storage.database import Database

PAGE = 200  # recipes in one step
RECIPES_NAME = "recipes.jsonl"
IMAGES_FOLDER = "images"
MAX_TEXT_BYTES = 2 * 1024**3
MAX_IMAGE_BYTES = 256 * 1024**2
MAX_MEMBERS = 1_000_000
_PLACES = "SELECT number, id, COALESCE(image, source) AS place FROM recipes WHERE number > ? ORDER BY number LIMIT ?"


class RecipeBackupService:
    """Export recipes as JSON Lines, alone or in a zip with their images; bringing one back twice changes nothing.

    `images_folder` is where the images of a zip are put; `restored` hears whenever recipes have come back.
    """

    def __init__(self, database: Database, images_folder: Path, restored: Callable[[], None] = lambda: None) -> None:
        self._restored = restored
        self._database = database
        self._images_folder = images_folder

    async def export(self) -> AsyncIterator[str]:
        """Yield the lines of a file, each with its line end; images are named by their place only."""
        async for lines in self._pages():
            for line in lines:
                yield line

    async def restore(self, lines: Iterable[str], permit: Callable[[str], bool] = lambda _: True) -> dict[str, int]:
        """Take in the lines of a file; return ``{"added", "known", "broken"}``.

        `permit` says whether the place of an image may be kept. Raises `InvalidRequestError` for a foreign file.
        """
        source = iter(lines)
        check_header(next(source, ""))
        total = Brought()
        while page := await asyncio.to_thread(lambda: [line for line in islice(source, PAGE) if line.strip()]):
            async with self._database.transaction() as tx:
                brought = await tx.run(partial(bring_in, lines=page, permit=permit))
            total.added += brought.added
            total.known += brought.known
            total.broken += brought.broken
        self._restored()
        return {"added": total.added, "known": total.known, "broken": total.broken}

    async def export_zip(self, target: Path) -> None:
        """Write a zip of all recipes and those of their images that are on this machine."""
        part = target.with_name(target.name + ".part")
        with tempfile.TemporaryDirectory() as folder:
            text = Path(folder) / RECIPES_NAME
            with await asyncio.to_thread(text.open, "w", encoding="utf-8", newline="\n") as file:
                async for lines in self._pages():
                    await asyncio.to_thread(file.writelines, lines)
            try:
                await self._write_zip(part, text)
                await asyncio.to_thread(part.replace, target)
            finally:
                await asyncio.to_thread(part.unlink, missing_ok=True)

    async def _write_zip(self, target: Path, text: Path) -> None:
        archive = await asyncio.to_thread(zipfile.ZipFile, target, "w", zipfile.ZIP_STORED)
        try:
            await asyncio.to_thread(archive.write, text, RECIPES_NAME, zipfile.ZIP_DEFLATED)
            number = 0
            while rows := await self._database.fetch_all(_PLACES, (number, PAGE)):
                number = rows[-1]["number"]
                await asyncio.to_thread(_add_images, archive, [(row["id"], row["place"]) for row in rows])
        finally:
            await asyncio.to_thread(archive.close)

    async def _pages(self) -> AsyncIterator[list[str]]:
        """Yield the lines of a file, each with its line end, some hundred at a time."""
        yield [header() + "\n"]
        lines, number = await self._database.read(partial(lines_after, number=0, limit=PAGE))
        while lines:
            yield [line + "\n" for line in lines]
            lines, number = await self._database.read(partial(lines_after, number=number, limit=PAGE))

    async def restore_zip(self, source: Path) -> dict[str, int]:
        """Take in such a zip; its images are put into our own folder, and recipes point to them."""
        try:
            with await asyncio.to_thread(zipfile.ZipFile, source) as archive:
                placed = await asyncio.to_thread(_place_images, archive, self._images_folder)
                counts = await self.restore(_text_lines(archive), permit=lambda _: False)
        except (zipfile.BadZipFile, KeyError, OSError) as error:
            raise InvalidRequestError("This is not a backup of recipes.") from error
        places = iter(placed.items())
        while page := list(islice(places, PAGE)):
            async with self._database.transaction() as tx:
                await tx.execute_many("UPDATE recipes SET image = ?2 WHERE id = ?1 AND image IS NULL", page)
        return counts


def _add_images(archive: zipfile.ZipFile, places: Iterable[tuple[str, str | None]]) -> None:
    for recipe_id, place in places:
        path = path_of(place) if place and "://" not in place else None
        if path is not None and path.is_file():
            archive.write(path, f"{IMAGES_FOLDER}/{recipe_id}{path.suffix.lower()}")


def _place_images(archive: zipfile.ZipFile, folder: Path) -> dict[str, str]:
    """Copy a zip's images out under names of our own making; return their places by recipe."""
    members = archive.infolist()
    if len(members) > MAX_MEMBERS:
        raise InvalidRequestError("This zip holds too many files.")
    placed = {}
    for member in members:
        name = PurePosixPath(member.filename)
        fits = name.parent == PurePosixPath(IMAGES_FOLDER) and member.file_size <= MAX_IMAGE_BYTES
        if fits and name.stem.isalnum() and name.suffix[1:].isalnum():
            placed[name.stem] = str(_place(archive, member, folder / f"{name.stem}{name.suffix}"))
    return placed


def _place(archive: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path) -> Path:
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name(target.name + ".part")
        with archive.open(member) as source, part.open("wb") as file:
            shutil.copyfileobj(source, file)
        part.replace(target)
    return target


def _text_lines(archive: zipfile.ZipFile) -> Iterator[str]:
    if archive.getinfo(RECIPES_NAME).file_size > MAX_TEXT_BYTES:
        raise InvalidRequestError("This zip holds more than can be meant.")
    with archive.open(RECIPES_NAME) as file:
        for line in file:
            yield line.decode("utf-8", "replace")
