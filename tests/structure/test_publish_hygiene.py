"""Hold what is published to what ComfyUI's registry accepts.

The registry packs every tracked file that .comfyignore does not leave out, and its scan reads words, not meaning. One
finding keeps a version from users, so each word that is unavoidable is listed here with the one file that may have it.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# What the scan reports, and where we cannot do without it.
TRIGGERS = {
    r"aiohttp\.ClientSession": {"py/net/aiohttp_transport.py"},
    r"\brequests\.(get|post|request|Session)\b": set(),
    r"urllib\.request|urlopen\(": set(),
    r"socket\.socket\(": set(),
    r"\.connect\(": {"py/storage/sqlite_file.py", "py/storage/connections.py"},
    r"os\.environ|os\.getenv\(|process\.env": set(),
    r"subprocess|os\.system\(|os\.popen\(|os\.startfile|child_process": set(),
    r"(?<![\w.])(eval|exec)\(|new Function\(": set(),
    r"__import__\(|importlib\.import_module\(": set(),
    r"pickle\.loads?\(|marshal\.loads\(|torch\.load\(": set(),
    r"\bctypes\b|\bwinreg\b": set(),
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write": set(),
    r"https?://[\w.]*(cdn|unpkg|jsdelivr|googleapis)": set(),
}
CODE = {".py", ".js", ".mjs", ".css", ".html"}
PLAIN = CODE | {".md", ".json", ".toml", ".txt", ".sql", ".svg", ".example", ""}


def published() -> list[Path]:
    """Return the files that `comfy node publish` would pack."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    tracked, left_out = (
        set(
            subprocess.run(
                [git, "ls-files", *more], cwd=ROOT, check=True, capture_output=True, text=True
            ).stdout.splitlines()
        )
        for more in ([], ["-i", "-c", "--exclude-from=.comfyignore"])
    )
    return [ROOT / name for name in sorted(tracked - left_out) if (ROOT / name).is_file()]


def test_nothing_is_published_that_users_do_not_need():
    """Tests and developers' tools stay out; code, page, help, licence and documents are in."""
    names = {path.relative_to(ROOT).as_posix() for path in published()}
    assert not [name for name in names if name.startswith(("tests/", ".ci/")) or name == "Makefile"]
    wanted = {"__init__.py", "standalone.py", "pyproject.toml", "requirements.txt", "LICENSE", "README.md"}
    assert wanted <= names
    assert {"py/app.py", "web/extension.js", "web/docs/PantryRecipeLoader.md", "settings.json.example"} <= names


@pytest.mark.parametrize("pattern", TRIGGERS)
def test_the_scan_finds_nothing_unlisted(pattern):
    """A word that the registry flags is in no file but those that cannot do without it."""
    found = set()
    for path in published():
        if path.suffix in CODE and re.search(pattern, path.read_text(encoding="utf-8")):
            found.add(path.relative_to(ROOT).as_posix())
    assert found <= TRIGGERS[pattern], f"{pattern} in {sorted(found - TRIGGERS[pattern])}"


def test_only_plain_sources_are_published():
    """No bytecode, no archive, no library: everything can be read by whoever installs it."""
    odd = [path.name for path in published() if path.suffix not in PLAIN]
    assert odd == []


def test_nothing_looks_built_by_a_machine():
    """Minified or bundled files are taken for hidden code."""
    for path in published():
        if path.suffix in CODE:
            longest = max(map(len, path.read_text(encoding="utf-8").splitlines()), default=0)
            assert longest <= 400, f"{path} has a line of {longest} characters"


def test_comfyui_imports_one_script():
    """ComfyUI's page imports every .js below the web folder, so there is exactly one."""
    assert [path.name for path in (ROOT / "web").rglob("*.js")] == ["extension.js"]


def test_the_log_is_ascii():
    """A Windows console knows no other letters, and a log line that cannot be printed is an exception."""
    for path in (ROOT / "py").rglob("*.py"):
        for line in path.read_text(encoding="utf-8").splitlines():
            if re.search(r"\blog(ger)?\.(debug|info|warning|error|exception)\(|\bprint\(", line):
                assert line.isascii(), f"{path}: {line}"


def test_requirements_are_few():
    """ComfyUI has most of these already; every further package is a further risk."""
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    names = {re.split(r"[<>=!~ ]", line)[0].lower() for line in lines if line.strip() and not line.startswith("#")}
    assert names <= {"aiohttp", "aiosqlite", "pillow", "tqdm"}


def test_the_registry_finds_what_it_needs():
    """Name, publisher, licence file and repository are what comfy-cli refuses to go without."""
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for needed in (
        'name = "comfyui-pantry"',
        "PublisherId",
        "DisplayName",
        'license = { file = "LICENSE" }',
        "Repository",
    ):
        assert needed in project
