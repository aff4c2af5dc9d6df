"""Hear of changes in folders at once, where the `watchdog` package is there; it is optional."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

CHANGES = frozenset({"created", "moved", "modified", "closed"})


def listen(folders: Iterable[Path], notify: Callable[[], None]) -> Callable[[], None] | None:
    """Call `notify` (on another thread) when something changes; return what ends it, or None without the package."""
    try:
        from watchdog.events import FileSystemEventHandler
        from watchdog.observers import Observer
    except ImportError:
        return None
    observer: Any = Observer()
    handler: Any = FileSystemEventHandler()
    # Looking at a folder opens and closes it, which is told too: only what changes something counts.
    handler.on_any_event = lambda event: notify() if event.event_type in CHANGES else None
    for folder in folders:
        observer.schedule(handler, str(folder), recursive=True)
    try:
        observer.start()
    except OSError:  # the system allows no more watches; polling still works
        return None
    end: Callable[[], None] = observer.stop
    return end
