"""The look-up cache, on a real database."""

from __future__ import annotations

from dataclasses import replace

import pytest

from py.core.outcomes import LookupKey
from py.storage.database import Database
from py.vendors.cache_store import LookupCache
from py.vendors.civitai import decode
from py.vendors.freshness import DAY, HIT_LASTS, miss_lasts
from tests.samples import sample

INFO = decode.version(sample("civitai/version"), lambda one: f"https://x/{one}")
HASHES = INFO.files[0].hashes
NOW = 1_800_000_000.0


@pytest.fixture
async def cache(tmp_path):
    database = await Database.open(tmp_path / "pantry.sqlite")
    yield LookupCache(database)
    await database.close()


async def recall_one(cache, kind, value):
    key = LookupKey(kind, value)
    return (await cache.recall([key])).get(key, [])


async def test_one_answer_is_found_again_under_all_its_safe_names(cache):
    """A look-up by one hash answers later ones by id and by the other hashes, but not by those that collide."""
    await cache.remember_hits("civitai", {LookupKey("autov2", HASHES["autov2"]): INFO}, NOW)
    for kind in ("sha256", "autov2", "autov3", "blake3"):
        assert [one.info for one in await recall_one(cache, kind, HASHES[kind])] == [INFO]
    assert (await recall_one(cache, "version_id", "900001"))[0].info == INFO
    assert await recall_one(cache, "crc32", HASHES["crc32"]) == []


async def test_a_hit_heals_a_miss_also_under_another_name(cache):
    """A model that appears later answers the questions that once missed."""
    sha = LookupKey("sha256", HASHES["sha256"])
    await cache.remember_misses("civitai", [sha], NOW)
    assert (await cache.recall([sha]))[sha][0].info is None
    await cache.remember_hits("civitai", {LookupKey("version_id", "900001"): INFO}, NOW + 5)
    assert (await cache.recall([sha]))[sha][0].info == INFO


async def test_an_alias_never_takes_the_place_of_what_was_asked(cache):
    """Two versions may carry the same file; each question keeps its own answer."""
    sha = LookupKey("sha256", HASHES["sha256"])
    await cache.remember_hits("civitai", {sha: INFO}, NOW)
    other = replace(INFO, version_id=900002)
    await cache.remember_hits("civitai", {LookupKey("version_id", "900002"): other}, NOW)
    assert (await cache.recall([sha]))[sha][0].info.version_id == 900001


async def test_misses_in_a_row_are_believed_longer(cache):
    """A day, two, four … thirty; a hit in between starts anew."""
    key, ends = LookupKey("autov2", "0" * 10), []
    for _ in range(3):
        await cache.remember_misses("civitai", [key], NOW)
        ends.append((await cache.recall([key]))[key][0].expires_at - NOW)
    assert ends == [DAY, 2 * DAY, 4 * DAY]
    assert [miss_lasts(one) / DAY for one in (0, 5, 6, 1000)] == [1, 16, 30, 30]


async def test_answers_of_different_vendors_stand_side_by_side(cache):
    """CivitAI's miss and CivArchive's hit are two facts."""
    key = LookupKey("sha256", HASHES["sha256"])
    await cache.remember_misses("civitai", [key], NOW)
    await cache.remember_hits("civarchive", {key: replace(INFO, source="civarchive")}, NOW)
    found = {one.vendor: one.info for one in (await cache.recall([key]))[key]}
    assert found["civitai"] is None
    assert found["civarchive"].source == "civarchive"


async def test_freshness_follows_the_wall_clock(cache):
    """A hit is fresh for thirty days; an answer from the far future is not believed."""
    key = LookupKey("version_id", "900001")
    await cache.remember_hits("civitai", {key: INFO}, NOW)
    (one,) = (await cache.recall([key]))[key]
    assert one.fresh(NOW + HIT_LASTS - 1)
    assert not one.fresh(NOW + HIT_LASTS)
    assert not one.fresh(NOW - 2 * DAY)


async def test_a_thousand_keys_are_recalled_together(cache):
    """More keys than one query takes are all found."""
    keys = [LookupKey("autov3", f"{one:012x}") for one in range(1000)]
    await cache.remember_misses("civitai", keys, NOW)
    assert set(await cache.recall(keys)) == set(keys)
