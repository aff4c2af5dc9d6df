"""Draw small pictures of our own for screens that need some: hills under a sky, no two alike."""

from __future__ import annotations

import functools
import io
import math

from PIL import Image, ImageDraw

SKIES = [((28, 52, 84), (216, 176, 140)), ((70, 110, 140), (235, 220, 190)), ((40, 40, 70), (180, 110, 120))]


@functools.lru_cache(maxsize=256)
def tile(number: int, width: int = 320, height: int = 320) -> bytes:
    """Return picture `number` as PNG bytes."""
    image = Image.new("RGB", (width, height))
    pen = ImageDraw.Draw(image)
    top, bottom = SKIES[number % len(SKIES)]
    for y in range(height):
        pen.line([(0, y), (width, y)], fill=_mix(top, bottom, y / height))
    x = width * (0.2 + 0.6 * ((number * 37) % 100) / 100)
    pen.ellipse([x - 26, height * 0.3, x + 26, height * 0.3 + 52], fill=(250, 236, 205))
    for layer in range(4):
        _hill(pen, number, layer, width, height)
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def _hill(pen: ImageDraw.ImageDraw, number: int, layer: int, width: int, height: int) -> None:
    base = height * (0.5 + 0.12 * layer)
    shade = tuple(int(part * (1 - 0.2 * layer)) for part in ((92, 122, 118), (86, 96, 120), (120, 100, 96))[number % 3])
    wave = [(x, base + 22 * math.sin(x / (38 + 9 * layer) + number * 1.7 + layer)) for x in range(0, width + 8, 8)]
    pen.polygon([(0, height), *wave, (width, height)], fill=shade)


def _mix(one: tuple[int, ...], other: tuple[int, ...], share: float) -> tuple[int, ...]:
    return tuple(int(a + (b - a) * share) for a, b in zip(one, other, strict=True))
