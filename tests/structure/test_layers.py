"""Hold the layout of the house: who may import whom."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PY = Path(__file__).resolve().parents[2] / "py"
RANKS = {
    "core": 0,
    "net": 1,
    "storage": 1,
    "vendors": 2,
    "recipes": 2,
    "jobs": 2,
    "library": 3,  # sidecars hold vendors' shapes
    "services": 4,
    "routes": 5,
    "nodes": 5,
    "terminal": 5,
}
TOP = {"app", "extension"}
MODULES = sorted(path for path in PY.rglob("*.py") if path.parent != PY)


def room_of(path: Path) -> str:
    return path.relative_to(PY).parts[0]


def imported_rooms(path: Path) -> set[str]:
    """Return the rooms (or top modules) that a module imports relatively."""
    depth = len(path.relative_to(PY).parts) - 1
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level > depth:
            names = [node.module.split(".")[0]] if node.module else [alias.name for alias in node.names]
            found.update(names)
    return found


def imported_packages(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.add((node.module or "").split(".")[0])
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PY)))
def test_a_room_imports_only_lower_rooms(path):
    """Arrows go down: a room knows only rooms of a lower rank, and itself."""
    room = room_of(path)
    for other in imported_rooms(path):
        assert other == room or (other in RANKS and RANKS[other] < RANKS[room]), f"{room} imports {other}"


def test_every_folder_is_a_known_room():
    """A new room needs a rank here and a line in the map."""
    assert {path.name for path in PY.iterdir() if path.is_dir() and path.name != "__pycache__"} == set(RANKS)


def test_every_room_says_what_lives_there():
    """Each folder's docstring tells a newcomer what is inside."""
    for init in PY.rglob("__init__.py"):
        assert ast.get_docstring(ast.parse(init.read_text(encoding="utf-8"))), init


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PY)))
def test_only_the_edges_touch_the_outside(path):
    """aiohttp, aiosqlite and ComfyUI are known at the edges alone."""
    packages, room, rel = imported_packages(path), room_of(path), path.relative_to(PY).as_posix()
    if room not in {"net", "routes"}:
        assert "aiohttp" not in packages
    if room != "storage" and not rel.startswith("vendors/archive_db/") and not rel.endswith("store.py"):
        assert "aiosqlite" not in packages
    if room != "nodes":
        assert not packages & {"server", "folder_paths", "comfy", "execution"}


@pytest.mark.parametrize("path", sorted(PY.rglob("*.py")), ids=lambda path: str(path.relative_to(PY)))
def test_files_and_functions_stay_small(path):
    """No file over 300 lines, no door over 250, no function over 70."""
    text = path.read_text(encoding="utf-8")
    limit = 250 if room_of(path) == "services" else 300
    assert text.count("\n") <= limit
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno - node.lineno < 70, node.name


def test_time_is_read_in_one_place():
    """Only core/clock.py asks the system for the time."""
    for path in PY.rglob("*.py"):
        if path.name != "clock.py":
            text = path.read_text(encoding="utf-8")
            assert "time.time(" not in text, path
            assert "datetime.now(" not in text, path
            assert "time.monotonic(" not in text, path
