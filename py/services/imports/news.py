"""Tell watchers which recipes are new, in the rhythm of the progress and in messages of bounded size."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from ...core.events import RECIPES_CHANGED
from ...core.ports import Clock, ProgressSink
from ...jobs.feed import Feed

SHOWN_IDS = 50  # in one message; whoever shows more asks for the list again


class RecipeNews:
    """Gather the ids of new recipes and publish them now and then; must be used on the event loop."""

    def __init__(self, sink: ProgressSink, clock: Clock) -> None:
        self._ids: list[str] = []
        self._more = False
        self._feed = Feed(clock, self._message, partial(sink.publish, RECIPES_CHANGED))

    def add(self, ids: Sequence[str]) -> None:
        """Take in new ids; beyond `SHOWN_IDS` only that there are more is kept."""
        room = SHOWN_IDS - len(self._ids)
        self._more = self._more or len(ids) > room
        self._ids += ids[:room]
        self._feed.touch()

    async def close(self) -> None:
        """Publish what has not been, and end."""
        await self._feed.close()

    def _message(self) -> dict[str, Any]:
        message = {"ids": self._ids, "more": self._more}
        self._ids, self._more = [], False
        return message
