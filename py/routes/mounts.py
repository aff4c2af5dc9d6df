"""List the few paths that a host has to mount; `Front` has a handler for each.

Apart from everything else, so that ComfyUI's start can mount them without importing what answers.
"""

from __future__ import annotations

MOUNTS: tuple[tuple[str, str, str], ...] = (
    ("GET", "/pantry", "page"),
    ("GET", "/pantry/web/{path:.+}", "module"),
    ("GET", "/pantry/ws", "socket"),
    ("*", "/pantry/api/{tail:(?s:.*)}", "api"),  # also what holds a line end, so that every answer is ours
)
