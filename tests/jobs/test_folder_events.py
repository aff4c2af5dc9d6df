"""Changes in folders are heard of where the optional package is there, and polling does without."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import ClassVar

import pytest

from py.jobs.folder_events import listen


class Observer:
    """Stand in for watchdog's observer."""

    made: ClassVar = []
    full = False

    def __init__(self):
        self.watched, self.running = [], False
        Observer.made.append(self)

    def schedule(self, handler, path, *, recursive):
        self.handler = handler
        self.watched.append((path, recursive))

    def start(self):
        if Observer.full:
            raise OSError(28, "inotify watch limit reached")
        self.running = True

    def stop(self):
        self.running = False


@pytest.fixture
def package(monkeypatch):
    Observer.made, Observer.full = [], False
    for name, holds in (("observers", Observer), ("events", SimpleNamespace)):
        module = ModuleType(f"watchdog.{name}")
        module.Observer = module.FileSystemEventHandler = holds
        monkeypatch.setitem(sys.modules, f"watchdog.{name}", module)
    monkeypatch.setitem(sys.modules, "watchdog", ModuleType("watchdog"))


def test_only_changes_are_told(package, tmp_path):
    """Looking at a folder is no news; a new file is."""
    told = []
    end = listen([tmp_path], lambda: told.append(1))
    observer = Observer.made[0]
    assert observer.watched == [(str(tmp_path), True)]

    for kind in ("opened", "closed_no_write", "created", "moved"):
        observer.handler.on_any_event(SimpleNamespace(event_type=kind))

    assert len(told) == 2
    end()
    assert not observer.running


def test_without_the_package_or_without_room_there_is_polling(package, tmp_path, monkeypatch):
    """No package and a system that is out of watches are no errors."""
    Observer.full = True
    assert listen([tmp_path], print) is None
    monkeypatch.setitem(sys.modules, "watchdog.observers", None)
    assert listen([tmp_path], print) is None
