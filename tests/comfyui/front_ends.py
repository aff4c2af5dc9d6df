"""Fetch ComfyUI's own front ends from the package index into .cache/front_ends, once each.

`python -m tests.comfyui.front_ends` gets what `make test` uses; `--all` the whole matrix. They are test data
only: nothing of them is part of Pantry. Without a network the tests that need one say so and are skipped.
"""

from __future__ import annotations

import functools
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

CACHE = Path(__file__).resolve().parents[2] / ".cache" / "front_ends"
OLDEST, NEWEST = "1.27.10", "1.58.1"
IN_MAKE_TEST = (OLDEST, NEWEST)
PATIENCE = ("--retries", "1", "--timeout", "20")
# 1.53.6 is what ComfyUI 0.38 pins.
MATRIX = (OLDEST, "1.53.6", NEWEST)


def static_folder(version: str) -> Path:
    """Return where that front end's files are, or would be."""
    return CACHE / version / "comfyui_frontend_package" / "static"


@functools.cache
def fetch(version: str) -> bool:
    """Download and unpack one front end unless it is here; return whether it is here now."""
    if (static_folder(version) / "index.html").is_file():
        return True
    with tempfile.TemporaryDirectory() as folder:
        package = f"comfyui-frontend-package=={version}"
        command = [sys.executable, "-m", "pip", "download", *PATIENCE, "--no-deps", "--dest", folder, package]
        if subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
            return False
        return all(unpack(wheel, version) for wheel in Path(folder).glob("*.whl"))


def unpack(wheel: Path, version: str) -> bool:
    """Unpack beside its final place first, so that a broken run leaves nothing half done."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as folder, zipfile.ZipFile(wheel) as archive:
        wanted = [name for name in archive.namelist() if not name.endswith(".map")]
        archive.extractall(Path(folder) / "new", wanted)
        (Path(folder) / "new").rename(CACHE / version)
    return (static_folder(version) / "index.html").is_file()


def main() -> None:
    """Fetch the front ends and say in one line what could not be had."""
    versions = MATRIX if "--all" in sys.argv[1:] else IN_MAKE_TEST
    missing = [version for version in versions if not fetch(version)]
    if missing:
        names = ", ".join(missing)
        print(f"ComfyUI's front end {names} could not be downloaded: its browser tests are skipped.", file=sys.stderr)


if __name__ == "__main__":
    main()
