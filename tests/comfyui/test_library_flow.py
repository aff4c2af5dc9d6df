"""A person fills in the model library in the browser: real files, real hashes, a vendor on loopback."""

from __future__ import annotations

import pytest
from aiohttp import web

from tests.library.files import safetensors
from tests.standalone.pictures import make
from tests.standalone.vendor import VendorModel

from .browser import open_page
from .conftest import Scene
from .real_pantry import RealPantry
from .serving import Server

pytestmark = pytest.mark.browser


@pytest.fixture
def scene(browser, tmp_path):
    """The page of its own over a Pantry with two LoRA files, of which CivitAI knows one."""
    folder = tmp_path / "loras"
    folder.mkdir()
    known = safetensors(folder / "misty.safetensors", weights=b"misty")
    safetensors(folder / "nobody_knows.safetensors", weights=b"other")
    pictures = make(tmp_path / "pictures", 1)
    hashes = {"sha256": known["sha256"]}
    pictures.civitai.append(
        VendorModel(model_id=7, version_id=8, name="Misty Mornings", hashes=hashes, trained_words=("misty",), images=0)
    )
    real = RealPantry(tmp_path, pictures, None)

    async def build():
        app = web.Application()
        await real.mount(app)
        return app

    server = Server(build)
    context = browser.new_context(viewport={"width": 1100, "height": 800})
    page, complaints = open_page(context)
    page.goto(f"{server.url}/pantry#/models")
    yield Scene(server, real, page, complaints)
    context.close()
    server.close()
    assert complaints.heard == []


def test_files_are_found_and_their_metadata_filled_in(scene):
    """Scan, sync with the same bar as an import, then states, trigger words, and a link to the vendor's page."""
    page = scene.page
    page.get_by_role("button", name="Look for new files").click()
    page.locator(".pantry-model").nth(1).wait_for()
    page.get_by_role("button", name="Fill in metadata").click()
    page.locator(".pantry-job[data-mood=done]").wait_for()
    row = page.locator(".pantry-model", has_text="misty.safetensors")
    row.get_by_text("on CivitAI").wait_for()
    row.get_by_role("button", name="misty", exact=True).wait_for()
    assert row.get_by_role("link").get_attribute("href") == "https://civitai.com/models/7?modelVersionId=8"
    page.locator(".pantry-model", has_text="nobody_knows").get_by_text("not at its vendor").wait_for()


def test_a_model_can_be_relinked(scene):
    """Where a hash says nothing, the address of the model's page does."""
    page = scene.page
    page.get_by_role("button", name="Look for new files").click()
    row = page.locator(".pantry-model", has_text="nobody_knows")
    row.get_by_role("button", name="Relink").click()
    row.get_by_label("Address of its page on CivitAI").fill("https://civitai.com/models/7?modelVersionId=8")
    row.get_by_role("button", name="Link", exact=True).click()
    row.get_by_text("Misty Mornings").wait_for()
