"""Lanes, cautious mode, try now, shared hosts, and a hundred thousand comings and goings."""

from __future__ import annotations

import asyncio
import logging

import pytest

from py.core.errors import RateLimitError, RegionBlockedError, UnreachableError
from py.core.settings_table import DEFAULTS
from py.net.policy import GatePolicy
from py.storage.database import Database
from py.storage.window_store import WindowStore
from tests.doubles.window_memory import MemoryOfWindows
from tests.services.gate_kit import HOST, PAD, Lab


async def test_a_click_waits_two_turns_at_most_whatever_the_batch_does():
    """Five thousand batch callers in line: the click is next, or next but one."""
    lab = Lab()
    for _ in range(50):
        lab.ask()
    await lab.clock.advance(1)

    lab.ask(lane="interactive", name="click")
    await lab.clock.advance(1.6)

    assert "click" in lab.names
    await lab.close()


async def test_the_pace_is_no_refusal():
    """While the vendor's window is open nobody is put off, however slow the pace and however small the budget."""
    lab = Lab()
    for _ in range(20):
        lab.ask(within=0.5)

    await lab.clock.advance(15)

    assert len(lab.sends) == 20
    assert lab.refused == []
    await lab.close()


async def test_standing_in_line_uses_up_no_patience():
    """A caller with five seconds that has stood in line for ten still waits out a window of four."""
    lab = Lab()
    for _ in range(14):
        lab.ask(within=5)
    last = lab.ask(within=5, name="last")
    await lab.clock.advance(9.8)

    lab.refuse(2)
    await lab.clock.advance(30)

    assert lab.refused == []
    assert last.result().in_line == pytest.approx(
        last.result().sent_at - 1000 - lab.gate._buckets.gate(HOST).closed_clock()
    )
    lab.refuse(2)
    lab.ask(within=5, name="short")
    lab.refuse(6)
    await lab.clock.advance(1)
    assert [name for name, _ in lab.refused] == ["short"]
    await lab.close()


async def test_interactive_callers_may_have_a_shorter_budget():
    """A setting of its own; empty means the same as batch."""
    assert GatePolicy().max_wait("interactive") == GatePolicy().max_wait("batch") == 300
    assert GatePolicy(interactive_max_wait_seconds=20).max_wait("interactive") == 20


def test_the_policy_is_the_settings_table():
    """Every `rate_limit_*` setting is a field, with the table's default."""
    policy = GatePolicy.from_settings(DEFAULTS.__getitem__)

    assert policy == GatePolicy()
    names = {name for name in DEFAULTS if name.startswith("rate_limit_")}
    assert names == {f"rate_limit_{name}" for name in GatePolicy.__dataclass_fields__}


async def test_the_next_goes_at_its_time_though_nobody_has_answered():
    """Outside windows the pace alone decides: requests overlap."""
    lab = Lab()

    for _ in range(3):
        lab.ask(hold=True)
    await lab.clock.advance(1.6)

    assert lab.times == [0, 0.75, 1.5]
    await lab.close()


@pytest.mark.parametrize(("interval", "heed"), [(0.1, 0.2), (0.02, 1.0), (0.0, 1.0)])
async def test_at_a_fast_pace_the_last_answer_is_heeded(interval, heed):
    """It may be a refusal on its way: the next request waits for it, a little while, and goes when it has come."""
    lab = Lab(min_interval_seconds=interval)
    slow, answered = lab.ask(hold=True), [lab.ask() for _ in range(3)]
    await lab.clock.advance(heed - 0.01)
    assert lab.times == [0]

    await lab.clock.advance(1)

    assert lab.times == pytest.approx([0, *(heed + number * interval for number in range(3))])
    assert all(task.done() for task in (slow, *answered))
    await lab.close()


async def test_after_a_window_one_request_goes_first():
    """If it is refused, too, the whole wait has cost one request."""
    lab = Lab(min_interval_seconds=0.1)
    lab.refuse(60)
    tasks = [lab.ask(hold=True) for _ in range(10)]
    await lab.clock.advance(70)
    assert len(lab.sends) == 1

    slot = next(task.result() for task in tasks if task.done())
    lab.gate.register_success(HOST, slot=slot)
    slot.finish()
    await lab.clock.advance(60)

    assert len(lab.sends) == 10
    await lab.close()


async def test_cautious_batch_requests_go_one_at_a_time_ten_to_twenty_seconds_apart():
    """The next one waits for the answer and for a random pause; clicks keep the usual pace."""
    lab = Lab(cautious_enabled=True)
    tasks = [lab.ask(hold=True) for _ in range(3)]
    await lab.clock.advance(30)
    assert len(lab.sends) == 1

    tasks[0].result().finish()
    await lab.clock.advance(1)
    assert len(lab.sends) == 2
    lab.ask(lane="interactive", name="click")
    await lab.clock.advance(1)

    assert lab.names == ["batch", "batch", "click"]
    for task in tasks[1:]:
        if task.done():
            task.result().finish()
    await lab.clock.advance(25)
    gaps = [later - earlier for earlier, later in zip(lab.times[1::2], lab.times[3::2], strict=False)]
    assert all(10 <= gap <= 21 for gap in gaps)
    await lab.close()


async def test_the_cautious_ladder_is_gentler_and_ends_at_five_minutes():
    """20 s · 3^N give or take a fifth, 300 s at most; a success resets it."""
    lab, waits = Lab(cautious_enabled=True), []
    for _ in range(4):
        lab.refuse()
        waits.append(lab.gate.remaining_seconds(HOST))
        lab.clock.now += 400
    lab.gate.register_success(HOST)
    lab.refuse()
    waits.append(lab.gate.remaining_seconds(HOST))

    bounds = [(16, 24), (48, 72), (144, 216), (300, 300), (16, 24)]
    assert all(low <= wait <= high + PAD for wait, (low, high) in zip(waits, bounds, strict=True))
    await lab.close()


async def test_without_adaptation_the_interval_is_fixed():
    """Exactly the plan's interval, whatever has been refused."""
    lab = Lab(adaptive_enabled=False)
    for _ in range(5):
        lab.refuse(10)
        await lab.clock.advance(20)

    for _ in range(3):
        lab.ask()
    await lab.clock.advance(5)

    assert [round(one - lab.times[0], 6) for one in lab.times] == [0, 0.75, 1.5]
    await lab.close()


async def test_each_further_hit_halves_the_pace_down_to_one_in_ten_seconds():
    """1.33/s, 0.67/s, 0.33/s, … and never slower than 0.1/s."""
    lab, paces = Lab(), []
    for _ in range(6):
        lab.ask()
        await lab.clock.advance(15)
        lab.refuse(5)
        paces.append(lab.gate.snapshot()[0]["pace_per_second"])
        await lab.clock.advance(10)

    assert paces[0] == pytest.approx(0.667, abs=0.01)
    assert paces == sorted(paces, reverse=True)
    assert paces[-1] == pytest.approx(0.1)
    await lab.close()


async def test_try_now_sends_one_request_into_the_window_and_no_more():
    """A person may ask in spite of it, a waiting batch or a click; the answer opens nothing."""
    lab = Lab()
    lab.refuse(2520)
    for _ in range(3):
        lab.ask(name="batch")
    await lab.clock.settle()

    lab.gate.try_now(HOST)
    await lab.clock.advance(100)
    assert lab.names == ["batch"]
    lab.gate.try_now(HOST)
    lab.ask(lane="interactive", within=1, name="click")
    await lab.clock.advance(100)

    assert len(lab.names) == 2
    assert lab.gate.in_cooldown(HOST)
    await lab.close()


async def test_what_comes_just_after_try_now_goes_at_once():
    """The gate may be asleep until the window ends, with nobody in line: the one request must not sleep with it."""
    lab = Lab(memory=MemoryOfWindows())
    lab.refuse(2520)
    await lab.clock.advance(1)

    lab.gate.try_now(HOST)
    await lab.clock.advance(1)
    lab.ask(within=300, name="again")
    await lab.clock.advance(1)

    assert lab.names == ["again"]
    await lab.close()


async def test_hosts_of_one_vendor_can_share_a_window():
    """A setting names them; without it they are strangers."""
    lab = Lab(shared_hosts=("civitai.red", "civitai.com"))

    lab.refuse(60, host="civitai.com")

    assert lab.gate.in_cooldown("civitai.red")
    assert not lab.gate.in_cooldown("civarchive.com")
    lab.set(shared_hosts=())
    await lab.clock.settle()
    assert not lab.gate.in_cooldown("civitai.com")
    await lab.close()


async def test_a_host_that_wants_a_browser_is_left_alone():
    """Callers hear until when, and may ask elsewhere; no pace is cut."""
    lab = Lab()

    lab.gate.register_challenge(HOST)

    with pytest.raises(UnreachableError) as caught:
        lab.gate.check(HOST)
    assert caught.value.retry_at == lab.clock.wall() + 300
    row = lab.gate.snapshot()[0]
    assert row["paused_because"] == "wants to see a browser"
    assert row["ceiling_per_second"] is None
    await lab.clock.advance(300)
    lab.gate.check(HOST)
    await lab.close()


async def test_a_host_that_talks_nonsense_is_left_alone_until_a_time_that_is_shown():
    """Three in a row are worth a minute; its row names the end, and a person may ask sooner, for one answer."""
    lab = Lab()
    for _ in range(2):
        lab.gate.register_nonsense(HOST)
    assert lab.gate.rest_ends_at(HOST) is None

    lab.gate.register_nonsense(HOST)

    row = lab.gate.snapshot()[0]
    assert (row["window_open"], row["remaining_seconds"], row["retry_at"]) == (False, 60, lab.clock.wall() + 60)
    assert (lab.gate.rest_seconds(HOST), lab.gate.rest_ends_at(HOST)) == (60, lab.clock.wall() + 60)
    lab.gate.try_now(HOST)
    lab.gate.check(HOST)
    lab.gate.register_nonsense(HOST)
    assert lab.gate.rest_seconds(HOST) == 60
    await lab.clock.advance(60)
    lab.gate.check(HOST)
    assert lab.gate.snapshot()[0]["retry_at"] is None
    await lab.close()


async def test_a_blocked_region_is_asked_once():
    """451 holds for the session, which has no end that could be named; no click changes it."""
    lab = Lab()

    lab.gate.register_region_block(HOST)
    lab.gate.try_now(HOST)

    with pytest.raises(RegionBlockedError):
        lab.gate.check(HOST)
    row = lab.gate.snapshot()[0]
    assert (row["retry_at"], row["remaining_seconds"]) == (None, 0)
    await lab.close()


async def test_a_change_is_logged_once_each_way(caplog):
    """One line when a window closes, none while it grows, one when it opens; no line holds a key or a query."""
    caplog.set_level(logging.INFO)
    lab = Lab()

    lab.refuse(60)
    lab.refuse(120)
    lab.refuse(300)
    await lab.clock.advance(400)

    messages = [record.getMessage() for record in caplog.records]
    assert len(messages) == 2
    assert "asked us to wait" in messages[0]
    assert "may be asked again" in messages[1]
    assert all(message.isascii() for message in messages)
    await lab.close()


async def test_a_hundred_thousand_come_and_go_and_nothing_is_lost():
    """No slot, no wake-up and no timer stays behind; the next caller is served as if nothing had been."""
    lab = Lab()
    slot = await lab.gate.wait_for_slot(HOST, 1e9)
    slot.finish()

    for _ in range(100):
        tasks = [asyncio.ensure_future(lab.gate.wait_for_slot(HOST, 1e9)) for _ in range(1000)]
        await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    assert lab.gate.snapshot()[0]["waiting"] == 0
    assert lab.clock.sleeping == 0
    lab.ask()
    await lab.clock.advance(0.75)
    assert lab.times == [0.75]
    assert lab.gate.snapshot()[0]["sent"] == 2
    await lab.close()


async def test_a_broken_memory_stops_nothing(caplog):
    """If the database cannot be read, windows of our own hold and the pace stays; it is said once each way."""
    memory = MemoryOfWindows()
    lab = Lab(memory=memory)
    memory.broken = True
    for _ in range(3):
        lab.ask()
    await lab.clock.advance(5)
    assert lab.times == [0, 0.75, 1.5]
    lab.refuse(60)
    await lab.clock.settle()
    assert lab.gate.in_cooldown(HOST)

    memory.broken = False
    caplog.set_level(logging.INFO)
    lab.ask()
    await lab.clock.advance(70)

    assert sum("cannot be shared" in record.getMessage() for record in caplog.records) == 1
    assert sum("shared with other processes again" in record.getMessage() for record in caplog.records) == 1
    await lab.close()


async def test_the_others_requests_count_when_a_ceiling_is_measured():
    """Two processes at one vendor: what it takes from both is what it permits."""
    memory = MemoryOfWindows()
    alone = Lab(memory=MemoryOfWindows())
    one = Lab(memory=memory, clock=alone.clock)
    two = Lab(memory=memory, clock=alone.clock)
    for _ in range(20):
        alone.ask()
        one.ask()
        two.ask()
    await alone.clock.advance(14.9)
    for lab in (alone, one):
        lab.refuse(5)

    ceilings = [lab.gate.snapshot()[0]["ceiling_per_second"] for lab in (alone, one)]
    assert ceilings[1] == pytest.approx(ceilings[0], rel=0.2)
    for lab in (alone, one, two):
        await lab.close()


async def test_the_database_keeps_windows_and_turns(tmp_path):
    """The SQLite store does what its double does: later deadlines stand, serials grow, turns are handed out in order."""
    database = await Database.open(tmp_path / "pantry.sqlite")
    store = WindowStore(database)
    lab = Lab(memory=store)
    lab.refuse(600)
    await lab.gate.close()
    (row,) = await store.load()
    assert row.until == pytest.approx(lab.clock.wall() + 600, abs=PAD)

    lab.refuse(5)
    await lab.gate.close()
    assert (await store.read(HOST)).until == row.until

    now = lab.clock.wall()
    turns = [(await store.claim("other", now_wall=now, interval=2.0))[0] for _ in range(3)]
    assert turns == pytest.approx([0, 2, 4], abs=1e-3)
    late, shared = await store.claim("other", now_wall=now - 3600, interval=2.0)
    assert (late, shared.turns, shared.serial) == (0, 4, 0)
    await database.close()


async def test_rows_that_no_process_of_ours_wrote_are_ignored(tmp_path):
    """A window of infinity, or of text, closes nothing."""
    database = await Database.open(tmp_path / "pantry.sqlite")
    async with database.transaction() as tx:
        await tx.execute("INSERT INTO windows (key, until, delay, serial) VALUES ('a', 9e999, 60, 1)")
        await tx.execute("INSERT INTO windows (key, until, delay, serial) VALUES ('b', 'soon', 60, 1)")
    lab = Lab(memory=WindowStore(database))

    await lab.gate.load()

    assert not lab.gate.in_cooldown("a")
    assert not lab.gate.in_cooldown("b")
    await lab.close()
    await database.close()


async def test_a_watcher_that_fails_stops_nothing(caplog):
    """Its defect is logged; the window closes, opens and serves all the same."""
    lab, heard = Lab(), []

    def broken(_host):
        raise ValueError("a defect")

    lab.gate.subscribe(broken)
    lab.gate.subscribe(heard.append)
    lab.refuse(60)
    lab.ask()
    await lab.clock.advance(70)

    assert heard == [HOST, HOST]
    assert len(lab.sends) == 1
    assert "a defect" in caplog.text
    await lab.close()


async def test_a_defect_leaves_nobody_waiting_for_ever():
    """If the sleeper dies, its waiters hear why."""
    memory = MemoryOfWindows()
    lab = Lab(memory=memory)

    async def broken(*_args, **_kwargs):
        raise ZeroDivisionError

    memory.claim = broken
    tasks = [lab.ask() for _ in range(3)]
    await lab.clock.advance(1)

    assert all(isinstance(task.exception(), ZeroDivisionError) for task in tasks)
    assert lab.gate.snapshot()[0]["waiting"] == 0
    await lab.close()


async def test_off_means_no_waiting_and_still_no_request_into_a_window():
    """Callers that wait when the gate is switched off are told at once."""
    lab = Lab()
    lab.refuse(60)
    task = lab.ask(name="waiting")
    await lab.clock.settle()

    lab.set(gate_enabled=False)
    await lab.clock.advance(16)

    assert task.done()
    assert isinstance(lab.refused[0][1], RateLimitError)
    assert lab.sends == []
    await lab.close()
