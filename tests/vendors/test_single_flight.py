"""One question, one answer, however many ask."""

from __future__ import annotations

import asyncio

import pytest

from py.vendors.single_flight import SingleFlight


class Question:
    """Answer when told to, and count."""

    def __init__(self):
        self.asked = self.cancelled = 0
        self.answer = asyncio.Event()

    async def ask(self):
        self.asked += 1
        try:
            await self.answer.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return "answer"


async def asking(flights, question, count):
    tasks = [asyncio.ensure_future(flights.run("key", question.ask)) for _ in range(count)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return tasks


async def test_many_askers_share_one_request():
    """A hundred ask at once, one request is made, all get its answer; the next one asks anew."""
    flights, question = SingleFlight(), Question()
    tasks = await asking(flights, question, 100)
    question.answer.set()
    assert await asyncio.gather(*tasks) == ["answer"] * 100
    assert question.asked == 1
    assert "key" not in flights
    await flights.run("key", question.ask)
    assert question.asked == 2


async def test_a_cancelled_asker_leaves_the_others_alone():
    """Also the one who asked first."""
    flights, question = SingleFlight(), Question()
    first, *rest = await asking(flights, question, 3)
    first.cancel()
    await asyncio.wait({first})
    question.answer.set()
    assert await asyncio.gather(*rest) == ["answer"] * 2
    assert question.cancelled == 0


async def test_the_last_cancelled_asker_takes_the_request_along():
    """When nobody waits any more, nothing is asked any more."""
    flights, question = SingleFlight(), Question()
    tasks = await asking(flights, question, 3)
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    assert (question.cancelled, "key" in flights) == (1, False)


async def test_an_error_reaches_every_asker():
    """Nobody waits for ever for an answer that failed."""
    flights = SingleFlight()

    async def fail():
        await asyncio.sleep(0)
        raise ValueError

    tasks = [asyncio.ensure_future(flights.run("key", fail)) for _ in range(2)]
    for task in tasks:
        with pytest.raises(ValueError):  # noqa: PT011 - any will do
            await task
