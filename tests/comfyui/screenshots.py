"""Take the pictures of the documents anew: `python -m tests.comfyui.screenshots` writes docs/images.

The pages are real, the back end is scripted, so that every run shows the same pantry; the pictures in it are our own.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

from tests import conftest  # isort: skip  # noqa: F401 - mounts the package before its first import

from aiohttp import web
from PIL import Image
from playwright.sync_api import sync_playwright

from .browser import HOW_TO_GET, find_browser, launch, open_page
from .fake_api import FakeApi
from .fake_data import recipe, waiting_job
from .page_host import add_page
from .serving import Server

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"
SIZE = {"width": 1280, "height": 760}
TITLES = (
    "First light",
    "Harbour of clouds",
    "Copper evening",
    "The long valley",
    "Paper mountains",
    "Low sun, high wind",
)
CHECKPOINTS = ("Quiet Hills XL", "Paper Lantern", "Northern Glass")


def shown(number: int) -> dict[str, Any]:
    """Return a recipe with a name of its own."""
    checkpoint = {"name": CHECKPOINTS[number % len(CHECKPOINTS)], "state": "found"}
    return recipe(
        number,
        title=TITLES[number % len(TITLES)],
        checkpoint=checkpoint,
        missing=int(number % 11 == 5),
        nsfw_level=None,
    )


def take(path: Path) -> None:
    """Show the grid below an import that waits, and write it as a small PNG."""
    api = FakeApi(recipes=1284, make=shown)
    api.jobs = [waiting_job(source="/pictures/2026")]

    async def build() -> web.Application:
        app = web.Application()
        api.mount(app)
        add_page(app, api.socket)
        return app

    server = Server(build)
    with sync_playwright() as playwright:
        browser = launch(playwright, find_browser() or "")
        page, _complaints = open_page(browser.new_context(viewport=SIZE, color_scheme="dark"))
        page.goto(server.url)
        page.locator(".pantry-strip").wait_for()
        page.wait_for_function(
            "() => [...document.images].length > 10 && [...document.images].every((one) => one.complete)"
        )
        save(page.screenshot(animations="disabled"), path)
        browser.close()
    server.close()


def save(data: bytes, path: Path) -> None:
    """Write a screenshot with a palette: a third of the size, and nobody sees it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.open(io.BytesIO(data)).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)


def main() -> None:
    """Write docs/images/pantry.png."""
    if find_browser() is None:
        sys.exit(HOW_TO_GET)
    take(IMAGES / "pantry.png")


if __name__ == "__main__":
    main()
