"""Every view of every face, in the dark and in the light: axe-core looks at it, and a picture is kept of it.

The pictures are in artifacts/views, which git ignores: FACE/SCHEME-VIEW.png. They are for people to look through.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.library.files import safetensors
from tests.standalone.vendor import FixedWindow, Refusal

from .front_ends import NEWEST
from .test_interrupted_import import COUNT, SHORT, held, press, start

pytestmark = [pytest.mark.browser, pytest.mark.quick_faces(NEWEST)]
KEPT = Path(__file__).resolve().parents[2] / "artifacts" / "views"
OTHERS = {"Models": ".pantry-model", "Network": ".pantry-host", "Settings": ".pantry-setting"}
# Of ComfyUI's page, only our part is ours.
OURS = {"include": [[".pantry-root"]]}


@pytest.fixture
def scheme(sitting, request):
    """The reader's choice: the system's in the page of its own, the palette inside ComfyUI."""
    safetensors(sitting.folder / "loras" / "styles" / "in_sight.safetensors", weights=b"in sight")
    sitting.call(sitting.real.pantry.library.scan())
    paint(sitting, request.param)
    yield request.param
    paint(sitting, "dark")


def paint(sitting, scheme):
    sitting.page.emulate_media(color_scheme=scheme)
    if sitting.face:
        script = "(name) => window.app.extensionManager.setting.set('Comfy.ColorPalette', name)"
        sitting.page.evaluate(script, scheme)


def test_no_view_shuts_anybody_out(sitting, scheme):
    """Import with a job that waits, results, recipes with filters open, a recipe, models, network, settings."""
    look = Look(sitting, scheme)
    the_import_that_waits(sitting, look)
    the_recipes(sitting, look)
    for name, sign in OTHERS.items():
        sitting.tab.go(name).locator(sign).first.wait_for()
        look.at(name.lower())
    assert look.violations == []


def the_import_that_waits(sitting, look):
    with sitting.vendor(FixedWindow(0, SHORT), Refusal(seconds=SHORT)):
        start(sitting.tab, sitting.unheard_of(COUNT))
        card = held(sitting.tab)
        look.at("import")
        press(sitting.tab, card, "Cancel")
        sitting.page.get_by_text("Results, picture by picture").click()
        sitting.page.locator(".pantry-results .pantry-item").first.wait_for()
        look.at("results")


def the_recipes(sitting, look):
    tab, page = sitting.tab, sitting.page
    tab.go("Recipes")
    page.get_by_label("Search prompts, models, tags").fill("")
    page.get_by_text("Filter", exact=True).click()
    page.get_by_label("LoRA", exact=True).locator("option").nth(1).wait_for(state="attached")
    page.wait_for_function("() => document.querySelectorAll('.pantry-thumb[src]').length > 3")
    look.at("recipes")
    page.get_by_text("Filter", exact=True).click()
    tab.find("text_00000").click()
    page.locator(".pantry-prompt").first.wait_for()
    look.at("recipe")


class Look:
    """Let axe-core judge what is on screen, and keep a picture."""

    def __init__(self, sitting, scheme):
        self.page, self.face, self.scheme = sitting.page, sitting.face or "standalone", scheme
        self.violations = []

    def at(self, name):
        found = Axe().run(self.page, context=OURS).response["violations"]
        serious = (one for one in found if one["impact"] in {"serious", "critical"})
        self.violations += [(name, one["id"], one["nodes"][0]["html"]) for one in serious]
        folder = KEPT / self.face
        folder.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=folder / f"{self.scheme}-{name}.png", animations="disabled")
