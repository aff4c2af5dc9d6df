"""Draw progress where there is a terminal, and tell waits everywhere."""

from __future__ import annotations

import io

import pytest

from py.core.events import BATCH_IMPORT, RECIPES_CHANGED
from py.terminal.progress import TerminalProgress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def event(completed=0, limits=()):
    counts = {"total": 10, "completed": completed, "success": completed, "skipped": 0, "failed": 0}
    return {"status": "running", "phase": "reading", "limits": list(limits), **counts}


@pytest.fixture
def limit():
    return {"host": "civitai.red", "retry_at": 1_900_000_000.0, "remaining_seconds": 5.0, "waiting_items": 3}


def test_without_a_terminal_only_waits_are_told(limit):
    """A log file gets a line when a wait begins and one when it ends, however many events there are."""
    out = io.StringIO()
    progress = TerminalProgress(out)
    for one in (event(1), event(2, [limit]), event(2, [limit]), event(3), event(4)):
        progress.publish(BATCH_IMPORT, one)
    progress.close()
    lines = out.getvalue().splitlines()
    assert [line.split(" until")[0] for line in lines] == ["waiting for civitai.red", "going on"]


def test_on_a_terminal_there_is_a_bar(limit):
    """The bar shows the phase and the counts, in characters that every console has."""
    out = Terminal()
    progress = TerminalProgress(out)
    progress.publish(BATCH_IMPORT, event(3, [limit]))
    progress.publish(BATCH_IMPORT, event(10))
    progress.publish(RECIPES_CHANGED, {"ids": ["a"]})
    progress.close()
    progress.close()
    assert "10/10" in out.getvalue()
    assert "reading" in out.getvalue()
    assert "waiting for civitai.red" in out.getvalue()
    assert out.getvalue().isascii()
