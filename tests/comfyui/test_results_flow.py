"""After an import: what became of each picture, by reason; what failed is tried again; the report as a file."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path

import pytest

from tests.standalone.pictures import png
from tests.standalone.vendor import Fault

from .front_ends import NEWEST
from .telling import write
from .test_interrupted_import import press, shown, start

pytestmark = [pytest.mark.browser, pytest.mark.quick_faces(None, NEWEST)]
WORD = "orchard"


@pytest.fixture
def orchard(sitting):
    """A folder with a good picture, one twice, one that says nothing, one that is none, and one whose LoRA is not told."""
    folder = sitting.unheard_of(1)
    write(folder, f"{WORD}_good.png", f"{WORD}, apples", seed=90)
    shutil.copyfile(folder / f"{WORD}_good.png", folder / f"{WORD}_twin.png")
    (folder / f"{WORD}_silent.png").write_bytes(png(91, {}))
    (folder / f"{WORD}_broken.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"torn")
    return folder


def names(page):
    return sorted(page.locator(".pantry-results .pantry-item-name").all_text_contents())


def choose(page, words):
    """Filter the results, and return once the list is that of the filter."""
    chip = page.locator(".pantry-results").get_by_role("button", name=words, exact=True)
    with page.expect_response(lambda answer: "/items" in answer.url):
        chip.click()
    page.wait_for_function("() => document.querySelectorAll('.pantry-results .pantry-item').length === 1")


def test_the_results_tell_and_finish_what_is_open(sitting, orchard):
    """Each reason has its filter; a recipe opens from its line; a broken vendor's picture is tried again; two reports."""
    tab, page = sitting.tab, sitting.page
    fault = sitting.real.civitai.fail(Fault("500", path="by-hash"))
    start(tab, orchard)
    card = shown(tab, "done")
    card.get_by_text("1 for later").wait_for()
    page.get_by_text("Results, picture by picture").click()
    for words, name in (
        ("known already 1", "twin"),
        ("says nothing 1", "silent"),
        ("not a readable picture 1", "broken"),
    ):
        choose(page, words)
        assert [WORD in one and name in one for one in names(page)] == [True]
    sitting.real.civitai.faults.remove(fault)
    press(tab, card, "Try now")
    card.get_by_text("2 recipes", exact=True).wait_for()
    the_report_is_a_file(page)
    choose_and_open(page)


def the_report_is_a_file(page):
    """CSV and JSON hold one line per picture, with what became of it."""
    rows = {}
    for kind in ("CSV", "JSON"):
        with page.expect_download() as coming:
            page.locator(".pantry-results").get_by_role("link", name=kind).click()
        rows[kind] = Path(coming.value.path()).read_text(encoding="utf-8-sig")
    told = list(csv.DictReader(io.StringIO(rows["CSV"])))
    assert len(told) == 5
    assert sum("duplicate" in json.dumps(one) for one in told) == 1
    assert json.dumps(json.loads(rows["JSON"])).count("SUCCESS") == 2


def choose_and_open(page):
    """A line with a recipe is the way to it, and back is one key."""
    page.locator(".pantry-results").get_by_role("button", name="Recipes 2", exact=True).click()
    page.get_by_role("button", name=f"{WORD}_good").click()
    page.get_by_text(f"{WORD}, apples").wait_for()
    page.keyboard.press("Escape")
    page.locator(".pantry-recipe").first.wait_for()
