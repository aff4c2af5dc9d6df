"""Say which Pantry this is and where it runs."""

from __future__ import annotations

from typing import Any

from ..core.version import VERSION
from .call import Call
from .parts import Parts


async def read(parts: Parts, call: Call) -> dict[str, Any]:
    """Return version, mode, and what is wrong with the settings file; the data folder only to this machine."""
    return {
        "version": VERSION,
        "inside_comfyui": parts.host.inside_comfyui,
        "data_dir": str(parts.host.data_dir) if call.local else None,
        "settings_problem": parts.settings.problem,
        "database_problem": parts.database.problem,
        "archive_problem": parts.archive.problem,
        "local": call.local,
    }
