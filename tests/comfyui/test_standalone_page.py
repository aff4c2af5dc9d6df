"""The page of its own, over a scripted back end, under the real content policy."""

from __future__ import annotations

import re

import pytest
from axe_playwright_python.sync_playwright import Axe

from .browser import open_page
from .fake_data import job, waiting_job
from .walking import go

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


@pytest.fixture
def page(standalone):
    standalone.page.goto(standalone.server.url)
    standalone.page.locator(".pantry-root").wait_for()
    yield standalone.page
    assert standalone.complaints.heard == []


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


def test_an_empty_pantry_teaches(standalone, page):
    """With no recipe yet, the page says what Pantry does and where to begin."""
    standalone.api.count = 0
    page.reload()
    page.get_by_text("No recipes yet").wait_for()
    page.get_by_role("button", name="Import pictures").click()
    page.get_by_text("Bring in pictures").wait_for()


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
