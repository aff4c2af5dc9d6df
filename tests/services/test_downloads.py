"""Files: whole, checked, continued, and never under their name before that."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import random
import shutil
from types import SimpleNamespace

import pytest
from aiohttp import web

from py.core.clock import SystemClock
from py.core.errors import (
    MalformedAnswerError,
    RateLimitError,
    StorageError,
    UnauthorisedError,
    VendorRefusedError,
)
from py.net.aiohttp_transport import AiohttpTransport
from py.net.part_file import PartFile
from py.net.policy import GatePolicy
from py.services.connectivity_guard import ConnectivityGuard
from py.services.downloader import Downloader
from py.services.rate_limit_coordinator import RateLimitCoordinator
from tests.net.loopback import serving

BODY = random.Random(7).randbytes(4_000_000)
PIECE = 1024 * 1024  # what is written to disk at once
SHA256 = hashlib.sha256(BODY).hexdigest()


class NoJitter(random.Random):
    """Wait for nothing between tries."""

    def uniform(self, a, b):
        return a


@pytest.fixture
async def downloader():
    clock, policy = SystemClock(), GatePolicy(min_interval_seconds=0, max_wait_seconds=1)
    gate = RateLimitCoordinator(clock, lambda: policy, rng=NoJitter())
    made = Downloader(
        AiohttpTransport(clock),
        ConnectivityGuard(clock),
        gate,
        clock,
        policy=lambda: policy,
        auth=lambda host: {"Authorization": "Bearer secret"} if host.endswith(made_for[0]) else {},
        rng=NoJitter(),
    )
    made.gate = gate
    yield made
    await made.close()
    await gate.close()


made_for = ["nobody"]


class Shop:
    """Serve BODY by ranges; the next `cut` bodies break off after a little more than a piece."""

    def __init__(self, *, cut=0, etag='"v1"'):
        self.cut, self.etag, self.requests, self.stored = cut, etag, [], 0

    def hear(self, stored, _expected):
        """Be told what has been stored: a body is cut only when a piece of it has arrived."""
        self.stored = stored

    async def __call__(self, request):
        self.requests.append(request.headers)
        start = 0
        if request.headers.get("If-Range") == self.etag and "Range" in request.headers:
            start = int(request.headers["Range"].removeprefix("bytes=").removesuffix("-"))
        if start >= len(BODY):
            return web.Response(status=416)
        headers = {
            "ETag": self.etag,
            "Content-Length": str(len(BODY) - start),
            "Content-Type": "application/octet-stream",
        }
        if start:
            headers["Content-Range"] = f"bytes {start}-{len(BODY) - 1}/{len(BODY)}"
        response = web.StreamResponse(status=206 if start else 200, headers=headers)
        await response.prepare(request)
        if self.cut:
            self.cut -= 1
            await response.write(BODY[start : start + PIECE + 100_000])
            while self.stored < start + PIECE:
                await asyncio.sleep(0)
            request.transport.close()
        else:
            await response.write(BODY[start:])
        return response


async def break_off(downloader, folder):
    """Leave a download unfinished: it is cancelled when a piece has arrived."""
    shop, cut = Shop(cut=1), asyncio.Event()
    async with serving(shop) as base:
        task = asyncio.ensure_future(
            downloader.download_file(f"{base}/f", folder / "f.bin", progress=lambda *_told: cut.set())
        )
        await cut.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        shop.stored = len(BODY)


async def test_a_file_arrives_whole_checked_and_under_its_name(downloader, tmp_path):
    """Nothing else is left beside it, and progress was told up to the end."""
    heard = []
    async with serving(Shop()) as base:
        found = await downloader.download_file(
            f"{base}/f", tmp_path / "new" / "f.bin", sha256=SHA256.upper(), progress=lambda *told: heard.append(told)
        )

    assert found.read_bytes() == BODY
    assert [path.name for path in found.parent.iterdir()] == ["f.bin"]
    assert heard[-1] == (len(BODY), len(BODY))
    assert heard == sorted(heard)


async def test_a_body_that_breaks_off_is_continued_where_it_ended(downloader, tmp_path):
    """By Range and validator, without fetching a byte twice."""
    shop = Shop(cut=2)
    async with serving(shop) as base:
        found = await downloader.download_file(f"{base}/f", tmp_path / "f.bin", sha256=SHA256, progress=shop.hear)

    assert found.read_bytes() == BODY
    assert len(shop.requests) == 3
    starts = [int(headers.get("Range", "bytes=0-")[6:-1]) for headers in shop.requests]
    assert starts[0] == 0 < PIECE <= starts[1] < 2 * PIECE <= starts[2]


async def test_what_an_earlier_attempt_left_is_continued(downloader, tmp_path):
    """Also by another process, days later."""
    await break_off(downloader, tmp_path)
    size = (tmp_path / "f.bin.part").stat().st_size
    assert PIECE <= size < len(BODY)
    assert not (tmp_path / "f.bin").exists()

    shop = Shop()
    async with serving(shop) as base:
        await downloader.download_file(f"{base}/f", tmp_path / "f.bin", sha256=SHA256)

    assert shop.requests[0]["Range"] == f"bytes={size}-"


async def test_a_file_that_has_changed_meanwhile_starts_anew(downloader, tmp_path):
    """The validator does not match, so the whole comes with 200."""
    await break_off(downloader, tmp_path)

    async with serving(Shop(etag='"v2"')) as base:
        found = await downloader.download_file(f"{base}/f", tmp_path / "f.bin", sha256=SHA256)

    assert found.read_bytes() == BODY


async def test_a_rest_that_cannot_be_had_starts_anew(downloader, tmp_path):
    """416: ours is already as long as theirs, or theirs has shrunk."""
    part = PartFile(tmp_path / "f.bin")
    part.begin(200, {"etag": '"v1"'})
    part.write(BODY + b"more")

    async with serving(Shop()) as base:
        found = await downloader.download_file(f"{base}/f", tmp_path / "f.bin", sha256=SHA256)

    assert found.read_bytes() == BODY


async def test_the_wrong_file_never_gets_the_name(downloader, tmp_path):
    """A differing SHA256 deletes what came."""
    async with serving(Shop()) as base:
        with pytest.raises(MalformedAnswerError):
            await downloader.download_file(f"{base}/f", tmp_path / "f.bin", sha256="0" * 64)

    assert list(tmp_path.iterdir()) == []


async def test_a_login_page_is_no_file(downloader, tmp_path):
    """HTML with 200 is not stored as a model."""

    async def page(_request):
        return web.Response(text="<html>please log in</html>", content_type="text/html")

    async with serving(page) as base:
        with pytest.raises(MalformedAnswerError, match="web page"):
            await downloader.download_file(f"{base}/f", tmp_path / "f.bin")

    assert list(tmp_path.iterdir()) == []


async def test_a_full_disk_is_said_before_the_first_byte(downloader, tmp_path, monkeypatch):
    """The vendor says how long the file is."""
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: SimpleNamespace(free=0))

    async with serving(Shop()) as base:
        with pytest.raises(StorageError, match="full"):
            await downloader.download_file(f"{base}/f", tmp_path / "f.bin")


def test_a_disk_that_fills_up_is_a_storage_error(tmp_path, monkeypatch):
    """And not an OSError that nobody expects."""
    part = PartFile(tmp_path / "f.bin")
    part.begin(200, {})

    def full(*_args, **_kwargs):
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr("pathlib.Path.open", full)

    with pytest.raises(StorageError, match=r"The disk is full\."):
        part.write(b"x")


async def test_the_key_goes_to_the_api_host_and_not_to_the_store_behind_it(downloader, tmp_path):
    """A download answers with a redirect to a signed address on another host."""
    shop = Shop()
    async with serving(shop) as store:
        asked = []

        async def api(request):
            asked.append(request.headers.get("Authorization"))
            return web.Response(status=302, headers={"Location": f"{store}/signed?sig=1"})

        async with serving(api) as base:
            made_for[0] = base.rsplit(":", 1)[1]
            await downloader.download_file(f"{base}/d/1", tmp_path / "f.bin", use_auth=True)

    assert asked == ["Bearer secret"]
    assert "Authorization" not in shop.requests[0]


async def test_redirects_end_somewhere(downloader):
    """In circles they are given up, and where they may not lead they are not followed."""

    async def around(_request):
        return web.Response(status=302, headers={"Location": "/again"})

    async with serving(around) as base:
        with pytest.raises(VendorRefusedError):
            await downloader.download_to_memory(f"{base}/x", max_bytes=100)
        with pytest.raises(VendorRefusedError):
            await downloader.download_to_memory(f"{base}/x", max_bytes=100, permit=lambda _url: False)


async def test_a_download_that_wants_a_key_says_so(downloader, tmp_path):
    """401 is raised at once and leaves nothing behind."""

    async def locked(_request):
        return web.json_response({"error": "Unauthorized"}, status=401)

    async with serving(locked) as base:
        with pytest.raises(UnauthorisedError):
            await downloader.download_file(f"{base}/f", tmp_path / "f.bin")

    assert list(tmp_path.iterdir()) == []


async def test_a_refused_download_closes_its_own_bucket(downloader, tmp_path):
    """And the API goes on."""

    async def refused(request):
        if request.path == "/api":
            return web.json_response({"id": 1})
        return web.json_response({"error": "slow down"}, status=429, headers={"Retry-After": "900"})

    async with serving(refused) as base:
        host = base.removeprefix("http://")
        with pytest.raises(RateLimitError):
            await downloader.download_file(f"{base}/f", tmp_path / "f.bin")

        assert downloader.gate.in_cooldown(f"{host} downloads")
        assert (await downloader.make_request("GET", f"{base}/api")).data == {"id": 1}


async def test_bytes_in_memory_are_capped(downloader):
    """A body above the cap is given up while it streams."""
    async with serving(Shop()) as base:
        assert await downloader.download_to_memory(f"{base}/f", max_bytes=len(BODY)) == BODY
        with pytest.raises(MalformedAnswerError):
            await downloader.download_to_memory(f"{base}/f", max_bytes=1000)


async def test_headers_are_asked_for_by_head(downloader):
    """Size and validator without the body."""

    async def head(request):
        assert request.method == "HEAD"
        return web.Response(headers={"ETag": '"v1"', "X-Size": "12"})

    async with serving(head) as base:
        headers = await downloader.get_response_headers(f"{base}/f")

    assert (headers["etag"], headers["x-size"]) == ('"v1"', "12")
