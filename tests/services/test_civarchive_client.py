"""The CivArchive client against both generations of a loopback CivArchive."""

from __future__ import annotations

import pytest

from py.core.errors import MalformedAnswerError, VendorNotFoundError
from tests.standalone.vendor import Fault

from .vendor_parts import LOST, STYLE, parts

KINDS = ("civarchive", "civarchive-v1")


@pytest.mark.parametrize("kind", KINDS)
async def test_an_archived_model_is_found(tmp_path, kind):
    """Both generations give the same facts for one request."""
    async with parts(tmp_path, archive_kind=kind) as here:
        info = await here.archive_client.get_model_by_sha256(LOST.hash("sha256").upper())
        assert (info.version_id, info.name, info.source) == (900003, "Lost Style", "civarchive")
        assert len(here.civarchive.journal.entries) == 1


@pytest.mark.parametrize("kind", KINDS)
async def test_an_unknown_hash_is_a_confirmed_miss(tmp_path, kind):
    """404 in the one, empty lists in the other."""
    async with parts(tmp_path, archive_kind=kind) as here:
        with pytest.raises(VendorNotFoundError) as raised:
            await here.archive_client.get_model_by_sha256(STYLE.hash("sha256"))
        assert (raised.value.host, raised.value.provider) == (here.civarchive.host, "civarchive")


async def test_a_pointer_is_followed(tmp_path):
    """A hash that is known without its model costs one more request, for the model's page."""
    async with parts(tmp_path) as here:
        here.civarchive.points = True
        assert (await here.archive_client.get_model_by_sha256(LOST.hash("sha256"))).name == "Lost Style"
        assert len(here.civarchive.journal.entries) == 2


async def test_another_model_is_not_believed(tmp_path):
    """CivArchive may answer with a model that does not have the file."""
    async with parts(tmp_path) as here:
        here.civarchive.catalogue.by_hash["e" * 64] = LOST
        with pytest.raises(MalformedAnswerError):
            await here.archive_client.get_model_by_sha256("e" * 64)


@pytest.mark.parametrize("kind", ["html_404", "text_404", "empty_404"])
async def test_a_404_needs_no_json_here(tmp_path, kind):
    """CivArchive documents no body for what it does not know; four in a row close nothing."""
    async with parts(tmp_path) as here:
        here.civarchive.fail(Fault(kind))
        for _ in range(4):
            with pytest.raises(VendorNotFoundError):
                await here.archive_client.get_model_by_sha256(LOST.hash("sha256"))


async def test_a_challenge_is_no_miss(tmp_path):
    """A page that wants a browser says nothing about the file, whatever its status."""
    async with parts(tmp_path) as here:
        here.civarchive.fail(Fault("challenge_404"))
        with pytest.raises(MalformedAnswerError):
            await here.archive_client.get_model_by_sha256(LOST.hash("sha256"))
