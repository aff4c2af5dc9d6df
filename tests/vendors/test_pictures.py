"""Which picture shows a model."""

from __future__ import annotations

from py.vendors.model_info import ImageInfo
from py.vendors.pictures import small_address, tamest


def test_the_tamest_picture_is_shown():
    """The lowest level wins, the first of equals; videos and unrated pictures come last or never."""
    levels = [(None, "image"), (4, "image"), (1, "video"), (2, "image"), (2, "image")]
    images = [ImageInfo(url=str(index), kind=kind, nsfw_level=level) for index, (level, kind) in enumerate(levels)]
    assert tamest(images).url == "3"
    assert tamest(images[:1]).url == "0"
    assert tamest(images[2:3]) is None
    assert tamest(()) is None


def test_a_small_rendition_is_asked_for_where_there_is_one():
    """CivitAI's addresses name the size; others are taken as they are."""
    assert small_address("https://i/x/uuid/original=true/1.jpeg") == "https://i/x/uuid/width=450,optimized=true/1.jpeg"
    assert small_address("https://i/x/uuid/width=1024/1.jpeg") == "https://i/x/uuid/width=450,optimized=true/1.jpeg"
    assert small_address("https://i/1.png") == "https://i/1.png"
