"""Hold one checked request on its way to a handler."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aiohttp import web


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """Carry what a handler needs: path parts, checked query and body, and whether the caller sits at this machine."""

    path: Mapping[str, str]
    query: Mapping[str, Any]
    body: Mapping[str, Any]
    local: bool
    request: web.Request
