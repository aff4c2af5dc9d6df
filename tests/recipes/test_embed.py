"""Pantry's block written into real images, and read back first."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from py.core.errors import InvalidRequestError
from py.recipes.draft import Draft, LoraUse
from py.recipes.embed import with_block
from py.recipes.reader import read_bytes

from . import encoders as write

DRAFT = Draft(prompt="corrected by hand", seed=5, loras=(LoraUse(name="A", strength_model=0.5, strength_clip=0.2),))
TEXT = "as generated\nSteps: 9, Sampler: Euler, CFG scale: 4, Seed: 77, Size: 64x48"


def picture(kind: str, mode: str = "RGB", **options: object) -> bytes:
    """Encode a small picture as Pillow does."""
    stream = io.BytesIO()
    Image.linear_gradient("L").resize((37, 23)).convert(mode).save(stream, kind, **options)
    return stream.getvalue()


PICTURES = {
    "PNG": picture("PNG"),
    "JPEG": picture("JPEG"),
    "JPEG with a comment": picture("JPEG", comment=b"Created with GIMP"),
    "WebP": picture("WEBP"),
    "lossless WebP": picture("WEBP", lossless=True),
    "WebP with alpha": picture("WEBP", "RGBA", lossless=True),
    "WebP with EXIF": picture("WEBP", exif=write.comment_tiff(TEXT)),
}


@pytest.mark.parametrize("data", PICTURES.values(), ids=PICTURES)
def test_a_block_is_read_back_and_the_pixels_stay(data):
    """Another program still opens the image, and sees the same picture."""
    written = with_block(data, DRAFT)
    reading = read_bytes(written)
    assert (reading.draft.prompt, reading.draft.seed, reading.draft.loras) == (DRAFT.prompt, 5, DRAFT.loras)
    before, after = Image.open(io.BytesIO(data)), Image.open(io.BytesIO(written))
    assert (before.size, before.convert("RGBA").tobytes()) == (after.size, after.convert("RGBA").tobytes())


@pytest.mark.parametrize("data", PICTURES.values(), ids=PICTURES)
def test_a_second_block_replaces_the_first(data):
    """However often an image is exported, it holds one block."""
    twice = with_block(with_block(data, Draft(prompt="old")), DRAFT)
    assert read_bytes(twice).draft.prompt == DRAFT.prompt
    assert len(twice) == len(with_block(data, DRAFT))


def test_other_texts_stay_beside_the_block():
    """What the block does not say still comes from them."""
    for data in (write.png(write.png_text("parameters", TEXT)), PICTURES["WebP with EXIF"]):
        draft = read_bytes(with_block(data, DRAFT)).draft
        assert (draft.prompt, draft.steps) == (DRAFT.prompt, 9)


def test_what_cannot_carry_a_block_is_refused_in_words():
    """Another kind of file, or a recipe too long for a JPEG."""
    with pytest.raises(InvalidRequestError, match="Only PNG"):
        with_block(b"GIF89a", DRAFT)
    with pytest.raises(InvalidRequestError, match="too long"):
        with_block(PICTURES["JPEG"], Draft(prompt="x" * 70_000))
