"""CivArchive's two API generations."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from py.core.errors import MalformedAnswerError
from py.vendors.civarchive import decode, urls
from tests.samples import sample

from .test_civitai import json_values

SHA = "00112233445566778899aabbccddeeff" * 2
LEGACY, OFFICIAL = sample("civarchive/legacy"), sample("civarchive/official")


@pytest.mark.parametrize("body", [LEGACY, LEGACY["data"], OFFICIAL], ids=["wrapped", "bare", "official"])
def test_every_generation_gives_the_same_facts(body):
    """Wrapped, bare and official answers read alike; ids spelled as strings become numbers."""
    info = decode.by_sha256(body)
    assert (info.version_id, info.model_id, info.name, info.base_model) == (900001, 800001, "Abc Style", "Illustrious")
    assert (info.creator, info.trained_words, info.source) == ("someone", ("abc",), "civarchive")
    assert info.deleted_at == "2026-03-01T00:00:00Z"
    assert info.files[0].hashes["sha256"] == SHA


def test_a_download_comes_from_a_living_open_mirror():
    """Deleted and gated mirrors are passed over."""
    assert decode.by_sha256(LEGACY).files[0].download_url == "https://mirror.example/abc"


def test_a_pointer_leads_to_civitais_ids_only():
    """Ids of other platforms are no use at CivitAI and are passed over."""
    assert decode.by_sha256(sample("civarchive/pointer")) == decode.Pointer(800001, 900001)


def test_the_official_api_says_unknown_with_empty_lists():
    """An unknown hash is 200 with nothing in it."""
    assert decode.by_sha256(sample("civarchive/official_miss")) is None


@pytest.mark.parametrize("body", [None, [], {}, {"data": {}}, {"error": ""}, {"models": {}}, {"version": {"id": 1}}])
def test_other_shapes_are_malformed(body):
    """An empty object or an error body is not the word "unknown"."""
    with pytest.raises(MalformedAnswerError):
        decode.by_sha256(body)


@settings(max_examples=50)
@given(json_values)
def test_junk_never_escapes_as_another_error(junk):
    """Any JSON ends in a model, a pointer, nothing, or `MalformedAnswerError`."""
    for body in (junk, {"data": junk}, {"models": junk}, {"files": junk}, {"name": "x", "version": junk}):
        try:
            decode.by_sha256(body)
        except MalformedAnswerError:
            continue


def test_another_version_is_not_believed():
    """CivArchive may answer with another model than was asked for."""
    info = decode.by_sha256(LEGACY)
    assert decode.require_version(info, 900001) is info
    with pytest.raises(MalformedAnswerError):
        decode.require_version(info, 900002)


def test_addresses_follow_the_generation():
    """The base address in the settings decides which API is spoken."""
    assert urls.by_sha256("https://x/api", SHA.upper()) == f"https://x/api/sha256/{SHA}"
    assert urls.version("https://x/api", 1, 2) == "https://x/api/models/1?modelVersionId=2"
    assert urls.version("https://x/api/v1", 1, 2) == "https://x/api/v1/civitai/models/1/versions/2"
