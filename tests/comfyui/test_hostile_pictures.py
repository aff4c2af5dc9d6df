"""Pictures from anywhere: whatever their text holds is text, in every view of every face, and hurts nothing."""

from __future__ import annotations

import json

import pytest

from tests.standalone.pictures import model, png

from .front_ends import NEWEST
from .telling import write

pytestmark = [pytest.mark.browser, pytest.mark.quick_faces(None, NEWEST)]
MARKUP = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'
TURNED = "\u202e\u0639\u0631\u0628\u064a \U0001f98a\U0001f469\u200d\U0001f680"
HALF = "half \ud83e of an emoji"
LONG = "endless " * 131_072
# An element that a picture's text has become, and a script that has run.
HARM = """() => [window.hacked, document.querySelector(
  ".pantry-root img[src='x'], .pantry-root script, .pantry-root [onerror]")?.outerHTML].filter(Boolean)"""


@pytest.fixture
def hostile(sitting):
    """Import four pictures that mean harm, and give the folder."""
    folder = sitting.folder / "hostile &lt;b&gt;"
    style = model("LORA", 990)
    vendor = sitting.real.civitai.catalogue
    named = vendor.add(type(style)(**{**vars(style), "name": f"LoRA {MARKUP}", "file_name": "harm <b onclick=x>.pt"}))
    write(folder, "zmarkup &amp; 'x'.png", f"zmarkup {MARKUP}", loras=[named], checkpoint=MARKUP)
    write(folder, "zturned.webp", f"zturned {TURNED}")
    write(folder, "zlong.png", f"zlong {LONG}")
    graph = {"2": {"class_type": "CLIPTextEncode", "inputs": {"text": f"zhalf {HALF}", "clip": ["1", 1]}}}
    sampling = {"seed": 3, "steps": 9, "cfg": 5, "sampler_name": MARKUP, "positive": ["2", 0], "negative": ["2", 0]}
    graph["5"] = {"class_type": "KSampler", "inputs": sampling}
    (folder / "zhalf.png").write_bytes(png(9, {"prompt": json.dumps(graph)}))
    job = sitting.load(folder)
    assert job["success"] == 4, job
    return folder


def opened(tab, word, said):
    """Open the one recipe with that word, and return its page once it says what its picture says."""
    tab.find(word).click()
    detail = tab.page.locator(".pantry-detail")
    detail.locator(".pantry-prompt").first.filter(has_text=said).wait_for()
    return detail


def test_the_text_of_a_picture_is_text(sitting, hostile):
    """Markup, right-to-left marks, emoji whole and half, and a megabyte: in grid, recipe, facets and results."""
    tab, page = sitting.tab, sitting.page
    detail = opened(tab, "zmarkup", MARKUP)
    for said in (f"LoRA {MARKUP}", MARKUP):
        detail.get_by_text(said, exact=True).first.wait_for()
    opened(tab, "zturned", TURNED)
    opened(tab, "zhalf", "of an emoji").get_by_text(MARKUP).first.wait_for()
    long = opened(tab, "zlong", "endless endless")
    assert len(long.locator(".pantry-prompt").first.text_content()) > 1_000_000
    tab.find("zmarkup").get_by_text("&amp; 'x'").wait_for()
    the_facets_offer_it(page)
    the_results_list_it(tab, hostile)
    assert page.evaluate(HARM) == []


def the_facets_offer_it(page):
    page.get_by_text("Filter", exact=True).click()
    page.get_by_label("LoRA", exact=True).locator("option", has_text=MARKUP).wait_for(state="attached")
    page.get_by_text("Filter", exact=True).click()


def the_results_list_it(tab, folder):
    tab.go("Import")
    tab.page.get_by_role("heading", name=folder.name).wait_for()
    tab.page.get_by_text("Results, picture by picture").click()
    tab.page.get_by_role("button", name="zmarkup &amp; 'x'").wait_for()
