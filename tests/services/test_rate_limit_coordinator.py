"""The gate, with a clock that moves only when told to."""

from __future__ import annotations

import asyncio

import pytest

from py.core.errors import RateLimitError
from tests.services.gate_kit import HOST, PAD, Lab


async def test_a_named_wait_is_kept_and_then_ends():
    """After a refusal nothing is sent before the vendor's window ends, and then the waiter goes."""
    lab = Lab()
    lab.refuse(60)

    lab.ask()
    await lab.clock.advance(60)
    assert lab.sends == []

    await lab.clock.advance(PAD)

    assert len(lab.sends) == 1
    await lab.close()


async def test_a_thousand_waiters_share_one_sleeper_and_one_wake_up():
    """However many wait, one task sleeps, and together they wait one window rather than a thousand."""
    lab = Lab(min_interval_seconds=0, adaptive_enabled=False)
    lab.refuse(300)

    for _ in range(1000):
        lab.ask()
    await lab.clock.advance(299.9)
    assert (lab.sends, lab.clock.sleeping) == ([], 1)

    await lab.clock.advance(PAD)
    await lab.clock.settle(5000)

    assert len(lab.sends) == 1000
    await lab.close()


async def test_requests_to_one_host_keep_their_distance():
    """Two calls back to back are `min_interval` apart; another host is not held up."""
    lab = Lab()

    for _ in range(3):
        lab.ask()
    lab.ask(host="civarchive.com", name="other")
    await lab.clock.advance(2)

    assert sorted(lab.times) == [0, 0, 0.75, 1.5]
    await lab.close()


async def test_refusals_without_a_named_wait_climb_the_ladder_and_a_success_resets_it():
    """30 s, 60 s, 120 s; after a served request 30 s again."""
    lab, waits = Lab(), []

    for _ in range(3):
        lab.refuse()
        waits.append(lab.gate.remaining_seconds(HOST))
        await lab.clock.advance(waits[-1] + 1)
    lab.ask()
    await lab.clock.advance(20)
    lab.refuse()
    waits.append(lab.gate.remaining_seconds(HOST))

    assert [wait // 10 * 10 for wait in waits] == [30, 60, 120, 30]
    await lab.close()


async def test_a_wait_that_is_too_long_is_refused_at_once():
    """The caller hears when to come back, without having waited, and that nobody has to wait again."""
    lab = Lab()
    lab.refuse(600)
    before = lab.clock.monotonic()

    with pytest.raises(RateLimitError) as caught:
        await lab.gate.wait_for_slot(HOST, before + 300)

    assert lab.clock.monotonic() == before
    assert caught.value.gate_handled
    assert 600 <= caught.value.retry_after <= 600 + PAD
    assert caught.value.retry_at == pytest.approx(lab.clock.wall() + caught.value.retry_after)
    await lab.close()


async def test_a_window_that_grows_past_a_waiters_deadline_releases_it_at_once():
    """Who cannot be served in time any more does not go on waiting."""
    lab = Lab()
    lab.refuse(60)
    lab.ask(within=100, name="short")
    lab.ask(within=10_000, name="patient")
    await lab.clock.advance(10)

    lab.refuse(2500)
    await lab.clock.advance(16)

    assert [name for name, _ in lab.refused] == ["short"]
    assert lab.gate.snapshot()[0]["waiting"] == 1
    await lab.close()


async def test_settings_act_on_the_next_request():
    """A shorter interval, or no gate at all, needs no restart."""
    lab = Lab(min_interval_seconds=10)
    lab.ask()
    await lab.clock.advance(1)

    lab.set(min_interval_seconds=1)
    lab.ask()
    await lab.clock.settle()
    lab.set(gate_enabled=False)
    lab.ask()
    lab.ask()
    await lab.clock.settle()

    assert lab.times == [0, 1, 1, 1]
    await lab.close()


async def test_without_the_gate_a_known_window_is_reported_at_once():
    """Switched off, nobody waits; still nothing is sent into a window that the vendor has named."""
    lab = Lab(gate_enabled=False)
    lab.refuse(20)

    with pytest.raises(RateLimitError):
        await lab.gate.wait_for_slot(HOST, lab.clock.monotonic() + 300)
    await lab.close()


async def test_watchers_hear_closing_and_opening():
    """Whoever subscribes hears both, once each, even when nobody waits."""
    lab, heard = Lab(), []
    stop = lab.gate.subscribe(lambda host: heard.append((host, lab.gate.in_cooldown(host))))

    lab.refuse(60)
    await lab.clock.advance(100)
    stop()
    lab.refuse(60)

    assert heard == [(HOST, True), (HOST, False)]
    await lab.close()


async def test_the_network_row_says_everything():
    """One row per host holds window, pace, counts and queue."""
    lab = Lab()
    await asyncio.wait_for(lab.ask(), 1)
    lab.refuse(60)
    lab.gate.note_saved(HOST, 7)
    lab.ask(lane="interactive")
    await lab.clock.settle()

    (row,) = lab.gate.snapshot()

    assert row["host"] == HOST
    assert not row["window_open"]
    assert 60 < row["remaining_seconds"] < 60 + PAD
    assert row["retry_at"] == pytest.approx(lab.clock.wall() + row["remaining_seconds"])
    assert (row["sent"], row["refused"], row["saved"]) == (1, 1, 7)
    assert (row["waiting"], row["waiting_interactive"], row["waiting_batch"]) == (1, 1, 0)
    assert row["pace_per_second"] == pytest.approx(0.5 / 0.75)
    assert "civitai.red: closed" in repr(lab.gate)
    await lab.close()
