"""Hold every place that names the version to one value."""

from __future__ import annotations

import re
from pathlib import Path

from py.core.version import VERSION

ROOT = Path(__file__).resolve().parents[2]


def test_the_version_is_the_same_everywhere():
    """The registry reads pyproject.toml, the code reads core/version.py, people read the changelog."""
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert re.search(r'^version = "(.+)"$', project, re.MULTILINE)[1] == VERSION
    assert "## Unreleased" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
