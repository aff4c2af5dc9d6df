"""Run the web modules' own tests in Node, where there is one."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
WEB = HERE.parents[1] / "web"
NODE = shutil.which("node")
OLDEST_NODE = 20  # the first with CustomEvent
FORBIDDEN = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser"
    r"|(?<![.#\w])(alert|confirm|prompt)\("
)
SOURCES = sorted([*WEB.rglob("*.mjs"), *WEB.rglob("*.js")])


def node_version() -> int:
    if NODE is None:
        return 0
    said = subprocess.run([NODE, "--version"], capture_output=True, text=True, check=True).stdout
    return int(said.strip().lstrip("v").split(".")[0])


@pytest.mark.skipif(node_version() < OLDEST_NODE, reason="no Node 20 on PATH; on Debian and Ubuntu: apt install nodejs")
def test_the_web_modules_hold_their_promises():
    """`node --test` over tests/web passes."""
    tests = [str(path) for path in sorted(HERE.glob("*.test.mjs"))]
    run = subprocess.run([NODE, "--test", *tests], capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stdout[-6000:]


def test_comfyui_imports_one_file_only():
    """ComfyUI imports every .js below web/, so there is exactly one, and only host.mjs imports ComfyUI."""
    assert [path.name for path in WEB.rglob("*.js")] == ["extension.js"]
    importing = [path.name for path in SOURCES if "scripts/app.js" in path.read_text(encoding="utf-8")]
    assert importing == ["host.mjs"]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(WEB)))
def test_data_never_becomes_markup(path):
    """No module parses HTML, evaluates text or opens a dialog of the browser's; files stay under 300 lines."""
    text = path.read_text(encoding="utf-8")
    assert not FORBIDDEN.search(text)
    assert text.count("\n") < 300
