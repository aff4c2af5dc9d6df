"""Hold the gate's settings as one value, read anew for every request."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..core.ports import Lane


@dataclass(frozen=True, slots=True, kw_only=True)
class GatePolicy:
    """Say how the gate behaves; fields are the settings of the same name without ``rate_limit_``."""

    gate_enabled: bool = True
    max_wait_seconds: float = 300.0
    interactive_max_wait_seconds: float | None = None
    min_interval_seconds: float = 0.75
    adaptive_enabled: bool = True
    cautious_enabled: bool = False
    backoff_base_seconds: float = 30.0
    backoff_max_seconds: float = 1800.0
    header_ceiling_seconds: float = 86_400.0
    shared_hosts: tuple[str, ...] = ()

    @classmethod
    def from_settings(cls, get: Callable[[str], Any]) -> GatePolicy:
        """Read every ``rate_limit_*`` setting through `get`."""
        return cls(**{name: get(f"rate_limit_{name}") for name in cls.__dataclass_fields__})

    def max_wait(self, lane: Lane) -> float:
        """Return how many seconds one logical call of this lane may wait altogether."""
        if lane == "interactive" and self.interactive_max_wait_seconds is not None:
            return self.interactive_max_wait_seconds
        return self.max_wait_seconds


class OncePerTurn:
    """Read the policy at most once per turn of the event loop: it is asked for often, and reading looks at a file."""

    def __init__(self, read: Callable[[], GatePolicy]) -> None:
        self._read = read
        self._known: GatePolicy | None = None

    def __call__(self) -> GatePolicy:
        """Return the policy as it stands in this turn."""
        if self._known is not None:
            return self._known
        policy = self._read()
        try:
            asyncio.get_running_loop().call_soon(self._forget)
        except RuntimeError:  # no loop runs: nothing would ever forget it
            return policy
        self._known = policy
        return policy

    def _forget(self) -> None:
        self._known = None
