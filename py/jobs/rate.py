"""Estimate how fast a job goes and when it will be done. Pure: time is an argument."""

from __future__ import annotations

from collections import deque

WINDOW_SECONDS = 30.0


class Rate:
    """Follow a growing count over the last `WINDOW_SECONDS`."""

    def __init__(self, now: float, count: int) -> None:
        self._samples: deque[tuple[float, int]] = deque([(now, count)])

    def note(self, now: float, count: int) -> None:
        """Take a sample; samples closer than a second apart replace each other."""
        if len(self._samples) > 1 and now - self._samples[-2][0] < 1:
            self._samples.pop()
        self._samples.append((now, count))
        while len(self._samples) > 2 and now - self._samples[1][0] > WINDOW_SECONDS:  # noqa: PLR2004 - two ends
            self._samples.popleft()

    def per_second(self) -> float | None:
        """Return items per second, or None before anything can be said."""
        (start, before), (end, count) = self._samples[0], self._samples[-1]
        return (count - before) / (end - start) if end > start and count > before else None

    def eta(self, left: int) -> float | None:
        """Return the seconds that `left` items will take, or None."""
        speed = self.per_second()
        return left / speed if speed else None
