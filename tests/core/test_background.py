"""One task beside everything else: begun once, again after its end, and ended when asked."""

from __future__ import annotations

import asyncio

from py.core.background import Background


async def test_it_runs_once_at_a_time_and_again_after_its_end():
    """A second start does nothing while it runs; after the end the work is begun anew."""
    begun, gate = [], asyncio.Event()

    async def work():
        begun.append(1)
        await gate.wait()

    background = Background(work)
    assert not background.was_started
    for _ in range(3):
        background.start()
        await asyncio.sleep(0)
    assert (len(begun), background.was_started) == (1, True)
    gate.set()
    await background.settled()
    background.start()
    await background.settled()
    assert len(begun) == 2


async def test_closing_waits_for_the_end():
    """What the work does last has been done when `close` returns, however often it is called; also before a start."""
    ended = []

    async def work():
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            ended.append(1)

    background = Background(work)
    await background.close()
    background.start()
    await asyncio.sleep(0)
    await background.close()
    assert ended == [1]
    await background.close()


async def test_an_error_of_the_work_does_not_keep_others_from_closing(caplog):
    """Whoever closes everything comes to the end of it; the log has the error."""

    async def work():
        raise ValueError("a defect")

    background = Background(work)
    background.start()
    await background.settled()
    await background.close()
    assert "a defect" in caplog.text
