"""Write down every request that the vendor receives, and the windows that it announced."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Entry:
    """One request: when (clock seconds), what, how it was answered, and whether it came into a closed window."""

    at: float
    method: str
    path: str
    questions: tuple[str, ...]
    inside_window: bool
    headers: dict = field(default_factory=dict)
    status: int = 0
    kind: str = "lost"  # answered, refused, or the fault's name


class Journal:
    """Keep the entries; a window counts as announced once its refusal has left."""

    def __init__(self):
        self.entries = []
        self.announced_until = -math.inf

    def open(self, at, method, path, questions, headers):
        entry = Entry(at, method, path, tuple(questions), at < self.announced_until, dict(headers))
        self.entries.append(entry)
        return entry

    def announce(self, until):
        self.announced_until = max(self.announced_until, until)

    @property
    def inside_windows(self):
        """How many requests came into a window that had been announced before."""
        return sum(one.inside_window for one in self.entries)

    @property
    def asked(self):
        """Every hash and id that was asked for, with how often."""
        return Counter(question for one in self.entries for question in one.questions)

    def count(self, kind):
        return sum(one.kind == kind for one in self.entries)

    def summary(self):
        kinds = Counter(one.kind for one in self.entries)
        return {"requests": len(self.entries), "inside_windows": self.inside_windows, "kinds": dict(kinds)}
