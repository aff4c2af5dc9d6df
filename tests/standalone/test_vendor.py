"""The loopback vendor does what real vendors do; tests that rely on it rely on this."""

from __future__ import annotations

import aiohttp
import pytest

from tests.doubles.fake_clock import FakeClock

from .vendor import (
    Catalogue,
    Fault,
    FixedWindow,
    LoopbackVendor,
    Mitigation,
    Refusal,
    SlidingWindow,
    TokenBucket,
    VendorModel,
)
from .vendor.faults import KINDS
from .vendor.refusal import SPELLINGS

STYLE = VendorModel(model_id=800001, version_id=900001, name="Abc Style")


@pytest.fixture
async def session():
    async with aiohttp.ClientSession() as session:
        session._retry_connection = False  # aiohttp asks a second time after a reset
        yield session


@pytest.fixture
async def vendor():
    async with LoopbackVendor(catalogue=Catalogue([STYLE]), clock=FakeClock()) as vendor:
        yield vendor


async def ask(session, vendor, path):
    async with session.get(f"{vendor.base}/{path}") as response:
        return response.status, await response.text(), response.headers


@pytest.mark.parametrize("kind", ["sha256", "autov1", "autov2", "autov3", "blake3", "crc32"])
async def test_a_model_is_found_by_every_hash_in_any_case(session, vendor, kind):
    """CivitAI's by-hash route takes every kind of hash, whatever its case."""
    for spelled in (STYLE.hash(kind), STYLE.hash(kind).upper()):
        status, body, _ = await ask(session, vendor, f"model-versions/by-hash/{spelled}")
        assert status == 200
        assert '"id": 900001' in body


async def test_one_bad_hash_spoils_a_bulk_request(session, vendor):
    """POST by-hash answers 400 for all where one element is no SHA256, and drops misses without a word."""
    url = f"{vendor.base}/model-versions/by-hash"
    async with session.post(url, json=[STYLE.hash("sha256"), "0" * 64]) as response:
        assert [one["id"] for one in await response.json()] == [900001]
    async with session.post(url, json=[STYLE.hash("sha256"), "0123456789"]) as response:
        assert response.status == 400


async def test_requests_inside_an_announced_window_are_counted(session, vendor):
    """A request counts as one into a window once the refusal that announced it has left."""
    vendor.policy, vendor.refusal = FixedWindow(1, 5), Refusal(seconds=600)
    for _ in range(2):
        await ask(session, vendor, "model-versions/900001")
    assert vendor.journal.inside_windows == 0
    await ask(session, vendor, "model-versions/900001")
    assert vendor.journal.inside_windows == 1
    await vendor.clock.advance(600)
    status, *_ = await ask(session, vendor, "model-versions/900001")
    assert (status, vendor.journal.inside_windows) == (200, 1)


@pytest.mark.parametrize("spelling", SPELLINGS)
async def test_a_refusal_is_a_429_in_every_spelling(session, vendor, spelling):
    """Whatever Retry-After says, the status is 429."""
    vendor.policy, vendor.refusal = FixedWindow(0, 5), Refusal(spelling)
    status, _, headers = await ask(session, vendor, "model-versions/900001")
    assert status == 429
    assert ("Retry-After" in headers) == (spelling not in ("none", "milliseconds", "body"))


@pytest.mark.parametrize("kind", KINDS)
async def test_a_fault_breaks_one_answer_and_then_heals(session, vendor, kind):
    """Each fault makes its answer unusable or late, and leaves the next one alone."""
    vendor.fail(Fault(kind, times=1, seconds=0))
    try:
        status, body, _ = await ask(session, vendor, "model-versions/900001")
    except aiohttp.ClientError:
        status, body = 0, ""
    assert kind == "slow" or status != 200 or '"modelId": 800001' not in body
    assert (await ask(session, vendor, "model-versions/900001"))[0] == 200


async def test_a_vendor_that_went_down_comes_back_on_the_same_port(session, vendor):
    """Down means that connections are refused; up again means the same address."""
    await vendor.stop()
    with pytest.raises(aiohttp.ClientConnectionError):
        await ask(session, vendor, "model-versions/900001")
    await vendor.start()
    assert (await ask(session, vendor, "model-versions/900001"))[0] == 200


def admitted(policy, times):
    return [now for now in times if policy.admit(now) is None]


def test_policies_admit_what_they_say():
    """Each policy lets its number through and names when the next one may come."""
    assert admitted(FixedWindow(2, 10), [0, 1, 2, 9, 10, 11, 12]) == [0, 1, 10, 11]
    assert admitted(SlidingWindow(2, 10), [0, 9, 9.5, 10, 18, 19]) == [0, 9, 10, 19]
    assert admitted(TokenBucket(1, 2), [0, 0, 0, 1, 1, 5, 5, 5]) == [0, 0, 1, 5, 5]
    assert admitted(Mitigation(1, 10, 60), [0, 1, 30, 60, 61]) == [0, 61]
    assert FixedWindow(0, 5).admit(3) == 5
