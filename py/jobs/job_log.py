"""Keep a log file for each job, for the question "what happened to my image?" months later."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

from ..core.ports import Clock

logger = logging.getLogger(__name__)

MOST_ANSWERS = 20
_ANSWER = "ANSWER"
_MARK_WITHIN = len("2026-01-01T00:00:00Z ") + len(_ANSWER)


class JobLog:
    """Append lines to ``<folder>/<job id>.log``; blocks on the disk, and never fails the job."""

    def __init__(self, folder: Path, job_id: str, clock: Clock) -> None:
        self.path = folder / f"{job_id}.log"
        self._clock = clock

    def keep_answers(self, samples: Iterable[str]) -> None:
        """Keep answers that could not be understood, up to `MOST_ANSWERS` in a job whatever stops and resumes it."""
        room = MOST_ANSWERS - self._kept_answers()
        self.write([f"{_ANSWER} {sample}" for sample in islice(samples, max(0, room))])

    def _kept_answers(self) -> int:
        try:
            with self.path.open(encoding="utf-8", errors="replace") as file:
                return sum(_ANSWER in line[:_MARK_WITHIN] for line in file)
        except OSError:
            return 0

    def write(self, lines: Sequence[str]) -> None:
        """Append lines, each with the time in UTC."""
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self._clock.wall()))
        text = "".join(f"{stamp} {' '.join(line.splitlines())}\n" for line in lines)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8", errors="replace") as file:
                file.write(text)
        except OSError as error:
            logger.debug("the log of an import cannot be written: %s", error.strerror)
