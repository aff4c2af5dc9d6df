"""Take together what comes in parts."""

from __future__ import annotations


async def whole(parts):
    """Return the text whose parts an awaited call yields."""
    return "".join([text async for text in await parts])
