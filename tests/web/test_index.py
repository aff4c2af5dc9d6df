"""The page asks at once for everything that its first view needs, instead of finding out import after import."""

from __future__ import annotations

import re
from pathlib import Path

WEB = Path(__file__).resolve().parents[2] / "web"
INDEX = (WEB / "index.html").read_text(encoding="utf-8")
# Imported by their language: every reader needs English, which stands in for what another language lacks.
ALWAYS = ("strings/en.mjs",)
STATIC = re.compile(r'^(?:import|export)[^"]*?from "(\.[^"]+)"', re.MULTILINE)


def needed(*entries: str) -> list[str]:
    """Return the modules that these lead to by imports that are no function call."""
    found, waiting = [], list(entries)
    while waiting:
        name = waiting.pop(0)
        if name in found:
            continue
        found.append(name)
        path = WEB / name
        waiting += [
            str((path.parent / other).resolve().relative_to(WEB))
            for other in STATIC.findall(path.read_text(encoding="utf-8"))
        ]
    return sorted(found)


def test_what_the_first_view_needs_is_asked_for_at_once():
    """index.html names exactly the modules that its script leads to (python -m tests.web.test_index writes them)."""
    named = re.findall(r'rel="modulepreload" href="pantry/web/([^"]+)"', INDEX)
    assert named == [name for name in needed("standalone.mjs", *ALWAYS) if name != "standalone.mjs"]


def test_the_page_has_the_styles_that_comfyui_gets():
    """index.html links the sheets that pantry.css imports, in their order, without a sheet that leads to sheets."""
    sheets = (WEB / "styles" / "pantry.css").read_text(encoding="utf-8")
    linked = re.findall(r'rel="stylesheet" href="pantry/web/styles/([^"]+)"', INDEX)
    assert linked == re.findall(r'@import url\("([^"]+)"\)', sheets)


def write() -> None:
    """Write the list of modules anew."""
    lines = [
        f'    <link rel="modulepreload" href="pantry/web/{name}" />\n'
        for name in needed("standalone.mjs", *ALWAYS)
        if name != "standalone.mjs"
    ]
    bare = re.sub(r' *<link rel="modulepreload"[^>]*/>\n', "", INDEX)
    text = bare.replace('    <script type="module"', "".join(lines) + '    <script type="module"')
    (WEB / "index.html").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
