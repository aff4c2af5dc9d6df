"""Say which models have changed, a few times a second at most, however fast they do."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from ..core.events import MODELS_CHANGED
from ..core.ports import Clock, JsonObject, ProgressSink
from ..jobs.feed import Feed

SHOWN_IDS = 500  # ids in one event


class ModelNews:
    """Collect model numbers and publish them together as ``pantry.models_changed``."""

    def __init__(self, clock: Clock, sink: ProgressSink) -> None:
        self._numbers: set[int] = set()
        self._feed = Feed(clock, self._take, partial(sink.publish, MODELS_CHANGED))

    def add(self, numbers: Iterable[int]) -> None:
        """Note changed models."""
        self._numbers.update(numbers)
        if self._numbers:
            self._feed.touch()

    async def close(self) -> None:
        """Publish what is left."""
        await self._feed.close()

    def _take(self) -> JsonObject:
        numbers, self._numbers = sorted(self._numbers), set()
        return {"ids": numbers[:SHOWN_IDS], "more": len(numbers) > SHOWN_IDS}
