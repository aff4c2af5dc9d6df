"""The page of its own, over a scripted back end, under the real content policy."""

from __future__ import annotations

import re

import pytest
from axe_playwright_python.sync_playwright import Axe

from .browser import open_page
from .fake_data import job, recipe, waiting_job

pytestmark = pytest.mark.browser
# Each view with something that shows once it is there.
VIEWS = {
    "recipes": ".pantry-thumb[src]",
    "recipe/4": ".pantry-prompt",
    "import": ".pantry-limit",
    "models": ".pantry-model",
    "network": ".pantry-host",
    "settings": ".pantry-setting",
}
KEY = re.compile(r"\b(nav|job|item|mood|phase|field|state|model|role|import|results|setting)\.[a-z_]+\b")
# How the recipes were asked for, at the moment when the first of them is on screen.
ASKED = """new MutationObserver((_, observer) => {
  if (!document.querySelector(".pantry-recipe") || window.asked) return
  const entries = performance.getEntriesByType("resource").filter((one) => one.name.includes("/api/recipes?"))
  window.asked = entries.map((one) => one.initiatorType)
  observer.disconnect()
}).observe(document, { childList: true, subtree: true })"""
HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'


@pytest.fixture
def page(standalone):
    standalone.page.goto(standalone.server.url)
    standalone.page.locator(".pantry-root").wait_for()
    yield standalone.page
    assert standalone.complaints.heard == []


def go(page, path):
    page.evaluate("(path) => { location.hash = '#/' + path }", path)


def test_recipes_show_as_a_grid(standalone, page):
    """The grid shows what the server has, each with its picture."""
    page.locator(".pantry-thumb[src]").first.wait_for()
    page.get_by_text("Mountain lake 23").wait_for()
    assert page.locator(".pantry-recipe").count() == 24
    page.get_by_text("24 recipes").wait_for()


def test_the_first_recipes_are_asked_for_once_and_before_any_module(page):
    """The address that index.html names beforehand is the one that the grid asks for, so that its answer is used."""
    page.add_init_script(ASKED)
    page.reload()
    page.wait_for_function("() => window.asked")
    assert page.evaluate("() => window.asked") == ["link"]


def test_one_recipe_shows_all_that_it_says(standalone, page):
    """A click opens the recipe: prompts, numbers, models, whether here or where to be had; Escape goes back."""
    card = page.locator(".pantry-recipe").nth(5)
    card.get_by_title("2 models are not on this machine").wait_for()
    card.click()
    page.get_by_text("a calm mountain lake at dawn").wait_for()
    for said in ("1234572", "DPM++ 2M", "832 \u00d7 1216", "Juggernaut XL"):
        assert page.get_by_text(said).first.is_visible()
    states = [one.locator(".pantry-state").all_inner_texts() for one in page.locator(".pantry-model").all()]
    assert states == [["missing", "on CivitAI"], ["on this machine"], ["missing", "not at its vendor"]]
    page.keyboard.press("Escape")
    page.get_by_role("listbox").wait_for()


def test_what_a_person_adds_is_saved(standalone, page):
    """Title, tags, favourite and rating go to the server as each is left."""
    go(page, "recipe/1")
    title = page.get_by_label("Title")
    title.fill("Dawn")
    title.press("Tab")
    page.get_by_label("3 stars").click()
    page.get_by_label("Favourite").click()
    page.locator(".pantry-star[aria-pressed=true]").wait_for()
    assert standalone.api.patched == [{"title": "Dawn"}, {"rating": 3}, {"favourite": True}]


def test_mature_pictures_are_veiled_until_pointed_at(standalone, page):
    """From R up a card is blurred and says why; pointing at it or focusing it lifts the blur."""
    veiled = page.locator(".pantry-recipe", has=page.locator(".pantry-thumb.is-veiled")).first
    picture = veiled.locator(".pantry-thumb")
    assert veiled.get_by_title("Maturity").inner_text() == "R"
    assert "blur" in picture.evaluate("(one) => getComputedStyle(one).filter")
    veiled.hover()
    assert picture.evaluate("(one) => getComputedStyle(one).filter") == "none"
    page.mouse.move(0, 0)
    veiled.focus()
    assert picture.evaluate("(one) => getComputedStyle(one).filter") == "none"


def test_a_big_picture_is_veiled_until_a_button_is_pressed(standalone, page):
    """The picture of a recipe from R up is blurred; a button, by keyboard too, shows it and veils it again."""
    go(page, "recipe/2")
    picture = page.locator(".pantry-full")
    filters = "(one) => getComputedStyle(one).filter"
    page.get_by_role("button", name="Show the picture (R)").press("Enter")
    assert picture.evaluate(filters) == "none"
    page.get_by_role("button", name="Veil it again").press("Enter")
    assert "blur" in picture.evaluate(filters)
    with page.expect_response(lambda answer: answer.request.method == "PATCH"):
        page.get_by_label("Maturity", exact=True).select_option(label="PG")
    page.locator(".pantry-veil").wait_for(state="hidden")
    assert picture.evaluate(filters) == "none"


def test_maturity_is_set_and_filtered_by(standalone, page):
    """A select in the recipe saves the level, or that nobody knows; another narrows the list."""
    go(page, "recipe/1")
    standalone.api.patched.clear()
    level = page.get_by_label("Maturity", exact=True)
    for choice in ("X", "Maturity not known"):
        with page.expect_response(lambda answer: answer.request.method == "PATCH"):
            level.select_option(label=choice)
    assert standalone.api.patched == [{"nsfw_level": 8}, {"nsfw_level": None}]
    go(page, "recipes")
    page.get_by_text("Filter", exact=True).click()
    with page.expect_request(lambda asked: "nsfw=2" in asked.url):
        page.get_by_label("Maturity", exact=True).select_option(label="up to PG-13 (5)")
    page.get_by_label("Remove the filter Maturity: up to PG-13").click()


def test_the_page_survives_a_reload_in_the_middle(standalone, page):
    """A reload shows the same view and the same job, hint included."""
    standalone.api.jobs = [waiting_job()]
    go(page, "import")
    page.reload()
    page.locator(".pantry-limit").wait_for()
    page.locator(".pantry-job[data-mood=waiting]").wait_for()


def test_a_job_that_waits_can_be_tried_now(standalone, page):
    """Trying now lets one request through to each vendor that holds the job, which goes on by itself."""
    standalone.api.jobs = [waiting_job()]
    go(page, "import")
    page.reload()
    with page.expect_response("**/batch-imports/job-1"):
        page.get_by_role("button", name="Try now").click()
    assert standalone.api.told == [("civitai.red", "try")]
    page.get_by_text("mountain_0121.png").wait_for()  # what needs no vendor goes on


def test_results_are_run_again_by_reason(standalone, page):
    """A result says why it is none and what to do; those of one reason, or all, are run again with a button."""
    ended = {"status": "completed", "failed": 3, "failed_reasons": {"unreadable": 3}}
    standalone.api.jobs = [job(**ended, skipped=10, skipped_reasons={"duplicate": 8, "rate_limited": 2})]
    go(page, "import")
    page.reload()
    page.get_by_text("Results, picture by picture").click()
    page.get_by_text("This file ends in the middle; copy it anew.").wait_for()
    page.get_by_role("button", name="Try these 5 again").wait_for()
    page.get_by_role("button", name="known already 8").click()
    page.get_by_role("button", name="again").wait_for(state="hidden")
    page.get_by_role("button", name="not a readable picture 3").click()
    with page.expect_response("**/retry"):
        page.get_by_role("button", name="Try these 3 again").click()
    assert standalone.api.told == [("job-1", "retry unreadable")]


def test_two_jobs_show_at_once(standalone, page):
    """While one import waits for a vendor the next is under way; both are on screen, and a title opens its job."""
    first = waiting_job(status="waiting", operation_id="job-0", source="/pictures/first", started_at=1.0)
    standalone.api.jobs = [first, job(source="/pictures/second")]
    go(page, "import")
    page.reload()
    page.locator("h3.pantry-job-title", has_text="second").wait_for()
    page.get_by_role("button", name="first").first.click()
    page.locator("h3.pantry-job-title", has_text="first").wait_for()
    page.locator("button.pantry-job-title", has_text="second").wait_for()


def test_two_tabs_agree(standalone, page):
    """Every open page hears the same events."""
    other = page.context.new_page()
    standalone.api.jobs = [job()]
    for one in (page, other):
        one.goto(f"{standalone.server.url}/#/import")
        one.reload()
        one.get_by_text("120 of 200").wait_for()
    standalone.push("pantry.batch_import", job(completed=150))
    for one in (page, other):
        one.get_by_text("150 of 200").wait_for()


def test_hostile_metadata_is_text(standalone, page):
    """Script tags, a megabyte of prompt, right-to-left text and emoji are shown as text and run nothing."""
    standalone.api.make = lambda number: recipe(
        number,
        title=HOSTILE,
        prompt=HOSTILE + "x" * 1_000_000 + "\u202e\u0639\u0631\u0628\u064a \U0001f98a",
        tags=[HOSTILE],
        checkpoint={"name": HOSTILE, "state": "found", "model_id": "javascript:alert(1)"},
    )
    go(page, "recipe/2")
    page.get_by_text("<script>").first.wait_for()
    assert page.evaluate("() => window.hacked") is None
    assert page.locator(".pantry-detail script, .pantry-detail a[href^=javascript]").count() == 0


def test_the_grid_is_walked_by_keyboard(standalone, page):
    """Arrows move, Space selects, Enter opens."""
    page.locator(".pantry-recipe").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press(" ")
    page.locator(".pantry-recipe[aria-selected=true][data-index='1']").wait_for()
    page.get_by_text("1 chosen").wait_for()
    page.keyboard.press("Enter")
    page.get_by_text("1234568").wait_for()


def test_an_empty_pantry_teaches(standalone, page):
    """With no recipe yet, the page says what Pantry does and where to begin."""
    standalone.api.count = 0
    page.reload()
    page.get_by_text("No recipes yet").wait_for()
    page.get_by_role("button", name="Import pictures").click()
    page.get_by_text("Bring in pictures").wait_for()


def test_only_the_cards_on_screen_exist(standalone, page):
    """A hundred thousand recipes make a long list and few elements."""
    standalone.api.count = 100_000
    page.reload()
    page.get_by_text("100,000 recipes").wait_for()
    page.locator(".pantry-grid").evaluate("(grid) => { grid.scrollTop = grid.scrollHeight }")
    page.get_by_text("Mountain lake 99999").wait_for()
    assert page.locator(".pantry-recipe").count() < 120


def test_facets_narrow_the_list(standalone, page):
    """A facet is chosen with its count in sight, becomes a chip, and is taken away with a click."""
    page.get_by_text("Filter", exact=True).click()
    page.get_by_label("LoRA").select_option("loras 9")
    chip = page.get_by_role("button", name="Remove the filter LoRA: loras 9")
    chip.wait_for()
    page.get_by_label("Tag", exact=True).select_option("tags 5")
    page.get_by_role("button", name="Remove the filter Tag: tags 5").wait_for()
    with page.expect_request(lambda one: "lora" not in one.url and "tag=tags" in one.url):
        chip.click()


def test_several_recipes_are_tagged_and_deleted_with_undo(standalone, page):
    """Chosen recipes get tags at once; deleting offers the way back."""
    page.locator(".pantry-recipe").nth(0).click(modifiers=["Control"])
    page.locator(".pantry-recipe").nth(2).click(modifiers=["Shift"])
    page.get_by_text("3 chosen").wait_for()
    page.get_by_label("tags to add").fill("dawn, lake")
    page.get_by_role("button", name="Tag", exact=True).click()
    page.get_by_role("button", name="Delete").click()
    page.get_by_text("3 recipes deleted").wait_for()
    with page.expect_response(lambda answer: answer.url.endswith("/bulk")):
        page.get_by_role("button", name="Undo").click()
    ids = ["0", "1", "2"]
    assert standalone.api.bulk == [
        {"ids": ids, "action": "add_tags", "tags": ["dawn", "lake"]},
        {"ids": ids, "action": "delete"},
        {"ids": ids, "action": "restore"},
    ]


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_nobody_is_shut_out(standalone, page, scheme):
    """axe-core finds no serious violation on any view, in both schemes, at the width of a sidebar."""
    standalone.api.jobs = [waiting_job(), job(operation_id="job-0", status="completed", started_at=1.0)]
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 360, "height": 800})
    page.reload()
    for path, sign in VIEWS.items():
        go(page, path)
        page.locator(sign).first.wait_for()
        found = Axe().run(page).response["violations"]
        serious = [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in {"serious", "critical"}]
        assert serious == [], path


def test_the_page_speaks_chinese(standalone, browser):
    """Where the reader's language is Chinese, every word is, and nothing shows its key."""
    standalone.api.jobs = [waiting_job()]
    context = browser.new_context(locale="zh-CN")
    page, complaints = open_page(context)
    for path, sign in VIEWS.items():
        page.goto(f"{standalone.server.url}/#/{path}")
        page.locator(sign).first.wait_for()
        words = page.locator(".pantry").inner_text()
        assert not KEY.search(words), KEY.search(words)
    assert page.locator("html").get_attribute("lang") == "zh"
    context.close()
    assert complaints.heard == []


def test_what_is_wrong_with_our_own_files_is_said(standalone, page):
    """An unreadable settings file is no secret: its sentence stands above every view."""
    standalone.api.problems = {"settings_problem": "settings.json could not be read; it was kept aside."}
    page.reload()
    page.get_by_role("alert").get_by_text("it was kept aside").wait_for()


def test_a_card_can_be_dragged_onto_a_canvas(standalone, page):
    """A card carries the address of its image, from which ComfyUI takes the workflow."""
    page.locator(".pantry-thumb[src]").first.wait_for()
    script = """(card) => {
      const dataTransfer = new DataTransfer()
      card.dispatchEvent(new DragEvent("dragstart", { bubbles: true, dataTransfer }))
      return dataTransfer.getData("text/uri-list")
    }"""
    carried = page.locator(".pantry-recipe").nth(3).evaluate(script)
    assert carried == f"{standalone.server.url}/pantry/api/recipes/3/image"
