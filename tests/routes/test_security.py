"""Hold the rows of docs/security.md that no other test holds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.routes.conftest import FROM_ELSEWHERE
from tests.routes.test_api import API, folder, imported, picture, recipes

__all__ = ["folder"]
ROOT = Path(__file__).resolve().parents[2]

INSIDE = [
    "http://127.0.0.1/x.png",
    "https://127.0.0.1/x.png",
    "https://localhost/x.png",
    "https://[::1]/x.png",
    "https://[::ffff:127.0.0.1]/x.png",
    "https://2130706433/x.png",
    "https://0x7f.1/x.png",
    "https://0177.0.0.1/x.png",
    "https://169.254.169.254/latest/meta-data",
    "https://10.0.0.1/x.png",
    "https://image.civitai.com@127.0.0.1/x.png",
    "https://user:password@image.civitai.com/x.png",
    "https://image.civitai.com:8443/x.png",
    "https://image.civitai.com.evil.example/x.png",
    "https://evil.example/image.civitai.com/x.png",
    "https://civitai.com\\@evil.example/x.png",
    "http://image.civitai.com/x.png",
    "file:///etc/passwd",
    "ftp://image.civitai.com/x.png",
    "//image.civitai.com/x.png",
    "https://image.civitai.com/x.png\r\nHost: evil",
    "https://\u24d8mage.civitai.com/x.png",
]


@pytest.mark.parametrize("url", INSIDE)
async def test_no_address_leads_inside(client, pantry, url):
    """Private addresses in every spelling, foreign hosts, ports, passwords and other schemes are never fetched."""
    answer = await client.post(f"{API}/batch-imports", json={"urls": [url]})
    if answer.status == 202:
        done = await pantry.imports.wait((await answer.json())["operation_id"])
        assert (done["success"], done["failed"]) == (0, 1)
    else:
        assert answer.status in (400, 403)


async def test_a_link_that_leads_out_is_not_served(client, pantry, host, tmp_path):
    """A row may come to point at a link that leads to a private picture; a text behind it is no picture anyway."""
    private = tmp_path / "private.txt"
    private.write_text("a private text", encoding="utf-8")
    shown = picture(host.output_folders[0] / "a.png")
    await imported(client, pantry, directory=str(host.output_folders[0]))
    identity = (await recipes(client))[0]["id"]
    shown.unlink()
    try:
        shown.symlink_to(private)
    except OSError:
        pytest.skip("this system makes no links")
    for what in ("image", "thumbnail", "workflow"):
        answer = await client.get(f"{API}/recipes/{identity}/{what}")
        assert answer.status in (404, 422)
        assert "private" not in await answer.text()


async def test_hostile_metadata_is_handed_out_as_json(client, pantry, host):
    """Script in a prompt stays text: every answer with words of an image is JSON, sniffed by nobody."""
    script = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    picture(host.output_folders[0] / "a.png", parameters=f"{script}\nSteps: 20, Sampler: Euler a, Seed: 1, Size: 8x8")
    await imported(client, pantry, directory=str(host.output_folders[0]))
    answer = await client.get(f"{API}/recipes/{(await recipes(client))[0]['id']}")
    assert (await answer.json())["prompt"] == script
    assert answer.content_type == "application/json"


async def test_a_report_runs_nothing_in_a_spreadsheet(client, pantry, host):
    """A file name that a spreadsheet would take for a formula is made plain text."""
    picture(host.output_folders[0] / "=cmd.png")
    operation = await imported(client, pantry, directory=str(host.output_folders[0]))
    text = await (await client.get(f"{API}/batch-imports/{operation}/report?format=csv")).text()
    assert "=cmd" in text
    assert not re.search(r"(^|,)\"?[=+@]", text, re.MULTILINE)


async def test_events_and_answers_for_others_name_no_folder(client, pantry, folder):
    """Another machine sees file names, not where things lie; the data folder is nobody's business."""
    about = await (await client.get(f"{API}/about", headers=FROM_ELSEWHERE)).json()
    assert about["data_dir"] is None


def test_the_page_builds_no_html_from_text():
    """Text of images reaches the page as text nodes; there is no other way in its modules."""
    for path in (ROOT / "web").rglob("*.*js"):
        source = path.read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", source), (
            path
        )


def test_every_threat_has_its_row():
    """The document names the threats that the tests are about."""
    text = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    for word in (
        "CSRF",
        "rebinding",
        "SSRF",
        "bombs",
        "API key",
        "Another machine",
        "Paths that escape",
        "supply chain",
    ):
        assert word in text
