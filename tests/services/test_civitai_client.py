"""The CivitAI client against a loopback CivitAI."""

from __future__ import annotations

import pytest

from py.core.errors import (
    MalformedAnswerError,
    RateLimitError,
    UnauthorisedError,
    UnreachableError,
    VendorNotFoundError,
)
from py.core.outcomes import LookupKey
from tests.standalone.vendor import Fault, FixedWindow, Refusal

from .vendor_parts import OTHER, STYLE, parts, passing


@pytest.fixture
async def here(tmp_path):
    async with parts(tmp_path) as here:
        yield here


async def test_a_version_is_found_by_id_and_by_every_hash(here):
    """Six kinds of hash and the id all lead to the same version."""
    for kind in ("sha256", "autov1", "autov2", "autov3", "blake3", "crc32"):
        assert (await here.client.get_model_by_hash(STYLE.hash(kind))).version_id == 900001
    info = await here.client.get_model_version_info(900001)
    assert info.name == "Abc Style"
    assert info.files[0].download_url == f"{here.civitai.origin}/download/models/900001"


async def test_requests_look_like_a_program_of_ours_and_carry_no_key(here):
    """A non-browser User-Agent and JSON wanted; without need no key is sent."""
    await here.client.get_model_by_hash(STYLE.hash("sha256"))
    headers = here.civitai.journal.entries[0].headers
    assert headers["User-Agent"].startswith("ComfyUI-Pantry/")
    assert headers["Accept"] == "application/json"
    assert "Authorization" not in headers


async def test_the_key_is_sent_where_civitai_wants_one_and_nowhere_else(tmp_path):
    """After the first 401 requests carry the key, to CivitAI alone."""
    async with parts(tmp_path, key="secret") as here:
        here.civitai.key = "secret"
        await here.client.get_model_by_hash(STYLE.hash("sha256"))
        await here.client.get_model_by_hash(OTHER.hash("sha256"))
        sent = [one.headers.get("Authorization") for one in here.civitai.journal.entries]
        assert sent == [None, "Bearer secret", "Bearer secret"]
        with pytest.raises(VendorNotFoundError):
            await here.archive_client.get_model_by_sha256(STYLE.hash("sha256"))
        assert "Authorization" not in here.civarchive.journal.entries[0].headers


async def test_a_wrong_key_is_an_unauthorised_error_after_two_requests(tmp_path):
    """A key that is refused is not tried over and over."""
    async with parts(tmp_path, key="wrong") as here:
        here.civitai.key = "secret"
        with pytest.raises(UnauthorisedError):
            await here.client.get_model_by_hash(STYLE.hash("sha256"))
        assert len(here.civitai.journal.entries) == 2


async def test_bulk_answers_come_by_hash_and_leave_misses_out(here):
    """One request for many files; what CivitAI does not know is simply not in the answer."""
    hashes = [STYLE.hash("sha256"), "0" * 64, OTHER.hash("sha256")]
    found = await here.client.get_models_by_sha256(hashes)
    assert {key: info.version_id for key, info in found.items()} == {hashes[0]: 900001, hashes[2]: 900002}
    assert len(here.civitai.journal.entries) == 1


async def test_one_bad_hash_among_a_hundred_loses_nothing(here):
    """CivitAI refuses all for one; halving finds it, and every other answer arrives."""
    hashes = [STYLE.hash("sha256"), *(f"{one:064x}" for one in range(97)), "not-a-hash", OTHER.hash("sha256")]
    found = await here.client.get_models_by_sha256(hashes)
    assert {info.version_id for info in found.values()} == {900001, 900002}
    assert len(here.civitai.journal.entries) <= 2 * 7 + 1


async def test_models_come_with_tags_creator_and_newest_version(here):
    """models?ids= describes whole models, mature ones too."""
    found = await here.client.get_models([800001, 800002, 1])
    assert set(found) == {800001, 800002}
    (info,) = found[800001]
    assert (info.tags, info.creator, info.latest_version_id) == (("style",), "someone", 900001)
    assert "nsfw=true" in here.civitai.journal.entries[0].path


async def test_images_come_a_hundred_at_a_time(here):
    """images?ids= gives each image's generation data."""
    here.civitai.catalogue.images[7] = {"id": 7, "url": "https://x/7", "meta": {"id": 7, "meta": {"prompt": "hi"}}}
    found = await here.client.get_images([7, 8])
    assert found[7]["meta"] == {"prompt": "hi"}
    assert "limit=100" in here.civitai.journal.entries[0].path


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("500", UnreachableError),
        ("html", MalformedAnswerError),
        ("html_404", MalformedAnswerError),
        ("truncated", MalformedAnswerError),
        ("wrong_type", MalformedAnswerError),
        ("401", UnauthorisedError),
        ("reset", UnreachableError),
    ],
)
async def test_a_fault_is_never_mistaken_for_a_miss(here, kind, error):
    """Each trouble has its own error; a page with status 404 is no "not found"."""
    here.civitai.fail(Fault(kind))
    with pytest.raises(error) as raised:
        await passing(here.clock, here.client.find(LookupKey("sha256", STYLE.hash("sha256"))))
    assert raised.value.host == here.civitai.host
    assert not isinstance(raised.value, VendorNotFoundError)


async def test_a_refusal_names_when_to_come_back(here):
    """A window beyond the caller's patience is an error at once, with its end."""
    here.civitai.policy, here.civitai.refusal = FixedWindow(0, 5), Refusal(seconds=900)
    with pytest.raises(RateLimitError) as raised:
        await here.client.get_model_version_info(900001)
    assert raised.value.retry_at >= here.clock.wall() + 900
    assert raised.value.provider == "civitai"


async def test_another_files_version_is_not_believed(here):
    """An answer whose files all have other SHA256s is about another model."""
    here.civitai.catalogue.by_hash["f" * 64] = STYLE
    with pytest.raises(MalformedAnswerError):
        await here.client.find(LookupKey("sha256", "f" * 64))
