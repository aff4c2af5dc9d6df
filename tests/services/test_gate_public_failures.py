"""What has gone wrong in public with other clients, one test each.

Header parsing (`1m0s`, 9999999999, 0.493, year 99999, -1, dates, naive dates, epochs and deltas) is in
tests/net/test_retry_after.py; cancellation, clocks, restarts and processes in the numbered edge cases beside this file.
"""

from __future__ import annotations

import asyncio

import pytest

from py.core.clock import SystemClock
from py.core.errors import MalformedAnswerError, RateLimitError, UnreachableError
from py.core.ports import Request
from py.net.aiohttp_transport import AiohttpTransport
from tests.bench.bench_gate import weight_of_waiters
from tests.net.loopback import serving
from tests.services.gate_kit import HOST, PAD, Lab
from tests.services.test_downloader import URL, Desk

OTHER = "https://civarchive.com/api/sha256/abc"


async def test_a_42_minute_window_holds_nothing_up():
    """320 look-ups at one vendor are put off at once; the other vendor's part finishes."""
    desk = Desk()
    desk.refuse(2520, host="civarchive.com")

    put_off = [desk.get(OTHER) for _ in range(320)]
    done = desk.get(URL)
    await desk.clock.settle()

    assert all(isinstance(task.exception(), RateLimitError) for task in put_off)
    assert done.result().status == 200
    assert len(desk.sent) == 1
    await desk.close()


async def test_after_the_countdown_each_one_is_really_asked_again():
    """It counts down, and then it does retry."""
    desk = Desk((429, {}, {"retry-after": "30"}), adaptive_enabled=False)
    tasks = [desk.get() for _ in range(5)]

    await desk.clock.advance(45)

    assert [task.result().status for task in tasks] == [200] * 5
    assert len(desk.sent) == 6
    await desk.close()


async def test_a_524_costs_bounded_time():
    """Three tries, a few seconds, an error without a stack trace of ours in it."""
    desk = Desk(default=(524, b"<html>a timeout occurred</html>"))

    with pytest.raises(UnreachableError):
        await desk.got()

    assert desk.clock.monotonic() - 1000 < 10
    await desk.close()


async def test_others_do_not_send_during_somebodys_retry_after():
    """The wait belongs to the host, not to the call that met it."""
    desk = Desk((429, {}, {"retry-after": "60"}))
    desk.get()
    await desk.clock.settle()

    for _ in range(20):
        desk.get()
    await desk.clock.advance(59)

    assert len(desk.sent) == 1
    await desk.close()


async def test_a_bucket_is_not_frozen_after_one_refusal():
    """The window ends and life goes on, also when nobody asked meanwhile."""
    desk = Desk()
    desk.refuse(60)
    await desk.clock.advance(3600)

    assert (await desk.got()).status == 200
    await desk.close()


async def test_a_long_window_is_a_state_and_not_a_crash():
    """Nor is it slept through in silence: it is visible, and a caller can be cancelled at once."""
    lab = Lab()
    lab.refuse(80_000)
    task = lab.ask()
    await lab.clock.advance(100)
    assert lab.gate.snapshot()[0]["waiting"] == 1
    assert lab.gate.snapshot()[0]["retry_at"] > lab.clock.wall() + 79_000

    task.cancel()
    await lab.clock.settle()

    assert task.cancelled()
    assert lab.gate.snapshot()[0]["waiting"] == 0
    await lab.close()


async def test_a_plain_429_is_a_refusal():
    """Status first: no header, no body, no JSON needed."""
    desk = Desk(default=(429, b""))

    with pytest.raises(RateLimitError):
        await desk.got(deadline=desk.clock.monotonic() + 5)

    assert desk.gate.in_cooldown(HOST)
    await desk.close()


def test_the_loop_stays_free_with_five_thousand_waiters():
    """Their window grows and they are sent home: no turn of the loop takes 50 ms of processor time (best of three)."""
    blocks = [asyncio.run(weight_of_waiters(5000))[1] for _ in range(3)]

    assert min(blocks) < 0.05


@pytest.mark.parametrize(("named", "budget"), [(171, 120), (1500, 300), (3600, 5), (276_480, 300)])
async def test_a_wait_above_the_budget_is_never_cut_down_and_sent(named, budget):
    """Clamping and sending is what makes vendors lengthen a block: the only right answer is later."""
    desk = Desk((429, {}, {"retry-after": str(named)}))
    task = desk.get(deadline=desk.clock.monotonic() + budget)

    await desk.clock.advance(min(named, 86_000) - 1 if named < 86_400 else 29)

    assert len(desk.sent) == 1
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await desk.close()


async def test_a_55_second_window_outlasts_no_retry_budget():
    """Waiting as named needs one more request, not five that are used up in 8 s steps."""
    desk = Desk((429, {}, {"ratelimit": '"api";r=0;t=55'}))

    assert (await desk.got()).status == 200

    assert len(desk.sent) == 2
    assert desk.sent[1] >= 55
    await desk.close()


async def test_no_stretch_of_time_sees_more_requests_than_the_pace():
    """No burst at the edge of a window: in any 10 s at most 10 / 0.75 requests and one."""
    lab = Lab()
    for _ in range(100):
        lab.ask()
    await lab.clock.advance(80)

    for start in lab.times:
        assert sum(start <= moment < start + 10 for moment in lab.times) <= 14
    await lab.close()


async def test_a_limit_in_the_body_of_a_200_counts():
    """Some vendors say 200 and mean 429."""
    desk = Desk((200, {"error": "Rate limit exceeded", "retry_after": 60}))
    task = desk.get()
    await desk.clock.settle()

    assert 60 <= desk.gate.remaining_seconds(HOST) <= 60 + PAD
    task.cancel()
    await desk.close()


async def test_one_limited_vendor_disables_no_other():
    """Windows are per host; so are paces, outages and pauses."""
    desk = Desk()
    desk.refuse(9000)
    desk.gate.register_challenge("mirror.example")

    assert (await desk.got(OTHER)).status == 200
    await desk.close()


async def test_a_refusal_is_not_shown_as_no_connection():
    """Two errors, two codes, two texts."""
    refused, broken = RateLimitError(host=HOST), UnreachableError(host=HOST)

    assert (refused.code, broken.code) == ("rate_limited", "unreachable")
    assert str(refused) != str(broken)


async def test_a_json_type_with_an_empty_body_is_read_by_its_headers():
    """The headers of a refusal are not thrown away with its body."""
    desk = Desk((429, b"", {"content-type": "application/json", "retry-after": "77"}))
    task = desk.get()
    await desk.clock.settle()

    assert 77 <= desk.gate.remaining_seconds(HOST) <= 77 + PAD
    task.cancel()
    await desk.close()


async def test_an_error_body_with_200_is_no_answer_to_keep():
    """It raises, so that no cache can store it for a fortnight."""
    desk = Desk(default=(200, {"error": "internal"}))

    with pytest.raises(MalformedAnswerError):
        await desk.got()
    await desk.close()


async def test_requests_are_counted_when_they_are_sent():
    """Not when their answers come: eight at once would count as none."""
    lab = Lab()
    for _ in range(3):
        lab.ask(hold=True)
    await lab.clock.advance(5)

    assert lab.gate.snapshot()[0]["sent"] == 3
    await lab.close()


async def test_a_failing_vendor_is_not_asked_more_for_failing():
    """Three calls that end in nonsense leave the host alone for a minute."""
    desk = Desk(default=(200, b"<html>back soon</html>"))
    for _ in range(3):
        with pytest.raises(MalformedAnswerError):
            await desk.got()

    with pytest.raises(UnreachableError) as caught:
        await desk.got()

    assert len(desk.sent) == 9
    assert caught.value.retry_at is not None
    await desk.close()


async def test_a_challenge_page_is_asked_once_and_not_for_five_minutes():
    """403 with a page is no bad key, and hammering it makes it worse."""
    desk = Desk(default=(403, b"<html>Just a moment...</html>"))

    for _ in range(5):
        with pytest.raises(UnreachableError):
            await desk.got()

    assert len(desk.sent) == 1
    await desk.close()


async def test_credentials_of_the_machine_do_not_replace_ours(tmp_path, monkeypatch):
    """A .netrc for the host is not read: the wrong key would be the wrong budget."""
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login somebody password else\n", encoding="utf-8")
    monkeypatch.setenv("NETRC", str(netrc))
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    seen, transport = [], AiohttpTransport(SystemClock())

    async def handle(request):
        from aiohttp import web

        seen.append(request.headers.get("Authorization"))
        return web.Response()

    async with serving(handle) as base:
        await transport.send(Request(method="GET", url=base))
        await transport.send(Request(method="GET", url=base, headers={"Authorization": "Bearer ours"}))
    await transport.close()

    assert seen == [None, "Bearer ours"]


async def test_two_waits_at_once_keep_the_longer():
    """90 minutes, then one minute, from two answers that crossed."""
    lab = Lab()
    first, second = lab.ask(hold=True), lab.ask(hold=True)
    await lab.clock.advance(1)

    lab.refuse(5400, slot=first.result())
    lab.refuse(60, slot=second.result())

    assert lab.gate.remaining_seconds(HOST) >= 5400
    await lab.close()


async def test_gate_state_lives_outside_the_clients():
    """Nine callers have one truth about one host."""
    desk = Desk((429, {}, {"retry-after": "900"}))
    tasks = [desk.get(provider=f"client {number}") for number in range(9)]
    await desk.clock.advance(10)

    assert all(isinstance(task.exception(), RateLimitError) for task in tasks)
    assert {task.exception().provider for task in tasks} == {f"client {number}" for number in range(9)}
    assert len(desk.sent) == 1
    await desk.close()
