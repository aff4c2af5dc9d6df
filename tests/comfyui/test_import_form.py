"""The form of an import on the page of its own: folders, addresses, globs, the numbers beforehand, and files sent."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser
COUNT = 45  # more than one portion
# What a browser hands to a page when a folder with pictures and a text is dropped.
DROP = """(form) => {
  const file = (name) => ({ name, isDirectory: false, file: (take) => take(new File(["x"], name)) })
  const reader = (left) => ({ readEntries: (take) => take(left.splice(0)) })
  const folder = { name: "2026", isDirectory: true, createReader: () => reader([file("b.png"), file("a.zip"), file("c.txt")]) }
  const event = new Event("drop", { bubbles: true, cancelable: true })
  event.dataTransfer = { items: [{ webkitGetAsEntry: () => folder }], files: [] }
  form.dispatchEvent(event)
}"""


@pytest.fixture
def page(standalone):
    standalone.page.goto(f"{standalone.server.url}/#/import")
    standalone.page.locator(".pantry-import-form").wait_for()
    yield standalone.page
    assert standalone.complaints.heard == []


def test_the_numbers_are_those_of_the_whole_request(standalone, page):
    """Folders, addresses and globs are asked for together; what cannot be known yet is said to be open."""
    standalone.api.preview |= {"exact": False, "model_pages": 2, "read": 500}
    page.get_by_label("Folder", exact=True).fill("/pictures")
    page.get_by_role("button", name="Add another folder").press("Enter")
    page.keyboard.type("/more")  # the new field has the focus
    page.get_by_text("From addresses").click()
    page.get_by_label("Addresses, one per line").fill("https://civitai.com/images/1\nhttps://civitai.com/models/2")
    page.get_by_text("Options", exact=True).click()
    page.get_by_label("Only these").fill("*.png, 2026/*")
    page.get_by_label("Leave out", exact=True).fill("drafts")
    page.get_by_label("Tag them").fill("spring")
    with page.expect_response("**/preview"):
        page.get_by_label("Tag them").press("Tab")
    numbers = page.locator(".pantry-dry-run dd")
    numbers.get_by_text("at least 880").wait_for()
    shown = ["1,200", "300", "at least 880", "at least 64", "at least 12", "about 0:09"]
    assert numbers.all_inner_texts() == shown
    page.get_by_text("Only 500 pictures were read beforehand").wait_for()
    page.get_by_text("And 2 pages of models").wait_for()
    page.get_by_role("button", name="Start import").click()
    page.locator(".pantry-job").wait_for()
    asked = {
        "directories": ["/pictures", "/more"],
        "urls": ["https://civitai.com/images/1", "https://civitai.com/models/2"],
        "include": ["*.png", "2026/*"],
        "exclude": ["drafts"],
        "tags": ["spring"],
        "recursive": True,
        "skip_duplicates": True,
        "skip_no_metadata": True,
    }
    assert standalone.api.started == [asked]
    assert standalone.api.previewed[-1] == asked


def test_addresses_alone_are_enough_and_a_folder_can_be_taken_away(standalone, page):
    """A form with an address needs no folder; a folder too many goes with its button."""
    page.get_by_role("button", name="Add another folder").click()
    page.get_by_label("Folder 2", exact=True).fill("/wrong")
    page.get_by_role("button", name="Take away: Folder 2").click()
    page.get_by_text("From addresses").click()
    page.get_by_label("Addresses, one per line").fill("https://civitai.com/images/1")
    page.get_by_role("button", name="Start import").click()
    page.locator(".pantry-job").wait_for()
    assert standalone.api.started[0]["urls"] == ["https://civitai.com/images/1"]
    assert not {"directory", "directories"} & standalone.api.started[0].keys()


def test_a_folder_is_found_and_remembered_by_keyboard(standalone, page):
    """The browser of folders is walked with Enter alone, starts from anywhere on this machine, and can add a place."""
    page.get_by_role("button", name="Browse").press("Enter")
    page.get_by_role("button", name="This machine").press("Enter")
    page.get_by_role("button", name="2026").wait_for()
    page.locator(".pantry-folder:focus", has_text="⌂ Places").wait_for()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Remember this folder").press("Enter")
    page.get_by_role("button", name="Remember this folder").wait_for(state="detached")
    assert standalone.api.settings["import_folders"] == ["//2026"]
    assert page.get_by_label("Folder", exact=True).input_value() == "//2026"


def test_many_files_are_sent_in_portions_and_become_one_import(standalone, page):
    """A failure in the middle says what to do; then only the rest is sent."""
    files = [{"name": f"{number}.png", "mimeType": "image/png", "buffer": b"x"} for number in range(COUNT)]
    standalone.api.refuse_uploads = True
    page.locator("input[type=file]").set_input_files(files)
    page.get_by_text("Sending stopped at 0 of 45: The disk is full.").wait_for()
    standalone.api.refuse_uploads = False
    standalone.complaints.heard.clear()  # the browser's own word on the refusal
    page.get_by_role("button", name="Send the rest").click()
    page.locator(".pantry-job").wait_for()
    assert [len(names) for names in standalone.api.uploads] == [40, 5]
    assert standalone.api.started[0]["files"] == [f"/uploads/{number}.png" for number in range(COUNT)]


def test_a_dropped_folder_is_walked(standalone, page):
    """Pictures and zips inside a dropped folder are sent; other files stay where they are."""
    page.locator(".pantry-import-form").evaluate(DROP)
    page.locator(".pantry-job").wait_for()
    assert standalone.api.uploads == [["a.zip", "b.png"]]


def test_nothing_moves_while_the_button_is_being_pressed(standalone, page):
    """Leaving the field by a press on Start counts anew; in a low window that must not pull the button away."""
    page.set_viewport_size({"width": 240, "height": 500})
    page.get_by_label("Folder", exact=True).fill("/pictures")
    page.get_by_label("Folder", exact=True).press("Tab")
    page.locator(".pantry-dry-run dd").first.wait_for()
    moved = page.get_by_role("button", name="Start import").evaluate("""(start) => {
      const outlet = document.querySelector(".pantry-outlet")
      outlet.scrollTop = outlet.scrollHeight
      const before = start.getBoundingClientRect().top
      document.querySelector("#pantry-folder").dispatchEvent(new Event("change", { bubbles: true }))
      return [outlet.scrollTop > 0, start.getBoundingClientRect().top - before]
    }""")
    assert moved == [True, 0]
