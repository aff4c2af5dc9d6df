"""The grid of recipes, and one recipe, on the page of its own over a scripted back end."""

from __future__ import annotations

import pytest

from .fake_data import recipe
from .walking import go

pytestmark = pytest.mark.browser
HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'


@pytest.fixture
def page(standalone):
    standalone.page.goto(standalone.server.url)
    standalone.page.locator(".pantry-root").wait_for()
    yield standalone.page
    assert standalone.complaints.heard == []


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


def test_each_field_says_where_it_came_from(standalone, page):
    """Where a file has several carriers, numbers, prompts and models each name theirs; the day is in words."""
    carriers = ["png:parameters", "png:prompt"]
    origins = {"seed": "png:prompt", "prompt": "png:parameters", "hires": "png:prompt", "loras": "png:parameters"}
    told = {"origins": origins, "source": {"carriers": carriers}, "hires": {"upscale": 2, "prompt": "more light"}}
    standalone.api.make = lambda number: recipe(number, **told)
    go(page, "recipe/1")
    page.get_by_text("Read from png:parameters and png:prompt").wait_for()
    page.get_by_text("Taken in Jan 15, 2027").wait_for()
    assert page.locator("dd", has_text="1234568").locator("small").inner_text() == "png:prompt"
    assert page.locator(".pantry-block-head", has_text="Prompt").first.locator("small").inner_text() == "png:parameters"
    second = page.locator("section", has_text="Prompt of the second pass").last
    assert [second.locator("small").inner_text(), second.locator(".pantry-prompt").inner_text()] == [
        "png:prompt",
        "more light",
    ]
    assert page.locator(".pantry-model", has_text="misty_mornings").get_by_text("png:parameters").is_visible()


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
    """Arrows move, Space selects, Shift with an arrow widens the choice, Escape ends it, Enter opens."""
    page.locator(".pantry-recipe").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press(" ")
    page.locator(".pantry-recipe[aria-selected=true][data-index='1']").wait_for()
    page.get_by_text("1 chosen").wait_for()
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    page.get_by_text("3 chosen").wait_for()
    page.keyboard.press("Escape")
    page.locator(".pantry-selection").wait_for(state="hidden")
    page.keyboard.press("Shift+ArrowLeft")
    page.get_by_text("2 chosen").wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    page.get_by_text("1234568").wait_for()


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
    for verb in ("Tag", "Untag"):
        page.get_by_label("tags to add").fill("dawn, lake")
        with page.expect_response("**/bulk"):
            page.get_by_role("button", name=verb, exact=True).click()
    page.get_by_role("button", name="Delete").click()
    page.get_by_text("3 recipes deleted").wait_for()
    with page.expect_response(lambda answer: answer.url.endswith("/bulk")):
        page.get_by_role("button", name="Undo").click()
    ids = ["0", "1", "2"]
    assert standalone.api.bulk == [
        {"ids": ids, "action": "add_tags", "tags": ["dawn", "lake"]},
        {"ids": ids, "action": "remove_tags", "tags": ["dawn", "lake"]},
        {"ids": ids, "action": "delete"},
        {"ids": ids, "action": "restore"},
    ]


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
