"""Show what the gate knows of each host."""

from __future__ import annotations

from typing import Any

from .call import Call
from .parts import Parts


async def hosts(parts: Parts, call: Call) -> dict[str, Any]:  # noqa: ARG001 - one shape for all handlers
    """Return, per host: window, retry_at, pace, sent, refused, waiting, saved."""
    return {"items": parts.coordinator.snapshot(), "next_cursor": None}


async def try_now(parts: Parts, call: Call) -> dict[str, Any]:
    """Let one request through a closed window, because a person asked for it; its answer opens nothing by itself."""
    parts.coordinator.try_now(call.path["host"])
    return await hosts(parts, call)
