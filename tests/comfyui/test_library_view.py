"""The model library on the page of its own, over a scripted back end."""

from __future__ import annotations

import pytest

from .fake_data import model

pytestmark = pytest.mark.browser
MANY = 150
CHANGED = "pantry.models_changed"


@pytest.fixture
def page(standalone):
    standalone.page.goto(f"{standalone.server.url}/#/models")
    standalone.page.locator(".pantry-model").first.wait_for()
    yield standalone.page
    assert standalone.complaints.heard == []


def test_the_library_lists_models_with_their_states(standalone, page):
    """Each model says what is known of it; its recipes are one click away."""
    page.get_by_text("Misty Mornings 0").wait_for()
    for state in ("on CivitAI", "archived", "not at its vendor", "not asked yet"):
        assert page.locator(".pantry-model").get_by_text(state).first.is_visible()
    page.get_by_role("button", name="Recipes").nth(2).click()
    page.get_by_role("button", name="Remove the filter LoRA: misty_mornings_1").wait_for()


def test_news_of_the_library_leaves_the_reader_where_they_are(standalone, page):
    """Rows that did not change stay the same elements; place, focus and the pages that are shown stay too."""
    standalone.api.models = [model(number) for number in range(MANY)]
    page.reload()
    rows = page.locator(".pantry-model")
    rows.first.wait_for()
    page.locator(".pantry-outlet").evaluate("(outlet) => { outlet.scrollTop = outlet.scrollHeight }")
    page.locator(".pantry-model", has_text="Misty Mornings 100").wait_for()
    row = page.locator(".pantry-model", has_text="Misty Mornings 70")
    row.get_by_role("button", name="Refresh").focus()
    for one in (row, rows.nth(71)):
        one.evaluate("(one) => { one.dataset.marked = 'before' }")
    before = row.bounding_box()["y"]
    standalone.api.models[70]["state"] = "absent"
    standalone.api.models[69] = {**model(69), "title": "Renamed"}
    standalone.push(CHANGED, {"ids": [69, 70]})
    page.locator(".pantry-model", has_text="Renamed").wait_for()
    assert row.get_by_text("not at its vendor").is_visible()
    assert row.get_by_role("button", name="Refresh").evaluate("(one) => one === document.activeElement")
    assert [rows.nth(at).get_attribute("data-marked") for at in (70, 71)] == [None, "before"]
    assert abs(row.bounding_box()["y"] - before) < 2
    assert rows.count() > 100
    limits = [one for one in standalone.api.models_asked if "cursor" not in one]
    assert f"limit={rows.count()}" in limits[-1]


def test_a_link_that_is_being_typed_outlives_the_news(standalone, page):
    """A form in a row stays with what is in it; other rows change."""
    row = page.locator(".pantry-model").nth(2)
    row.get_by_role("button", name="Relink").click()
    page.keyboard.type("https://civitai.com/mod")
    standalone.api.models[2]["title"] = standalone.api.models[3]["title"] = "Renamed"
    standalone.push(CHANGED, {"ids": [2, 3]})
    page.locator(".pantry-model").nth(3).get_by_text("Renamed").wait_for()
    page.keyboard.type("els/7")
    assert row.get_by_label("Address of its page on CivitAI").input_value() == "https://civitai.com/models/7"


def test_a_search_starts_at_the_first_page(standalone, page):
    """What is looked for begins at its beginning, and says so where nothing fits."""
    page.get_by_label("Search models and trigger words").fill("Mornings 11")
    page.locator(".pantry-model").nth(1).wait_for(state="detached")
    page.get_by_label("Search models and trigger words").fill("nothing like it")
    page.get_by_text("Nothing fits").wait_for()
    assert all("limit=60" in asked for asked in standalone.api.models_asked)


def test_hashing_is_paused_and_resumed(standalone, page):
    """While files are left to hash, a line says how many and a button pauses it; a storm of news asks little."""
    line = page.locator(".pantry-hashing")
    assert line.is_hidden()
    standalone.api.hashing["left"] = 12
    standalone.api.hashing_asked = 0
    for number in range(30):
        standalone.push(CHANGED, {"ids": [number]})
    line.get_by_text("12 files are still to be hashed").wait_for()
    assert standalone.api.hashing_asked == 1
    line.get_by_role("button", name="Pause hashing").click()
    line.get_by_text("Hashing is paused; 12 files are left.").wait_for()
    line.get_by_role("button", name="Resume hashing").click()
    line.get_by_text("12 files are still to be hashed").wait_for()
