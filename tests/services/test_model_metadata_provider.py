"""The whole look-up, from memory to the last vendor."""

from __future__ import annotations

import asyncio

import pytest

from py.core.outcomes import AbsentConfirmed, Found, LookupKey, Malformed, RateLimited, Unauthorised, Unreachable
from py.net.policy import GatePolicy
from py.vendors.freshness import DAY, HIT_LASTS
from py.vendors.model_info import ModelInfo
from py.vendors.sources import Terms
from tests.standalone.vendor import Fault, FixedWindow, Refusal, VendorModel

from .vendor_parts import LOST, OTHER, STYLE, parts, passing


def sha(model):
    return LookupKey("sha256", model.hash("sha256"))


NOBODY = LookupKey("sha256", "0" * 64)
NOBODIES = [LookupKey("sha256", f"{one:064x}") for one in range(4)]


class Shelf:
    """Stand in for the archive database."""

    available = True

    def __init__(self, **known):
        self.known, self.asked = known, []

    async def find(self, key):
        self.asked.append(key)
        return self.known.get(key.value)


@pytest.fixture
async def here(tmp_path):
    async with parts(tmp_path) as here:
        yield here


async def test_what_was_answered_once_is_not_asked_again(here):
    """A hit, a hit at CivArchive and a miss everywhere each cost their requests once."""
    keys = [sha(STYLE), sha(LOST), NOBODY]
    first = [await here.provider.get_model_version_info(key) for key in keys]
    assert [type(one) for one in first] == [Found, Found, AbsentConfirmed]
    assert (first[1].source, first[1].absent_from) == ("civarchive", ("civitai",))
    assert first[2] == AbsentConfirmed(("civitai", "civarchive"))
    counts = len(here.civitai.journal.entries), len(here.civarchive.journal.entries)
    assert counts == (3, 2)
    again = [await here.provider.get_model_version_info(key) for key in keys]
    assert [one.source for one in again[:2]] == ["cache", "cache"]
    assert again[2] == first[2]
    assert (len(here.civitai.journal.entries), len(here.civarchive.journal.entries)) == counts
    known = await here.provider.known([*keys, sha(OTHER)])
    assert set(known) == set(keys)
    assert sum(count for _, count in here.saved) == 6


async def test_many_askers_cost_one_request(here):
    """Fifty who ask at the same moment share the answer."""
    answers = await asyncio.gather(*(here.provider.get_model_version_info(sha(STYLE)) for _ in range(50)))
    assert {one.value.version_id for one in answers} == {900001}
    assert len(here.civitai.journal.entries) == 1


async def test_a_refusal_reaches_no_other_vendor(here):
    """429 at CivitAI: CivArchive hears nothing, the outcome says until when, nothing is remembered."""
    here.civitai.policy, here.civitai.refusal = FixedWindow(0, 5), Refusal(seconds=900)
    outcome = await here.provider.get_model_version_info(sha(STYLE))
    assert isinstance(outcome, RateLimited)
    assert outcome.retry_at >= here.clock.wall() + 900
    assert here.civarchive.journal.entries == []
    assert await here.provider.known([sha(STYLE)]) == {}
    here.civitai.open_up()
    await here.clock.advance(910)
    assert isinstance(await here.provider.get_model_version_info(sha(STYLE)), Found)


@pytest.mark.parametrize(
    ("kind", "outcome"),
    [("500", Unreachable), ("401", Unauthorised), ("html", Malformed), ("html_404", Malformed), ("451", Unreachable)],
)
async def test_trouble_is_typed_and_forgotten(here, kind, outcome):
    """No trouble is absence, none is remembered, none reaches CivArchive."""
    here.civitai.fail(Fault(kind))
    assert isinstance(await passing(here.clock, here.provider.get_model_version_info(NOBODY)), outcome)
    assert here.civarchive.journal.entries == []
    assert await here.provider.known([NOBODY]) == {}


async def test_the_local_archive_answers_last_and_also_after_a_refusal(tmp_path):
    """It costs no vendor anything; its hit is remembered, its miss is not."""
    info = ModelInfo(version_id=5, model_id=6, name="On the shelf", source="archive_db")
    shelf = Shelf(**{sha(STYLE).value: info})
    async with parts(tmp_path, archive=shelf) as here:
        here.civitai.policy, here.civitai.refusal = FixedWindow(0, 5), Refusal(seconds=900)
        assert (await here.provider.get_model_version_info(sha(STYLE))) == Found(info, "archive_db")
        assert isinstance(await here.provider.get_model_version_info(NOBODY), RateLimited)
        assert shelf.asked == [sha(STYLE), NOBODY]


async def test_civarchive_stands_in_when_civitai_is_long_out_of_reach(here):
    """Once the guard is at its cap for CivitAI, CivArchive is asked; its miss is no confirmed absence."""
    await here.civitai.stop()
    first = await passing(here.clock, here.provider.get_model_version_info(sha(LOST)))
    assert isinstance(first, Unreachable)
    assert here.civarchive.journal.entries == []
    for _ in range(12):
        await here.clock.advance(400)
        outcome = await passing(here.clock, here.provider.get_model_version_info(sha(LOST)))
        if isinstance(outcome, Found):
            break
    assert (outcome.source, outcome.absent_from) == ("civarchive", ())
    assert isinstance(await passing(here.clock, here.provider.get_model_version_info(NOBODY)), Unreachable)


async def test_an_old_answer_is_checked_again_and_stands_in_for_a_silent_vendor(here):
    """After thirty days a hit is revalidated; where the vendor cannot be asked, the old word is better than none."""
    await here.provider.get_model_version_info(sha(STYLE))
    await here.clock.advance(HIT_LASTS + 1)
    here.civitai.fail(Fault("401", times=1))
    assert (await here.provider.get_model_version_info(sha(STYLE))).source == "cache"
    assert (await here.provider.get_model_version_info(sha(STYLE))).source == "civitai"
    assert len(here.civitai.journal.entries) == 3


async def test_who_wants_a_fresh_answer_is_told_when_there_is_none(here):
    """Memory answers neither before nor after: a refusal is a refusal."""
    await here.provider.ask(sha(STYLE))
    assert (await here.provider.ask(sha(STYLE), terms=Terms(fresh=True))).source == "civitai"
    here.civitai.policy, here.civitai.refusal = FixedWindow(0, 5), Refusal(seconds=900)
    assert isinstance(await here.provider.ask(sha(STYLE), terms=Terms(fresh=True)), RateLimited)
    assert (await here.provider.ask(sha(STYLE))).source == "cache"


async def test_a_miss_is_asked_again_after_a_day_and_heals(here):
    """A model that is published later is found once the miss has run out."""
    assert isinstance(await here.provider.get_model_version_info(NOBODY), AbsentConfirmed)
    model = VendorModel(model_id=8, version_id=9, name="Late", hashes={"sha256": NOBODY.value})
    here.civitai.catalogue.add(model)
    await here.clock.advance(DAY - 60)
    assert isinstance(await here.provider.get_model_version_info(NOBODY), AbsentConfirmed)
    await here.clock.advance(120)
    assert (await here.provider.get_model_version_info(NOBODY)).value.name == "Late"


async def test_many_keys_are_asked_in_bulk_and_misses_confirmed_one_by_one(here):
    """250 files of which two are known: three bulk requests, and a single one for each that was left out."""
    keys = [sha(STYLE), sha(OTHER), *(LookupKey("sha256", f"{one:064x}") for one in range(8))]
    keys.append(LookupKey("autov2", STYLE.hash("autov2")))
    outcomes = await here.provider.get_many(keys)
    assert list(outcomes) == keys
    assert [type(one).__name__ for one in outcomes.values()] == ["Found"] * 2 + ["AbsentConfirmed"] * 8 + ["Found"]
    bulk = [one for one in here.civitai.journal.entries if one.method == "POST"]
    assert len(bulk) == 1
    assert len(here.civitai.journal.entries) - len(bulk) <= 9
    assert await here.provider.get_many(keys) == {
        key: Found(one.value, "cache") if isinstance(one, Found) else one for key, one in outcomes.items()
    }


async def test_a_handful_is_asked_singly(here):
    """Few questions are answered from the vendor's cache, which bulk routes do not have."""
    await here.provider.get_many([sha(STYLE), sha(OTHER), NOBODY])
    assert {one.method for one in here.civitai.journal.entries} == {"GET"}


@pytest.mark.parametrize("kind", ["500", "html", "401", "html_404", "empty"])
async def test_a_failing_bulk_route_confirms_nothing(here, kind):
    """When the bulk route is in trouble, no key is called absent for it."""
    here.civitai.fail(Fault(kind))
    keys = [sha(STYLE), *NOBODIES]
    outcomes = await passing(here.clock, here.provider.get_many(keys))
    assert all(not isinstance(one, Found | AbsentConfirmed) for one in outcomes.values())


@pytest.mark.parametrize("instead", ["json 404", "404", "405"])
async def test_a_vendor_without_the_bulk_route_is_asked_one_by_one(here, instead):
    """A missing route says nothing about the hashes, and is not asked a hundred times to be sure."""
    here.civitai.bulk = instead
    outcomes = await passing(here.clock, here.provider.get_many([sha(STYLE), sha(OTHER), *NOBODIES]))
    assert [type(one).__name__ for one in outcomes.values()] == ["Found", "Found", *["AbsentConfirmed"] * 4]
    assert len([one for one in here.civitai.journal.entries if one.method == "POST"]) <= 3


async def test_an_id_that_no_database_can_hold_is_not_asked_for(here):
    """CivitAI's ids end at 2^31 - 1."""
    outcome = await here.provider.get_model_version_info(LookupKey("version_id", str(2**31)))
    assert outcome == AbsentConfirmed(())
    assert here.civitai.journal.entries == []


async def test_a_cancelled_asker_leaves_the_others_their_answer(here):
    """Cancelling one of three who wait costs the other two nothing, and no second request."""
    here.civitai.fail(Fault("slow", seconds=0.05))
    first, *rest = [asyncio.ensure_future(here.provider.get_model_version_info(sha(STYLE))) for _ in range(3)]
    await asyncio.sleep(0.01)
    first.cancel()
    assert all(isinstance(one, Found) for one in await asyncio.gather(*rest))
    assert first.cancelled()
    assert len(here.civitai.journal.entries) == 1


async def test_a_thousand_questions_at_once_wait_for_their_turn(tmp_path):
    """At 0.75 s a request the last of 100 comes after 75 s: longer than one call may wait, and no refusal for all that."""
    async with parts(tmp_path, policy=GatePolicy(adaptive_enabled=False, max_wait_seconds=60)) as here:
        keys = [LookupKey("autov3", f"{one:012x}") for one in range(100)]
        outcomes = await passing(here.clock, here.provider.get_many(keys))
        assert {type(one) for one in outcomes.values()} == {AbsentConfirmed}
        assert len(here.civitai.journal.entries) == 100


async def test_a_closed_civarchive_holds_up_only_its_own(here):
    """Questions that wait for CivArchive leave CivitAI's gate to the others."""
    here.civarchive.policy, here.civarchive.refusal = FixedWindow(0, 5), Refusal(seconds=200)
    lost = [LookupKey("sha256", f"{one:064x}") for one in range(40)]
    waiting = [asyncio.ensure_future(here.provider.ask(key)) for key in lost]
    while len(here.civitai.journal.entries) < 40 or here.civarchive.in_flight:
        await asyncio.sleep(0.005)
    before = here.clock.now
    assert isinstance(await here.provider.ask(sha(STYLE)), Found)
    assert here.clock.now == before
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)


async def test_who_joins_a_look_up_keeps_his_own_patience(here):
    """A click that meets a waiting batch look-up gets its answer, or gives up in its own time; the batch goes on."""
    here.civitai.policy, here.civitai.refusal = FixedWindow(0, 5), Refusal(seconds=100)
    batch = asyncio.ensure_future(here.provider.ask(sha(STYLE)))
    while not here.clock.sleeping or here.civitai.in_flight:
        await asyncio.sleep(0.005)
    click = asyncio.ensure_future(
        here.provider.ask(sha(STYLE), terms=Terms(lane="interactive", deadline=here.clock.now + 20))
    )
    await here.clock.advance(21)
    refused = await click
    assert isinstance(refused, RateLimited)
    assert refused.retry_at > here.clock.wall()
    assert not batch.done()
    here.civitai.open_up()
    assert isinstance(await passing(here.clock, batch), Found)


async def test_who_joins_a_slow_look_up_gets_its_answer(here):
    """A vendor that is merely slow has refused nobody: the answer is waited for."""
    here.civitai.fail(Fault("slow", seconds=0.05))
    batch = asyncio.ensure_future(here.provider.ask(sha(STYLE)))
    await asyncio.sleep(0.01)
    click = asyncio.ensure_future(
        here.provider.ask(sha(STYLE), terms=Terms(lane="interactive", deadline=here.clock.now + 5))
    )
    await here.clock.advance(6)
    assert isinstance(await click, Found)
    assert isinstance(await batch, Found)
    assert len(here.civitai.journal.entries) == 1


async def test_what_is_answered_while_one_waits_is_not_asked_again(here):
    """Two names of one file, or another process: whose turn comes later finds the answer in memory."""
    here.civitai.fail(Fault("slow", seconds=0.02))
    keys = [LookupKey(kind, STYLE.hash(kind)) for kind in ("sha256", "autov2", "autov3", "blake3")]
    here.provider._turns["civitai"] = asyncio.Semaphore(1)
    outcomes = await passing(here.clock, asyncio.gather(*(here.provider.ask(key) for key in keys)))
    assert {one.value.version_id for one in outcomes} == {900001}
    assert len(here.civitai.journal.entries) == 1


async def test_a_bulk_question_leaves_out_what_another_process_was_told_meanwhile(here):
    """The cache is shared by all processes of a data folder; it is read again when the question's turn has come."""
    keys = [sha(STYLE), sha(OTHER), *(LookupKey("sha256", f"{one:064x}") for one in range(1, 5))]
    turns = here.provider._turns["civitai"] = asyncio.Semaphore(1)
    await turns.acquire()
    asked = asyncio.ensure_future(here.provider.get_many(keys))
    await asyncio.sleep(0.05)
    await here.provider._cache.remember_misses("civitai", keys[2:], here.clock.wall())
    turns.release()
    outcomes = await passing(here.clock, asked)
    assert [type(one).__name__ for one in outcomes.values()] == ["Found"] * 2 + ["AbsentConfirmed"] * 4
    assert [one.method for one in here.civitai.journal.entries] == ["GET", "GET"]
