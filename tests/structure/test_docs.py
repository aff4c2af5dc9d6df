"""Hold the documents to the product: what is named exists, what exists is named, and commands run."""

from __future__ import annotations

import json
import re
import shlex

import pytest

from py.core.events import ALL_EVENTS
from py.core.settings_table import SETTINGS
from py.nodes.catalogue import NODES
from py.recipes.draft import CONTRACT_FIELDS
from py.routes.table import ENDPOINTS, PREFIX
from tests.structure.documents import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
SETTING_NAMES = {one.name for one in SETTINGS}


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def commands():
    """Yield every command line of Pantry's own that a document shows."""
    for page in PAGES:
        for block in re.findall(r"```\w*\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
            for line in block.splitlines():
                if match := re.search(r"standalone\.py (.*)", line):
                    yield page.name, match[1]


def anchors(path):
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", one.lower()).strip().replace(" ", "-") for one in headings}


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_every_link_leads_somewhere(page):
    """Links between documents, and their anchors, exist."""
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if target.startswith(("http://", "https://", "mailto:")):
            continue
        name, _, anchor = target.partition("#")
        path = page if not name else (page.parent / name).resolve()
        if path.suffix != ".png":
            assert path.exists(), f"{page.name}: {target}"
        assert not anchor or anchor in anchors(path), f"{page.name}: {target}"


def test_the_index_names_every_page():
    """A page that nobody links to is not read."""
    linked = text("docs/index.md") + text("README.md")
    for page in sorted((ROOT / "docs").rglob("*.md")):
        name = page.relative_to(ROOT / "docs").as_posix()
        if name.startswith("decisions/") or name.endswith(".head.md") or name == "index.md":
            continue
        assert name in linked, name


def test_every_setting_is_documented_and_every_documented_setting_exists():
    """The reference has a heading for each; other pages name no setting that is gone."""
    assert set(re.findall(r"^## (\w+)$", text("docs/reference/settings.md"), re.MULTILINE)) == SETTING_NAMES
    assert set(json.loads(text("settings.json.example"))) == SETTING_NAMES
    prefixes = ("rate_limit_", "civitai_", "civarchive_", "batch_import_", "skip_", "watch_", "import_", "allow")
    gone = set()
    for page in PAGES:
        named = re.findall(r"`([a-z]+_[a-z_]+)`", page.read_text(encoding="utf-8"))
        known = SETTING_NAMES | {"civitai_deleted"}
        gone |= {(page.name, one) for one in named if one.startswith(prefixes) and one not in known}
    assert not gone


def test_every_route_is_documented():
    """The reference has a heading for each endpoint."""
    page = text("docs/reference/http-api.md")
    for endpoint in ENDPOINTS:
        assert f"## {endpoint.method} {PREFIX}{endpoint.path}\n" in page


def test_every_event_is_documented():
    """The reference has a heading for each event."""
    headings = re.findall(r"^## (pantry\.\w+)$", text("docs/reference/events.md"), re.MULTILINE)
    assert set(headings) == set(ALL_EVENTS)


def test_every_field_of_a_recipe_is_documented():
    """The contract of `inspect` and of the API is on one page."""
    page = text("docs/reference/recipe.md")
    assert [one for one in CONTRACT_FIELDS if f"`{one}`" not in page] == []


def test_every_node_is_documented():
    """The how-to names every node by its title."""
    page = text("docs/howto/use-recipes-in-a-workflow.md")
    assert [title for _, title in NODES.values() if title.removesuffix(" (Pantry)") not in page] == []


@pytest.mark.parametrize(("page", "command"), sorted(set(commands())))
def test_every_command_is_understood(page, command):
    """What a document tells people to type is what the command line takes."""
    import standalone

    shown = re.sub(r"\s+#.*$", "", command)
    if "[" in shown:  # a synopsis
        words = set(re.findall(r"--[\w-]+", shown))
        help_text = standalone.parser().format_help() + _help_of(standalone, shown.split()[0])
        assert not [one for one in words if one not in help_text]
    else:
        standalone.parser().parse_args(shlex.split(shown))


def _help_of(standalone, command):
    choices = standalone.parser()._subparsers._group_actions[0].choices
    return choices[command].format_help()


@pytest.mark.parametrize(
    "target",
    sorted(
        {*re.findall(r"\bmake ([a-z]+)\b(?=[`\s]*(?:#|$|`|\())", text("docs/contributing.md")), "run", "test", "check"}
    ),
)
def test_every_make_target_exists(target):
    """The Makefile has what the documents name."""
    assert re.search(rf"^{target}:", text("Makefile"), re.MULTILINE)


def test_the_readme_is_short_and_says_what_it_is_not():
    """Nobody reads more than a hundred lines."""
    readme = text("README.md")
    assert readme.count("\n") <= 110
    assert "## What it is not" in readme


def test_lines_are_not_too_long_to_read():
    """Pages are read in terminals as well."""
    for page in PAGES:
        made = page.name in ("settings.md", "http-api.md")
        for line in page.read_text(encoding="utf-8").splitlines():
            assert made or len(line) <= 160 or "|" in line or "](" in line, f"{page.name}: {line}"
