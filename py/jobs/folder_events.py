"""Hear of changes in folders at once, where the `watchdog` package is there; it is optional."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any


def listen(folders: Iterable[Path], notify: Callable[[], None]) -> Callable[[], None] | None:
    """Call `notify` (on another thread) when something changes; return what ends it, or None without the package."""
    try:
        observers: Any = importlib.import_module("watchdog.observers")
        events: Any = importlib.import_module("watchdog.events")
    except ImportError:
        return None
    handler = events.FileSystemEventHandler()
    handler.on_any_event = lambda _event: notify()
    observer = observers.Observer()
    for folder in folders:
        observer.schedule(handler, str(folder), recursive=True)
    try:
        observer.start()
    except OSError:  # the system allows no more watches; polling still works
        return None
    end: Callable[[], None] = observer.stop
    return end
