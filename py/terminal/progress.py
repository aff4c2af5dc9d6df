"""Show a running job in a terminal: a bar where there is one, and one line per change of a wait."""

from __future__ import annotations

import sys
from typing import Any, TextIO

from tqdm import tqdm

from ..core.events import BATCH_IMPORT, METADATA_SYNC
from ..core.ports import JsonObject
from .summary import waiting_line


class Silence:
    """Take events and show none of them (a `ProgressSink`)."""

    def publish(self, event: str, data: JsonObject) -> None:
        """Drop the event."""

    def close(self) -> None:
        """Do nothing."""


class TerminalProgress:
    """Draw a job's events as a bar on `stream` (a `ProgressSink`); without a terminal only waits are told."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._bar: tqdm[Any] | None = None
        self._told: str | None = None

    def publish(self, event: str, data: JsonObject) -> None:
        """Move the bar to where the event says; only jobs have one."""
        if event not in (BATCH_IMPORT, METADATA_SYNC):
            return
        self._draw(data)
        line = waiting_line(data["limits"])
        if line != self._told:
            self._tell(line or "going on")
            self._told = line

    def close(self) -> None:
        """Leave the bar as it stands and give the line back."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def _draw(self, data: JsonObject) -> None:
        if not self._stream.isatty():
            return
        if self._bar is None:
            # ASCII: a Windows console may know no block characters.
            self._bar = tqdm(total=data["total"], file=self._stream, unit="img", ascii=True, dynamic_ncols=True)
        self._bar.total = data["total"]
        self._bar.n = data["completed"]
        self._bar.set_description_str(data.get("phase") or data["status"], refresh=False)
        postfix = {"ok": data["success"], "skipped": data["skipped"], "failed": data["failed"]}
        self._bar.set_postfix(postfix, refresh=False)
        self._bar.refresh()

    def _tell(self, line: str) -> None:
        if self._bar is not None:
            self._bar.write(line, file=self._stream)
        else:
            print(line, file=self._stream, flush=True)
