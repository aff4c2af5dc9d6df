"""The API key goes in and never comes out; the vendor on loopback says whether it is any good."""

from __future__ import annotations

import pytest

from .front_ends import NEWEST

pytestmark = [pytest.mark.browser, pytest.mark.quick_faces(None, NEWEST)]
GOOD, BAD = "good-key-1234567890", "bad-key-0987654321"


def test_a_key_is_set_tested_and_removed(sitting):
    """Only how it ends is shown; a test asks CivitAI once; afterwards none is left."""
    view = sitting.tab.go("Settings")
    field = view.locator(".pantry-key input")
    view.get_by_text("No key is set.").wait_for()
    sitting.real.civitai.key = GOOD
    for key, said in ((BAD, "CivitAI refuses the key."), (GOOD, "CivitAI accepts the key.")):
        field.fill(key)
        field.press("Enter")
        view.get_by_text(f"it ends in …{key[-4:]}").wait_for()
        assert field.input_value() == ""
        asked = len(sitting.real.civitai.journal.entries)
        view.get_by_role("button", name="Test", exact=True).click()
        view.get_by_text(said).wait_for()
        assert len(sitting.real.civitai.journal.entries) == asked + 1
        assert sitting.real.civitai.journal.entries[-1].headers["Authorization"] == f"Bearer {key}"
    assert GOOD not in sitting.page.content()
    view.get_by_role("button", name="Remove", exact=True).click()
    view.get_by_text("No key is set.").wait_for()
    sitting.real.civitai.key = None
    assert not sitting.real.pantry.settings.get("civitai_api_key")
