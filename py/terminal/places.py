"""Say where Pantry keeps its data when nobody says so."""

from __future__ import annotations

import sys
from pathlib import Path


def user_data_folder(platform: str = sys.platform, home: Path | None = None) -> Path:
    """Return the platform's usual place for a user's application data, in a folder of our own."""
    home = home or Path.home()
    if platform == "win32":
        return home / "AppData" / "Local" / "Pantry"
    if platform == "darwin":
        return home / "Library" / "Application Support" / "Pantry"
    return home / ".local" / "share" / "pantry"
