"""A person fills in the model library in the browser: real files, real hashes, a vendor on loopback."""

from __future__ import annotations

import pytest

from tests.library.files import safetensors
from tests.standalone.vendor import VendorModel

from .front_ends import NEWEST
from .telling import write

pytestmark = [pytest.mark.browser, pytest.mark.quick_faces(None, NEWEST)]
NAME, STRANGER = "brook", "nobody_knows"
PAGE = "https://civitai.com/models/70?modelVersionId=80"


@pytest.fixture
def brook(sitting):
    """A LoRA that CivitAI knows and this machine lacks, a file that nobody knows, and a recipe with each."""
    made = safetensors(sitting.folder / "later" / f"{NAME}.safetensors", weights=b"brook")
    words = {"trained_words": ("babbling",), "images": 0}
    named = VendorModel(
        model_id=70, version_id=80, name="Quiet Brook", file_name=f"{NAME}.safetensors", hashes=made, **words
    )
    sitting.real.civitai.catalogue.add(named)
    safetensors(sitting.folder / "loras" / f"{STRANGER}.safetensors", weights=b"other")
    folder = sitting.folder / NAME
    write(folder, f"{NAME}side.png", f"{NAME}side, stones", loras=[named], seed=70)
    assert sitting.load(folder)["success"] == 1
    return sitting.folder / "later" / f"{NAME}.safetensors"


def look_for_files(tab):
    tab.go("Models")
    with tab.page.expect_response(lambda answer: answer.url.endswith("/models/scan")):
        tab.page.get_by_role("button", name="Look for new files").click()


def the_filter_counts(tab, count):
    """Among the recipes that are searched for, so many lack a model."""
    tab.find(NAME).wait_for()
    tab.page.get_by_text("Filter", exact=True).click()
    tab.page.get_by_role("button", name=f"With missing models {count}", exact=True).wait_for()
    tab.page.get_by_text("Filter", exact=True).click()


def test_the_library_is_filled_in(sitting, brook):
    """What recipes lack is said until its file turns up; a sync, a link and a click say the rest of each file."""
    tab = sitting.tab
    look_for_files(tab)
    a_missing_model_is_said_until_its_file_turns_up(sitting, brook)
    a_sync_fills_in_what_vendors_know(tab)
    a_model_can_be_refreshed_and_linked(tab)
    its_recipes_are_one_click_away(tab)


def a_missing_model_is_said_until_its_file_turns_up(sitting, brook):
    """Card, filter and page of a recipe say that a LoRA is missing, and that it is here once it has been looked for."""
    tab, page = sitting.tab, sitting.page
    mark = tab.find(NAME).locator(".is-missing")
    mark.wait_for()
    assert mark.get_attribute("title") == "1 model is not on this machine"
    tab.find(NAME).click()
    page.locator(".pantry-detail .pantry-model", has_text="Quiet Brook").get_by_text("on CivitAI").wait_for()
    the_filter_counts(tab, 1)
    brook.rename(sitting.folder / "loras" / brook.name)
    look_for_files(tab)
    page.locator(".pantry-model", has_text=brook.name).wait_for()
    tab.find(NAME).locator(".is-missing").wait_for(state="detached")
    the_filter_counts(tab, 0)
    tab.find(NAME).click()
    page.locator(".pantry-detail .pantry-model", has_text="Quiet Brook").get_by_text("on this machine").wait_for()


def a_sync_fills_in_what_vendors_know(tab):
    """The same bar as an import's, then states, trigger words, and a link to the vendor's page."""
    tab.go("Models")
    tab.page.get_by_role("button", name="Fill in metadata").click()
    card = tab.page.locator(".pantry-job[data-mood=done]")
    card.locator(".pantry-count.is-success", has_text="model").wait_for()
    row = tab.page.locator(".pantry-model", has_text=f"{NAME}.safetensors")
    row.get_by_text("on CivitAI").wait_for()
    row.get_by_role("button", name="babbling", exact=True).wait_for()
    assert row.get_by_role("link").get_attribute("href") == PAGE
    tab.page.locator(".pantry-model", has_text=STRANGER).get_by_text("not at its vendor").wait_for()


def a_model_can_be_refreshed_and_linked(tab):
    """One model is asked for anew; where a hash says nothing, the address of the model's page does."""
    row = tab.page.locator(".pantry-model", has_text=f"{NAME}.safetensors")
    with tab.page.expect_response(lambda answer: answer.url.endswith("/refresh") and answer.ok):
        row.get_by_role("button", name="Refresh").click()
    row = tab.page.locator(".pantry-model", has_text=STRANGER)
    row.get_by_role("button", name="Relink").click()
    row.get_by_label("Address of its page on CivitAI").fill(PAGE)
    row.get_by_role("button", name="Link", exact=True).click()
    row.get_by_text("Quiet Brook").wait_for()


def its_recipes_are_one_click_away(tab):
    """The recipes that use a file, and no others."""
    tab.page.locator(".pantry-model", has_text=f"{NAME}.safetensors").get_by_role("button", name="Recipes").click()
    chip = tab.page.get_by_role("button", name=f"Remove the filter LoRA: {NAME}")
    chip.wait_for()
    tab.page.get_by_text("1 recipe", exact=True).first.wait_for()
    chip.click()
