"""Make thumbnails that are small, upright, and never a bomb."""

from __future__ import annotations

import asyncio
import struct
import warnings
import zlib

import pytest
from PIL import Image

from py.core.errors import InvalidRequestError, UnreadableImageError
from py.recipes.thumbnails import LONG_EDGE, Thumbnails


@pytest.fixture
def thumbnails(tmp_path):
    return Thumbnails(tmp_path / "thumbnails")


@pytest.mark.parametrize(
    ("name", "mode"), [("a.png", "RGBA"), ("a.jpg", "RGB"), ("a.webp", "RGB"), ("a.png", "P"), ("a.png", "I;16")]
)
async def test_any_picture_becomes_a_small_webp(tmp_path, thumbnails, name, mode):
    """The long edge is LONG_EDGE and the shape stays, whatever the file's kind and mode."""
    Image.new(mode, (1600, 800)).save(tmp_path / name)
    made = await thumbnails.make("r1", tmp_path / name)
    with Image.open(made) as shown:
        assert (shown.format, shown.size) == ("WEBP", (LONG_EDGE, LONG_EDGE // 2))


async def test_a_picture_taken_sideways_stands_upright(tmp_path, thumbnails):
    """The EXIF orientation is applied, because a WebP of ours carries none."""
    picture, exif = Image.new("RGB", (800, 400)), Image.Exif()
    exif[0x0112] = 6
    picture.save(tmp_path / "a.jpg", exif=exif)
    with Image.open(await thumbnails.make("r1", tmp_path / "a.jpg")) as shown:
        assert shown.size == (LONG_EDGE // 2, LONG_EDGE)
        assert not shown.getexif()


async def test_what_the_picture_says_stays_out_of_its_thumbnail(tmp_path, thumbnails):
    """A thumbnail may be shown to whoever may not read the prompt."""
    exif = Image.Exif()
    exif[0x010E] = "a secret prompt"
    Image.new("RGB", (500, 500)).save(tmp_path / "a.jpg", exif=exif)
    made = await thumbnails.make("r1", tmp_path / "a.jpg")
    assert b"secret" not in made.read_bytes()


def png_header(width: int, height: int) -> bytes:
    body = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + body + struct.pack(">I", zlib.crc32(body))


async def test_a_large_picture_raises_no_alarm(tmp_path, thumbnails, monkeypatch):
    """Pillow's warning about sizes, which other programs' logs are full of, is not heard; our own bound holds instead."""
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 1_000)
    Image.new("RGB", (40, 40)).save(tmp_path / "a.png")
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        await thumbnails.make("r1", tmp_path / "a.png")
    assert heard == []


async def test_a_bomb_is_refused_by_its_header(tmp_path, thumbnails):
    """158 megapixels and more are refused before a pixel is decoded."""
    (tmp_path / "bomb.png").write_bytes(png_header(60_000, 60_000))
    with pytest.raises(UnreadableImageError):
        await thumbnails.make("r1", tmp_path / "bomb.png")


@pytest.mark.parametrize("data", [b"", b"<html>", b"\x89PNG\r\n\x1a\n", png_header(8, 8)])
async def test_what_is_no_picture_is_said_so(tmp_path, thumbnails, data):
    """A broken file is one typed error, and leaves nothing half made."""
    (tmp_path / "a.png").write_bytes(data)
    with pytest.raises(UnreadableImageError):
        await thumbnails.make("r1", tmp_path / "a.png")
    assert await thumbnails.existing("r1") is None
    assert not list((tmp_path / "thumbnails").rglob("*.part"))


async def test_two_at_once_make_one(tmp_path, thumbnails):
    """Two browsers asking for the same picture both get it whole."""
    Image.new("RGB", (500, 500)).save(tmp_path / "a.png")
    made = await asyncio.gather(*(thumbnails.make("r1", tmp_path / "a.png") for _ in range(4)))
    assert len(set(made)) == 1
    with Image.open(made[0]) as shown:
        shown.load()


async def test_a_forgotten_thumbnail_is_gone(tmp_path, thumbnails):
    """Removing twice is as good as once."""
    Image.new("RGB", (9, 9)).save(tmp_path / "a.png")
    await thumbnails.make("r1", tmp_path / "a.png")
    await thumbnails.remove("r1")
    await thumbnails.remove("r1")
    assert await thumbnails.existing("r1") is None


@pytest.mark.parametrize("identity", ["../x", "a/b", "", "a.webp", "x" * 65, "a\0"])
def test_an_id_is_never_a_path(thumbnails, identity):
    """Ids come from addresses; one with anything but letters and digits is refused."""
    with pytest.raises(InvalidRequestError):
        thumbnails.path(identity)
