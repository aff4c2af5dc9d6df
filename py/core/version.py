"""Hold the version; pyproject.toml says the same, and a test holds both together."""

from __future__ import annotations

VERSION = "0.1.0"
