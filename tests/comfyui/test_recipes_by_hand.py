"""What people do with recipes, while a second tab looks on: edit, choose several, tag, export, delete, undo."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .front_ends import NEWEST
from .telling import write

pytestmark = [pytest.mark.browser, pytest.mark.quick_faces(None, NEWEST)]
WORD = "harvest"


@pytest.fixture
def tabs(sitting):
    """Two tabs with three recipes of our own in sight."""
    folder = sitting.folder / WORD
    for number in range(3):
        write(folder, f"{WORD}_{number}.png", f"{WORD} festival, sheaf {number}", seed=40 + number)
    assert sitting.load(folder)["success"] == 3
    second = sitting.open()
    for tab in (sitting.tab, second):
        tab.find(WORD).nth(2).wait_for()
    sitting.page.bring_to_front()
    return sitting.tab, second


def titles(tab):
    """The titles in sight, in the order of the list."""
    return tab.page.locator(".pantry-recipe .pantry-card-title").all_text_contents()


def test_two_tabs_show_the_same_recipes(tabs):
    """Edited in one, seen in the other; several tagged, exported, deleted and brought back; in the end both are equal."""
    first, second = tabs
    an_edit_shows_in_the_other_tab(first, second)
    several_are_tagged_at_once(first, second)
    the_chosen_ones_are_exported(first)
    what_is_deleted_goes_and_undo_brings_it_back(first, second)
    assert sorted(titles(first)) == sorted(titles(second)) == ["Sunday", f"{WORD}_0", f"{WORD}_1"]


def an_edit_shows_in_the_other_tab(first, second):
    """Title, rating, mark, tags and notes are saved as each is left; the other tab's list and page follow."""
    page = first.page
    for tab in (second, first):
        tab.page.bring_to_front()
        tab.find(f"{WORD}_2").click()
        tab.page.locator(".pantry-prompt").wait_for()
    page.get_by_label("4 stars").click()
    page.get_by_role("button", name="Favourite").click()
    for label, text in (("Title", "Sunday"), ("Tags", f"{WORD}, barn"), ("Notes", "warm light")):
        page.get_by_label(label, exact=True).fill(text)
        with page.expect_response(lambda answer: answer.request.method == "PATCH"):
            page.keyboard.press("Tab")
    second.page.bring_to_front()
    second.page.wait_for_function("() => document.querySelector('.pantry-notes textarea')?.value === 'warm light'")
    second.page.get_by_label("4 stars").and_(second.page.locator("[aria-checked=true]")).wait_for()
    assert second.page.get_by_label("Title", exact=True).input_value() == "Sunday"
    second.find(WORD).nth(1).wait_for()
    second.page.locator(".pantry-recipe", has_text="Sunday").locator(".is-favourite").wait_for()


def several_are_tagged_at_once(first, second):
    """Ctrl and Shift choose; a tag given to all is a facet in the other tab."""
    page = first.page
    page.bring_to_front()
    first.go("Recipes")
    page.get_by_label("Search prompts, models, tags").fill(WORD)
    page.get_by_text("3 recipes", exact=True).wait_for()
    page.locator(".pantry-recipe").nth(0).click(modifiers=["Control"])
    page.locator(".pantry-recipe").nth(2).click(modifiers=["Shift"])
    page.get_by_text("3 chosen").wait_for()
    page.get_by_label("tags to add").fill("straw")
    with page.expect_response(lambda answer: answer.url.endswith("/recipes/bulk")):
        page.get_by_role("button", name="Tag", exact=True).click()
    second.page.bring_to_front()
    second.page.get_by_text("Filter", exact=True).click()
    second.page.get_by_label("Tag", exact=True).select_option(value="straw")
    second.page.get_by_role("button", name="Remove the filter Tag: straw").click()
    second.page.get_by_text("Filter", exact=True).click()
    page.bring_to_front()


def the_chosen_ones_are_exported(first):
    """The file holds the chosen recipes, whole."""
    with first.page.expect_download() as coming:
        first.page.get_by_role("button", name="Export").click()
    recipes = json.loads(Path(coming.value.path()).read_text(encoding="utf-8"))["recipes"]
    assert sorted(one["seed"] for one in recipes) == [40, 41, 42]
    assert all("straw" in one["tags"] for one in recipes)


def what_is_deleted_goes_and_undo_brings_it_back(first, second):
    """The other tab's list follows, also a page of a recipe that is gone."""
    second.page.bring_to_front()
    second.find("Sunday").click()
    second.page.locator(".pantry-prompt").wait_for()
    first.page.bring_to_front()
    first.page.get_by_role("button", name="Delete").click()
    first.page.get_by_text("3 recipes deleted").wait_for()
    second.page.bring_to_front()
    second.page.get_by_text("There is no such recipe.").wait_for()
    second.page.get_by_text("Nothing fits").wait_for()
    first.page.bring_to_front()
    first.page.get_by_role("button", name="Undo").click()
    for tab in (first, second):
        tab.page.bring_to_front()
        tab.page.get_by_label("Search prompts, models, tags").fill(WORD)
        tab.page.get_by_text("3 recipes", exact=True).wait_for()
        tab.page.locator(".pantry-recipe").nth(2).wait_for()
