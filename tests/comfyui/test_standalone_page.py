"""The page of its own, over a scripted back end, under the real content policy."""

from __future__ import annotations

import pytest

from .fake_api import job, recipe, waiting_job

pytestmark = pytest.mark.browser
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


def test_one_recipe_shows_all_that_it_says(standalone, page):
    """A click opens the recipe: prompts, numbers, models with their states; Escape goes back."""
    page.locator(".pantry-recipe").nth(4).click()
    page.get_by_text("a calm mountain lake at dawn").wait_for()
    for said in ("1234571", "DPM++ 2M", "832 \u00d7 1216", "Juggernaut XL", "not at its vendor"):
        assert page.get_by_text(said).first.is_visible()
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


def test_the_page_survives_a_reload_in_the_middle(standalone, page):
    """A reload shows the same view and the same job, hint included."""
    standalone.api.jobs = [waiting_job()]
    go(page, "import")
    page.reload()
    page.locator(".pantry-limit").wait_for()
    page.get_by_text("Waiting for CivitAI", exact=True).wait_for()


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
