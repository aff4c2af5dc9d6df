"""The races and edge cases that client-side limiters are known to get wrong, one test each."""

from __future__ import annotations

import asyncio

import pytest

from py.core.errors import (
    MalformedAnswerError,
    RateLimitError,
    UnauthorisedError,
    UnreachableError,
    VendorNotFoundError,
    VendorRefusedError,
)
from py.core.ports import StoredWindow, TransportFailure
from py.net.backoff import ladder
from tests.doubles.fake_clock import FakeClock
from tests.doubles.window_memory import MemoryOfWindows
from tests.services.gate_kit import HOST, PAD, Lab
from tests.services.test_downloader import URL, Desk


async def in_flight(lab, count, **options):
    """Return the slots of `count` requests that have been sent and not answered."""
    tasks = [lab.ask(hold=True, **options) for _ in range(count)]
    await lab.clock.advance(count * 1.0)
    return [task.result() for task in tasks]


async def test_01_successes_of_earlier_sends_change_nothing():
    """20 in flight, a refusal, 19 successes: window, ladder and cut stay."""
    lab = Lab(min_interval_seconds=0.01)
    slots = await in_flight(lab, 20)
    lab.refuse(600, slot=slots[0])
    before = lab.gate.snapshot()[0]

    for slot in slots[1:]:
        lab.gate.register_success(HOST, slot=slot)

    assert lab.gate.snapshot()[0] == before
    assert lab.gate.in_cooldown(HOST)
    await lab.close()


async def test_02_twenty_refusals_at_once_are_one_cut_and_one_step():
    """Requests that were sent together are one congestion event."""
    lab = Lab(min_interval_seconds=0.01)
    slots = await in_flight(lab, 20)

    lab.refuse(slot=slots[0])
    ceiling = lab.gate.snapshot()[0]["ceiling_per_second"]
    for slot in slots[1:]:
        lab.refuse(slot=slot)

    row = lab.gate.snapshot()[0]
    assert row["ceiling_per_second"] == ceiling
    assert 30 <= row["remaining_seconds"] <= 30 + PAD
    assert row["refused"] == 20
    await lab.close()


async def test_03_the_longer_of_two_waits_stands():
    """2500 s, then 5 s: 2500 s."""
    lab = Lab()

    lab.refuse(2500)
    lab.refuse(5)

    assert lab.gate.remaining_seconds(HOST) >= 2500
    await lab.close()


async def test_04_a_gate_that_closes_while_a_caller_waits_for_its_turn_stays_shut():
    """The window is tested again after the pacing wait."""
    lab = Lab()
    first = lab.ask(hold=True)
    lab.ask()
    await lab.clock.advance(0.5)

    lab.refuse(60, slot=first.result())
    await lab.clock.advance(59)

    assert lab.times == [0]
    await lab.close()


@pytest.mark.parametrize("turns", range(8))
async def test_05_a_caller_cancelled_at_any_moment_leaves_no_trace(turns):
    """While it queues, when its turn is being handed over, or just before it sends: the next one goes."""
    lab = Lab()
    lab.ask(hold=True)
    victim = lab.ask(name="victim")
    lab.ask(name="next")
    await lab.clock.settle()
    lab.clock.now += 0.75
    advance = asyncio.ensure_future(lab.clock.advance(0))
    for _ in range(20 + turns):
        await asyncio.sleep(0)

    victim.cancel()
    await advance
    await lab.clock.advance(2)

    assert "next" in lab.names
    assert lab.gate.snapshot()[0]["waiting"] == 0
    assert lab.clock.sleeping == 0
    assert lab.gate.snapshot()[0]["sent"] == len(lab.sends)
    await lab.close()


async def test_06_the_caller_that_met_the_refusal_may_go():
    """The gate is opened by time, not by a task: cancelling whoever met the 429 locks nobody out."""
    desk = Desk((429, {}, {"retry-after": "30"}))
    met = desk.get()
    await desk.clock.settle()
    other = desk.get()
    await desk.clock.settle()

    met.cancel()
    await desk.clock.advance(40)

    assert other.result().status == 200
    await desk.close()


async def test_07_ten_thousand_refusals_are_finite():
    """The exponent is bounded before the power."""
    lab = Lab()
    for _ in range(10_000):
        lab.clock.now += 2000
        lab.refuse()

    assert lab.gate.remaining_seconds(HOST) <= 1800 + PAD
    assert ladder(10**6, base=30, cap=1800) == 1800
    await lab.close()


# 8, every header value: tests/net/test_retry_after.py


async def test_09_a_wait_counts_from_the_headers_not_from_a_slow_body():
    """A body that takes ten seconds does not lengthen the window by ten seconds."""
    desk = Desk()

    async def slow():
        received = desk.clock.monotonic()
        await desk.clock.sleep(10)
        return 429, {}, {"retry-after": "100", "x-received": str(received)}

    desk.wire.script.append(slow)
    original = desk.wire.response

    def stamped(request, step):
        response = original(request, step)
        received = float(response.headers.get("x-received", response.received_monotonic))
        return type(response)(
            **{**{f: getattr(response, f) for f in response.__slots__}, "received_monotonic": received}
        )

    desk.wire.response = stamped
    task = desk.get()
    await desk.clock.advance(10.5)

    assert 89 <= desk.gate.remaining_seconds(HOST) <= 90 + PAD
    task.cancel()
    await desk.close()


async def test_10_a_date_is_read_by_the_vendors_clock():
    """A client clock that is two hours off keeps the same window."""
    desk = Desk((429, {}, {"retry-after": "Fri, 15 Jan 2027 08:01:00 GMT", "date": "Fri, 15 Jan 2027 08:00:00 GMT"}))
    desk.clock.step_wall(7200)
    task = desk.get()
    await desk.clock.settle()

    assert 60 <= desk.gate.remaining_seconds(HOST) <= 60 + PAD
    task.cancel()
    await desk.close()


async def test_11_a_window_ends_on_time_after_a_suspend():
    """The clock counts sleep and is asked again every few seconds: nobody waits the night on top."""
    lab = Lab()
    lab.refuse(2520)
    lab.ask()
    await lab.clock.advance(20)

    lab.clock.now += 3000  # the machine was asleep
    await lab.clock.advance(16)

    assert len(lab.sends) == 1
    await lab.close()


@pytest.mark.parametrize("step", [-3600, 3600])
async def test_12_a_stepped_wall_clock_neither_bursts_nor_locks_out(step):
    """NTP, summer time, a dual boot: windows and pace are measured by the other clock, shared rows believed once."""
    lab = Lab(memory=MemoryOfWindows())
    lab.refuse(60)
    await lab.clock.settle()
    for _ in range(3):
        lab.ask()

    lab.clock.step_wall(step)
    await lab.clock.advance(59)
    assert lab.sends == []
    await lab.clock.advance(20)

    assert len(lab.sends) == 3
    assert all(later - earlier >= 0.75 for earlier, later in zip(lab.times, lab.times[1:], strict=False))
    await lab.close()


async def test_13_a_restart_in_the_middle_of_a_window_sends_nothing():
    """42 minutes stay 42 minutes; corrupt rows and rows from the future are ignored."""
    memory, clock = MemoryOfWindows(), FakeClock()
    before = Lab(memory=memory, clock=clock)
    before.refuse(2520)
    await clock.settle()
    await before.close()
    await clock.advance(600)
    memory.rows["absurd.example"] = StoredWindow(key="absurd.example", until=clock.wall() + 1e7, delay=60, serial=1)
    memory.rows["junk.example"] = StoredWindow(key="junk.example", until=clock.wall() + 50, delay=-1, serial=1)

    after = Lab(memory=memory, clock=clock)
    await after.gate.load()

    assert 1920 <= after.gate.remaining_seconds(HOST) <= 1920 + PAD
    assert not after.gate.in_cooldown("absurd.example")
    assert not after.gate.in_cooldown("junk.example")
    after.ask(within=300)
    await clock.settle()
    assert after.sends == []
    await after.close()


async def test_13b_a_restart_after_the_clock_was_set_back_waits_no_longer_than_the_window():
    """What is left is the smaller of what the wall clock says and what the vendor named."""
    memory, clock = MemoryOfWindows(), FakeClock()
    before = Lab(memory=memory, clock=clock)
    before.refuse(60)
    await clock.settle()
    await before.close()
    clock.step_wall(-3600)

    after = Lab(memory=memory, clock=clock)
    await after.gate.load()

    assert after.gate.remaining_seconds(HOST) <= 60 + PAD
    await after.close()


async def test_14_two_processes_share_window_and_pace():
    """The later deadline is everybody's, and together they are as fast as one."""
    memory, clock = MemoryOfWindows(), FakeClock()
    one, two = Lab(memory=memory, clock=clock), Lab(memory=memory, clock=clock)
    for lab in (one, two, one, two):
        lab.ask()
    await clock.advance(10)
    assert sorted(one.times + two.times) == [0, 0.75, 1.5, 2.25]

    one.refuse(600)
    await clock.settle()
    two.ask()
    await clock.advance(599)

    assert len(two.sends) == 2
    await one.close()
    await two.close()


async def test_15_a_refusal_without_a_wait_takes_the_ladder():
    """30 s, give or take nothing below."""
    desk = Desk((429, {"error": "slow down"}))

    await desk.got()

    assert 30 <= desk.sent[1] - desk.sent[0] <= 30 + PAD
    await desk.close()


async def test_16_an_overloaded_family_pauses_alone():
    """503 with Retry-After pauses its route family shortly; other routes go on. Without one it is a passing fault."""
    desk = Desk((503, {"error": "Server busy, please retry shortly."}, {"retry-after": "20"}))
    paused = desk.get(f"https://{HOST}/api/v1/images?imageId=1")
    await desk.clock.settle()
    other = desk.get(URL)

    await desk.clock.advance(5)
    assert other.result().status == 200
    assert not paused.done()
    assert not desk.gate.in_cooldown(HOST)
    assert f"{HOST} /images" in [row["host"] for row in desk.gate.snapshot()]
    await desk.clock.advance(30)

    assert paused.result().status == 200
    assert desk.sent[-1] >= 20
    await desk.close()


@pytest.mark.parametrize(
    ("step", "error"),
    [
        ((429, b"<html>error code: 1015</html>", {"retry-after": "900"}), RateLimitError),
        ((429, b"error code: 1015", {"retry-after": "900"}), RateLimitError),
        ((429, {"retry_after": 900}), RateLimitError),
        ((403, b"<html>Just a moment...</html>", {"cf-mitigated": "challenge"}), UnreachableError),
        ((403, b"error code: 1020"), UnreachableError),
        ((520, b"<html></html>"), UnreachableError),
        ((530, b"<html></html>"), UnreachableError),
    ],
)
async def test_17_what_the_edge_says(step, error):
    """1015 in three dresses is a refusal; a challenge or a ban is not a bad key; 520 to 530 pass."""
    desk = Desk(default=step)

    with pytest.raises(error):
        await desk.got()
    await desk.close()


@pytest.mark.parametrize("step", [(200, b"<html>back soon</html>"), (200, b""), (200, {"error": "rate limit"})])
async def test_18_not_every_200_is_a_success(step):
    """A maintenance page, an empty body, an error with 200: asked again, then malformed, and no proof of capacity."""
    desk = Desk(default=step)

    with pytest.raises(MalformedAnswerError):
        await desk.got()

    assert len(desk.sent) == 3
    await desk.close()


async def test_19_a_refusal_after_a_redirect_is_the_final_hosts():
    """The host that was asked first stays open."""
    desk = Desk((302, {}, {"location": "https://mirror.example/api/x"}), (429, {}, {"retry-after": "900"}))

    with pytest.raises(RateLimitError) as caught:
        await desk.got()

    assert caught.value.host == "mirror.example"
    assert desk.gate.in_cooldown("mirror.example")
    assert not desk.gate.in_cooldown(HOST)
    await desk.close()


async def test_20_one_deadline_bounds_every_wait_of_a_call():
    """Three windows of 100 s do not fit into 250 s, however many times the call may try."""
    refusal = (429, {}, {"retry-after": "100"})
    desk = Desk(refusal, refusal, refusal, refusal)

    with pytest.raises(RateLimitError):
        await desk.got(deadline=desk.clock.monotonic() + 250)

    assert len(desk.sent) == 3
    assert desk.clock.monotonic() - 1000 <= 250
    await desk.close()


async def test_21_a_deadline_before_the_windows_end_defers_at_once():
    """The error says when, and nobody has slept."""
    desk = Desk()
    desk.refuse(600)

    with pytest.raises(RateLimitError) as caught:
        await desk.got(deadline=desk.clock.monotonic() + 20)

    assert desk.sent == []
    assert caught.value.retry_at == pytest.approx(desk.gate.retry_at(HOST), abs=1)
    await desk.close()


async def test_22_another_key_does_not_open_the_window():
    """The edge counts by address: pace, window and ladder stay with the host when the key changes."""
    desk = Desk((429, {}, {"retry-after": "60"}))
    waiting = desk.get(use_auth=True)
    await desk.clock.settle()

    desk.keys[HOST] = {"Authorization": "Bearer other"}
    second = desk.get(use_auth=True)
    await desk.clock.advance(59)
    assert len(desk.sent) == 1
    await desk.clock.advance(10)

    assert waiting.done()
    assert second.done()
    assert desk.wire.requests[-1].headers["Authorization"] == "Bearer other"
    await desk.close()


def test_23_a_gate_belongs_to_no_loop():
    """Nothing is bound to an event loop before somebody waits: one gate serves two loops, one after the other."""
    lab = Lab()

    for _ in range(2):
        slot = asyncio.run(asyncio.wait_for(lab.gate.wait_for_slot(HOST, 1e9), 1))
        slot.finish()
        lab.clock.now += 5

    assert lab.gate.snapshot()[0]["sent"] == 2


async def test_24_five_hundred_waiters_are_sent_home_when_the_host_closes():
    """A shutdown leaves no waiter, no sleeper and no window unsaved."""
    memory = MemoryOfWindows()
    lab = Lab(memory=memory)
    lab.refuse(600)
    for _ in range(500):
        lab.ask()
    await lab.clock.settle()

    await lab.gate.close()
    await lab.clock.settle()

    assert len(lab.refused) == 500
    assert lab.clock.sleeping == 0
    assert memory.rows[HOST].until > lab.clock.wall() + 599
    await lab.close()


async def test_25_waiting_holds_nothing_that_others_need():
    """Callers that wait for one host do not hold up another one."""
    lab = Lab()
    lab.refuse(600)
    for _ in range(50):
        lab.ask()

    lab.ask(host="civarchive.com", name="other")
    await lab.clock.settle()

    assert lab.names == ["other"]
    await lab.close()


async def test_26_a_page_too_deep_closes_nothing():
    """`page * limit > 1000` is answered with 429 and will never work."""
    desk = Desk((429, {"error": "You've requested too many pages, please use cursors instead"}))

    with pytest.raises(VendorRefusedError):
        await desk.got()

    assert not desk.gate.in_cooldown(HOST)
    assert desk.gate.snapshot()[0]["ceiling_per_second"] is None
    await desk.close()


@pytest.mark.parametrize("headers", [{"cf-cache-status": "HIT"}, {"cf-cache-status": "hit"}])
async def test_27_28_answers_from_a_cache_prove_no_capacity(headers):
    """They cost the vendor nothing: the ladder is not reset by them."""
    desk = Desk(429, (200, {"id": 1}, headers), 429)
    await desk.got()

    task = desk.get()
    await desk.clock.advance(1)
    while not desk.gate.in_cooldown(HOST):
        await desk.clock.advance(1)

    assert desk.gate.remaining_seconds(HOST) > 55
    task.cancel()
    await desk.close()


async def test_29_files_have_a_bucket_of_their_own():
    """A refused HEAD or download is registered, and does not close the API."""
    desk = Desk((429, {}, {"retry-after": "900"}))

    with pytest.raises(RateLimitError):
        await desk.downloader.get_response_headers(f"https://{HOST}/api/download/models/1")

    assert desk.gate.in_cooldown(f"{HOST} downloads")
    assert not desk.gate.in_cooldown(HOST)
    await desk.close()


async def test_29b_a_download_quota_lasts_an_hour():
    """It names no wait; it is counted by the hour."""
    desk = Desk((429, {"error": "We've noticed an unusual amount of downloading from your account."}))

    with pytest.raises(RateLimitError) as caught:
        await desk.downloader.download_to_memory(f"https://{HOST}/api/download/models/1", max_bytes=100)

    assert caught.value.retry_after == 3600
    assert desk.gate.remaining_seconds(f"{HOST} downloads") >= 3600
    assert not desk.gate.in_cooldown(HOST)
    await desk.close()


async def test_30_guard_and_gate_never_act_on_one_event():
    """A refusal is not an outage, and an outage is not a refusal."""
    refused = Desk(default=(429, {}, {"retry-after": "900"}))
    broken = Desk(default=TransportFailure)
    for _ in range(5):
        with pytest.raises(RateLimitError):
            await refused.got()
        with pytest.raises(UnreachableError):
            await broken.got()

    assert refused.guard.snapshot() == []
    assert len(broken.guard.snapshot()) == 1
    assert not broken.gate.in_cooldown(HOST)
    assert broken.gate.snapshot()[0]["ceiling_per_second"] is None
    await refused.close()
    await broken.close()


async def test_a_missing_thing_is_an_answer_that_counts():
    """404 and a refused key come from a vendor that let us in: the ladder starts anew."""
    desk = Desk(429, (404, {"error": "Model not found"}), (401, {"error": "Unauthorized"}), 429)
    with pytest.raises(VendorNotFoundError):
        await desk.got()
    with pytest.raises(UnauthorisedError):
        await desk.got()

    task = desk.get()
    await desk.clock.advance(5)

    assert 25 < desk.gate.remaining_seconds(HOST) <= 30 + PAD
    task.cancel()
    await desk.close()
