"""A person imports a folder in the browser: real front ends, real Pantry, vendors on loopback that refuse."""

from __future__ import annotations

import pytest
from aiohttp import web

from tests.standalone.pictures import make
from tests.standalone.vendor import FixedWindow, Open, Refusal

from .browser import open_page
from .conftest import Scene
from .host import READY
from .real_pantry import RealPantry
from .serving import Server

pytestmark = pytest.mark.browser
COUNT, NEW, WINDOW = 24, 2, 50
HELD = r"""() => [...document.querySelectorAll(".pantry-limit")]
  .some((note) => /asked us to wait; \d+ images? continues? at \d\d:\d\d \(in 0:[0-5]\d\)/.test(note.textContent))"""


@pytest.fixture
def scene(face, browser, tmp_path):
    """The page of its own, or ComfyUI with the tab open, over a Pantry that has no recipe yet."""
    pictures = make(tmp_path / "pictures", COUNT, loras=12, archive_only=2, unknown=1)
    real = RealPantry(tmp_path, pictures, face)

    async def build():
        app = web.Application()
        await real.mount(app)
        return app

    server = Server(build)
    context = browser.new_context(viewport={"width": 1280, "height": 860})
    page, complaints = open_page(context)
    scene = Scene(server, real, page, complaints, real.host)
    show(scene)
    yield scene
    context.close()
    server.close()
    assert complaints.heard == []
    assert real.civitai.journal.inside_windows == 0


def show(scene):
    """Open Pantry, where it lives in this host."""
    scene.page.goto(scene.server.url if scene.host else f"{scene.server.url}/pantry")
    enter(scene)


def enter(scene):
    """Open the tab inside ComfyUI, and wait for what is in it."""
    if scene.host:
        scene.page.wait_for_function(READY)
        scene.run("Workspace.ToggleSidebarTab.pantry")
    scene.page.locator(".pantry-root").wait_for()


def test_a_person_imports_a_folder_and_uses_what_comes_of_it(scene):
    """From an empty pantry to recipes, through a vendor's refusal, a reload and a second run, in one sitting."""
    a_folder_becomes_recipes_while_a_vendor_makes_us_wait(scene)
    the_recipes_say_what_the_images_say(scene)
    a_reload_finds_everything_again(scene)
    a_second_run_asks_nothing(scene)
    files_from_the_readers_machine_are_taken(scene)
    a_deleted_recipe_comes_back(scene)
    the_network_view_shows_what_the_gate_did(scene)
    a_setting_acts_on_both_sides(scene)


def a_folder_becomes_recipes_while_a_vendor_makes_us_wait(scene):
    """Typed folder, numbers before the start, the bar, the hint that comes and goes, the end, and the truth."""
    page, real = scene.page, scene.api
    real.civitai.policy, real.civitai.refusal = FixedWindow(1, WINDOW), Refusal(seconds=WINDOW)
    page.get_by_role("button", name="Import", exact=True).click()
    page.get_by_label("Folder", exact=True).fill(str(real.pictures.folder))
    page.get_by_role("button", name="Start import").click()
    page.wait_for_function(HELD)
    page.locator(".pantry-job[data-mood=waiting]").wait_for()
    scene.server.call(be_let_in(real))
    page.get_by_text("Done", exact=True).wait_for()
    page.get_by_text(f"{COUNT} of {COUNT}").wait_for()
    assert page.locator(".pantry-limit").count() == 0


async def be_let_in(real):
    real.civitai.policy = Open()
    real.clock.forward(WINDOW)


def the_recipes_say_what_the_images_say(scene):
    """The grid has one card per image; a recipe's page shows prompt, seed, models and their states."""
    page = scene.page
    page.get_by_role("button", name="Recipes", exact=True).click()
    page.locator(".pantry-thumb[src]").first.wait_for()
    page.get_by_text(f"{COUNT} recipes", exact=True).first.wait_for()
    name = next(one for one in scene.api.pictures.truth if one.startswith("text_"))
    truth = scene.api.pictures.truth[name]
    page.get_by_label("Search prompts, models, tags").fill(name.split(".")[0])
    page.get_by_text("1 recipe", exact=True).first.wait_for()
    page.locator(".pantry-recipe").click()
    page.get_by_text(truth["prompt"]).wait_for()
    page.get_by_text(str(truth["seed"]), exact=True).wait_for()
    page.get_by_text(truth["checkpoint"]["vendor_name"], exact=True).wait_for()
    page.get_by_role("button", name="← Recipes").click()
    page.get_by_label("Search prompts, models, tags").fill("")


def a_reload_finds_everything_again(scene):
    """After a reload the finished job, its results and the recipes are there."""
    scene.page.reload()
    enter(scene)
    scene.page.get_by_role("button", name="Import", exact=True).click()
    scene.page.get_by_text(f"{COUNT} of {COUNT}").wait_for()
    scene.page.get_by_text("Results, picture by picture").click()
    scene.page.get_by_role("button", name=f"Recipes {COUNT}").click()
    scene.page.get_by_role("button", name="text_00000").first.wait_for()


def a_second_run_asks_nothing(scene):
    """The same folder again: every image is known, no vendor is asked, and the results say so."""
    page, asked = scene.page, len(scene.api.civitai.journal.entries)
    page.get_by_label("Folder", exact=True).fill(str(scene.api.pictures.folder))
    page.get_by_role("button", name="Start import").click()
    page.get_by_text(f"{COUNT} left out").wait_for()
    assert len(scene.api.civitai.journal.entries) == asked


def files_from_the_readers_machine_are_taken(scene):
    """Files that are chosen (or dropped) are sent to the server and become recipes too."""
    make(scene.api.folder / "more", 2, graphs=False, seed=7)
    files = sorted((scene.api.folder / "more").iterdir())
    scene.page.locator(".pantry-root input[type=file]").set_input_files(files)
    scene.page.get_by_text("2 of 2", exact=True).wait_for()


def a_deleted_recipe_comes_back(scene):
    """Deleting a recipe leaves its image alone, and undo brings the recipe back."""
    page = scene.page
    page.get_by_role("button", name="Recipes", exact=True).click()
    page.locator(".pantry-recipe").first.click()
    page.get_by_role("button", name="Delete").click()
    page.get_by_text("1 recipe deleted").wait_for()
    page.get_by_text(f"{COUNT - 1 + NEW} recipes", exact=True).first.wait_for()
    page.get_by_role("button", name="Undo").click()
    page.locator(".pantry-prompt").first.wait_for()


def the_network_view_shows_what_the_gate_did(scene):
    """Sent and refused requests are on screen, per vendor."""
    page = scene.page
    page.get_by_role("button", name="Network", exact=True).click()
    host = scene.api.civitai.base.split("/")[2]
    card = page.locator(".pantry-host", has_text=host).first
    card.wait_for()
    assert int(card.locator("dt:has-text('Refused') + dd").text_content()) >= 1


def a_setting_acts_on_both_sides(scene):
    """What is set in the page of settings is in settings.json, and a change of the file comes back."""
    page = scene.page
    page.get_by_role("button", name="Settings", exact=True).first.click()
    field = page.locator("#pantry-setting-rate_limit_max_wait_seconds")
    page.wait_for_function(
        "() => document.querySelector('#pantry-setting-rate_limit_max_wait_seconds')?.value === '300'"
    )
    field.fill("45")
    with page.expect_response(lambda answer: answer.request.method == "PATCH"):
        field.press("Tab")
    assert scene.api.pantry.settings.get("rate_limit_max_wait_seconds") == 45
