"""An import while things happen to the browser: reloads, a second tab, a lost connection, a person who steers it."""

from __future__ import annotations

import pytest

from tests.standalone.vendor import FixedWindow, Open, Refusal

from .front_ends import NEWEST
from .sitting import PADDING

pytestmark = pytest.mark.browser
COUNT = 6
# Longer than any test waits: whatever moves, moves because of what the test does.
SHORT, LONG = 90, 3000


def start(tab, folder):
    """Start an import as a person does."""
    tab.go("Import")
    tab.page.get_by_label("Folder", exact=True).fill(str(folder))
    tab.page.get_by_role("button", name="Start import").click()


def shown(tab, mood):
    """The card of the import that is on screen, once it looks like that."""
    card = tab.page.locator(".pantry-import .pantry-job").first
    card.and_(tab.page.locator(f"[data-mood={mood}]")).wait_for()
    return card


def held(tab):
    """The card of an import that a vendor holds: calm, with its counts and the sentence."""
    card = shown(tab, "waiting")
    card.locator(".pantry-limit", has_text=f"asked us to wait; {COUNT} images continue at").wait_for()
    card.get_by_text(f"0 of {COUNT}").wait_for()
    return card


def press(tab, card, name):
    tab.page.bring_to_front()
    card.get_by_role("button", name=name, exact=True).click()


@pytest.mark.quick_faces(None, NEWEST)
def test_a_held_import_is_the_same_after_a_reload_and_in_a_second_tab(sitting):
    """Bar, counts and the ticking sentence come again with a reload; what one tab does shows in the other."""
    first = sitting.tab
    with sitting.vendor(FixedWindow(0, SHORT), Refusal(seconds=SHORT)):
        start(first, sitting.unheard_of(COUNT))
        before = held(first).locator(".pantry-limit").text_content()
        first.reload()
        first.go("Import")
        second = sitting.open()
        second.go("Import")
        press(second, held(second), "Pause")
        press(first, shown(first, "paused"), "Resume")
        press(second, held(second), "Cancel")
        assert shown(first, "cancelled").locator(".pantry-limit").count() == 0
        press(first, shown(first, "cancelled"), "Resume")
        assert held(first).locator(".pantry-limit").text_content() != before
        for tab in (first, second):
            press(tab, held(tab), "Cancel") if tab is first else shown(tab, "cancelled")


def test_what_a_lost_connection_hid_is_there_when_it_is_back(sitting):
    """Every socket breaks while an import waits; when they are back the page shows its end, with nothing to click away."""
    page = sitting.page
    with sitting.vendor(FixedWindow(0, SHORT), Refusal(seconds=SHORT)) as civitai:
        start(sitting.tab, sitting.unheard_of(COUNT))
        held(sitting.tab)
        sitting.call(sitting.real.lines.cut())
        page.get_by_text("Connection lost. Trying again…").wait_for()
        civitai.policy = Open()
        sitting.real.clock.forward(SHORT + PADDING)
        sitting.wait_for_imports()
        assert shown(sitting.tab, "waiting").get_by_text(f"0 of {COUNT}").is_visible()
        sitting.mend()
        shown(sitting.tab, "done").get_by_text(f"{COUNT} of {COUNT}").wait_for()
        page.get_by_text("Connection lost. Trying again…").wait_for(state="hidden")
        assert page.locator("dialog[open], [role=dialog], [aria-modal=true]").count() == 0


def test_an_import_that_was_put_off_can_be_tried_now(sitting):
    """A window longer than anybody waits puts the image off; a click asks the vendor, which has changed its mind."""
    with sitting.vendor(FixedWindow(0, LONG), Refusal(seconds=LONG)) as civitai:
        start(sitting.tab, sitting.unheard_of(1))
        card = shown(sitting.tab, "done")
        card.locator(".pantry-limit", has_text="1 image continues at").wait_for()
        card.get_by_text("1 for later").wait_for()
        civitai.open_up()
        press(sitting.tab, card, "Try now")
        card.get_by_text("1 recipe", exact=True).wait_for()
