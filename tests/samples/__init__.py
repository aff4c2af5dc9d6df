"""Answers as vendors document them, with invented values."""

from __future__ import annotations

import json
from pathlib import Path

HERE = Path(__file__).parent


def sample(name):
    """Return the parsed answer ``<vendor>/<case>``."""
    return json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
