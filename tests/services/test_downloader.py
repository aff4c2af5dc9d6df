"""The one choke point: guard, gate, send, classify, and again where that helps."""

from __future__ import annotations

import asyncio
import random

import pytest

from py.core.errors import (
    GoneError,
    MalformedAnswerError,
    RateLimitError,
    RegionBlockedError,
    UnauthorisedError,
    UnreachableError,
    VendorNotFoundError,
    VendorRefusedError,
)
from py.core.ports import TransportFailure
from py.services.connectivity_guard import ConnectivityGuard
from py.services.downloader import Downloader
from tests.doubles.scripted_transport import ScriptedTransport
from tests.services.gate_kit import HOST, PAD, Lab

URL = f"https://{HOST}/api/v1/model-versions/7"


class Desk(Lab):
    """A downloader on a scripted wire."""

    def __init__(self, *script, default=(200, {"id": 1}), **policy):
        super().__init__(**policy)
        self.wire = ScriptedTransport(self.clock, *script, default=default)
        self.guard = ConnectivityGuard(self.clock)
        self.keys = {HOST: {"Authorization": "Bearer secret"}}
        self.downloader = Downloader(
            self.wire,
            self.guard,
            self.gate,
            self.clock,
            policy=lambda: self.policy,
            auth=lambda host: self.keys.get(host, {}),
            rng=random.Random(1),
        )

    def get(self, url=URL, **options):
        return asyncio.get_running_loop().create_task(self.downloader.make_request("GET", url, **options))

    async def got(self, url=URL, *, within=1000.0, **options):
        """Make one request, moving time until it is over."""
        task = self.get(url, **options)
        end = self.clock.monotonic() + within
        while not task.done() and self.clock.monotonic() < end:
            wake = self.clock.next_wake
            await self.clock.advance(0.25 if wake is None else max(0.001, wake - self.clock.monotonic()))
        return await task

    @property
    def sent(self):
        return [round(moment - 1000.0, 2) for moment in self.wire.sent_at]


async def test_a_usable_answer_is_returned_as_json():
    """The caller gets the status, the JSON and the final address."""
    desk = Desk((200, {"id": 7}))

    answer = await desk.got()

    assert (answer.status, answer.data, answer.url) == (200, {"id": 7}, URL)
    await desk.close()


async def test_a_refusal_waits_for_the_window_and_then_asks_again():
    """429, then 200: one answer after the vendor's delay, and nothing was sent in between."""
    desk = Desk((429, {"error": "slow down"}, {"retry-after": "20"}))

    answer = await desk.got()

    assert answer.status == 200
    assert len(desk.sent) == 2
    assert 20 <= desk.sent[1] - desk.sent[0] <= 20 + PAD
    await desk.close()


async def test_a_refusal_that_outlasts_the_budget_leaves_at_once_and_handled():
    """A window longer than the call may wait is reported, not slept through."""
    desk = Desk((429, {}, {"retry-after": "600"}))

    with pytest.raises(RateLimitError) as caught:
        await desk.got(provider="civitai")

    assert desk.clock.monotonic() == pytest.approx(1000.0, abs=1)
    assert caught.value.gate_handled
    assert caught.value.provider == "civitai"
    assert 600 <= caught.value.retry_after <= 600 + PAD
    await desk.close()


async def test_without_the_gate_a_refusal_is_reported_at_once():
    """Switched off, the first 429 goes to the caller."""
    desk = Desk((429, {}, {"retry-after": "5"}), gate_enabled=False)

    with pytest.raises(RateLimitError) as caught:
        await desk.got()

    assert len(desk.sent) == 1
    assert 5 <= caught.value.retry_after <= 5 + PAD
    await desk.close()


@pytest.mark.parametrize(
    ("step", "error"),
    [
        ((401, {"error": "Unauthorized"}), UnauthorisedError),
        ((403, {"error": "Early Access"}), UnauthorisedError),
        ((404, {"error": "Model not found"}), VendorNotFoundError),
        ((404, b"<html>not here</html>"), MalformedAnswerError),
        ((410, {"error": "Model archived, not available for download"}), GoneError),
        ((451, {"error": "no", "code": "REGION_BLOCKED"}), RegionBlockedError),
        ((400, {"error": "bad id"}), VendorRefusedError),
        ((429, {"error": "You've requested too many pages, please use cursors instead"}), VendorRefusedError),
    ],
)
async def test_final_answers_are_sent_once_and_close_no_gate(step, error):
    """What waiting cannot cure is raised as what it is, at once."""
    desk = Desk(step)

    with pytest.raises(error):
        await desk.got()

    assert len(desk.sent) == 1
    assert not desk.gate.in_cooldown(HOST)
    await desk.close()


async def test_the_answer_that_is_one_too_many_says_until_when():
    """A host's third page in the place of JSON begins its pause; that error, like those after it, names the end."""
    desk = Desk(default=(200, b"<html>back soon</html>"))
    ends = []
    for _ in range(4):
        with pytest.raises((UnreachableError, MalformedAnswerError)) as caught:
            await desk.got()
        ends.append(caught.value.retry_at)

    assert ends[:2] == [None, None]
    assert ends[2] == ends[3] == desk.gate.rest_ends_at(HOST)
    assert len(desk.sent) == 9
    await desk.close()


@pytest.mark.parametrize("step", [500, 502, 503, 504, 520, 524, 530, (200, b"<html>back soon</html>"), (200, b"")])
async def test_passing_faults_are_tried_three_times(step):
    """A server's failure gets two more chances, each through the gate, and then an honest error."""
    desk = Desk(default=step)

    with pytest.raises((UnreachableError, MalformedAnswerError)):
        await desk.got()

    assert len(desk.sent) == 3
    assert all(later - earlier >= 0.75 for earlier, later in zip(desk.sent, desk.sent[1:], strict=False))
    assert not desk.gate.in_cooldown(HOST)
    await desk.close()


async def test_a_passing_fault_that_passes_is_not_seen():
    """500, then a broken wire, then 200: the caller sees 200."""
    desk = Desk(500, TransportFailure)

    assert (await desk.got()).status == 200
    await desk.close()


async def test_an_unreachable_host_is_refused_without_a_request():
    """Three failures of the wire close the guard; the next caller hears so at once, and when to come back."""
    desk = Desk(default=TransportFailure)
    with pytest.raises(UnreachableError):
        await desk.got()

    with pytest.raises(UnreachableError) as caught:
        await desk.got()

    assert len(desk.sent) == 3
    assert 25 < caught.value.retry_at - desk.clock.wall() <= 30
    await desk.close()


async def test_the_key_goes_to_its_host_and_to_no_other():
    """A redirect to another host travels without the key, and counts as that host's request."""
    desk = Desk((302, {}, {"location": "https://cdn.example/file"}))

    answer = await desk.got(use_auth=True)

    first, second = desk.wire.requests
    assert first.headers["Authorization"] == "Bearer secret"
    assert "Authorization" not in second.headers
    assert answer.url == "https://cdn.example/file"
    assert [row["host"] for row in desk.gate.snapshot()] == ["cdn.example", HOST]
    await desk.close()


async def test_a_call_without_auth_carries_no_key():
    """Questions that need no key are asked without one."""
    desk = Desk()

    await desk.got()

    assert "Authorization" not in desk.wire.requests[0].headers
    await desk.close()
