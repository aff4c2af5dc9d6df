"""Fetch what the browser tests need: a Chromium from the system's packages, and ComfyUI's front ends.

Nothing here fails the run: what cannot be had is said once, and the tests that need it say why they are skipped.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
ADVICE = """No Chromium was found, so the browser tests will be skipped. To get one:
  Debian, Ubuntu   apt install chromium
  Fedora           dnf install chromium
  macOS            brew install --cask chromium
  anywhere         python -m playwright install chromium"""


def has_browser() -> bool:
    """Whether a Chromium of the system can be started by name."""
    return any(shutil.which(name) for name in BROWSERS)


def install_browser() -> bool:
    """Install Debian's Chromium where this user may; return whether it is there now."""
    if os.name == "nt" or not shutil.which("apt-get") or os.geteuid() != 0:
        return False
    for command in (["apt-get", "update", "-qq"], ["apt-get", "install", "-y", "-qq", "chromium"]):
        subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return has_browser()


def fetch_front_ends() -> None:
    """Run the front-end download of tests/comfyui, where that folder has one."""
    if importlib.util.find_spec("tests.comfyui.front_ends"):
        subprocess.run([sys.executable, "-m", "tests.comfyui.front_ends"], check=False)


def main() -> None:
    """Prepare the machine for the browser tests."""
    if not has_browser() and not install_browser():
        print(ADVICE, file=sys.stderr)
    fetch_front_ends()


if __name__ == "__main__":
    main()
