"""Build what asks vendors on real loopback sockets, without the rest of Pantry."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager
from types import SimpleNamespace

from py.net.aiohttp_transport import AiohttpTransport
from py.net.policy import GatePolicy
from py.services.civarchive_client import CivArchiveClient
from py.services.civitai_client import CivitaiClient
from py.services.connectivity_guard import ConnectivityGuard
from py.services.downloader import Downloader
from py.services.model_metadata_provider import FallbackMetadataProvider
from py.services.rate_limit_coordinator import RateLimitCoordinator
from py.storage.database import Database
from py.vendors.cache_store import LookupCache
from tests.doubles.fake_clock import FakeClock
from tests.standalone.vendor import Catalogue, LoopbackVendor, VendorModel

STYLE = VendorModel(model_id=800001, version_id=900001, name="Abc Style")
OTHER = VendorModel(model_id=800002, version_id=900002, name="Other Style")
LOST = VendorModel(model_id=800003, version_id=900003, name="Lost Style")

POLICY = GatePolicy(min_interval_seconds=0, adaptive_enabled=False)


@asynccontextmanager
async def parts(tmp_path, *, key="", archive_kind="civarchive", archive=None, policy=POLICY):
    """Give clients, provider and the two vendors; CivitAI knows two models, CivArchive a third."""
    clock, saved = FakeClock(), []
    async with AsyncExitStack() as stack:
        vendors = (
            LoopbackVendor("civitai", Catalogue([STYLE, OTHER]), clock=clock),
            LoopbackVendor(archive_kind, Catalogue([LOST]), clock=clock),
        )
        civitai, civarchive = [await stack.enter_async_context(one) for one in vendors]
        guard = ConnectivityGuard(clock)
        coordinator = RateLimitCoordinator(clock, lambda: policy)
        stack.push_async_callback(coordinator.close)
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        downloader = Downloader(
            AiohttpTransport(clock),
            guard,
            coordinator,
            clock,
            policy=lambda: policy,
            auth=lambda host: headers if host == civitai.host else {},
        )
        stack.push_async_callback(downloader.close)
        database = await Database.open(tmp_path / "pantry.sqlite")
        stack.push_async_callback(database.close)
        clients = {
            "civitai": CivitaiClient(downloader, lambda: civitai.base, has_key=lambda: bool(key)),
            "civarchive": CivArchiveClient(downloader, lambda: civarchive.base),
        }
        provider = FallbackMetadataProvider(
            **clients,
            cache=LookupCache(database),
            clock=clock,
            at_cap=guard.at_cap,
            archive=archive,
            note_saved=lambda host, count: saved.append((host, count)),
            retry_at=coordinator.retry_at,
        )
        yield SimpleNamespace(
            clock=clock,
            guard=guard,
            civitai=civitai,
            civarchive=civarchive,
            client=clients["civitai"],
            archive_client=clients["civarchive"],
            provider=provider,
            saved=saved,
            downloader=downloader,
        )


async def passing(clock, awaitable):
    """Await something while the clock runs on whenever it is asked to wait."""
    task = asyncio.ensure_future(awaitable)
    while not task.done():
        await asyncio.sleep(0.0005)
        if clock.next_wake is not None and not task.done():
            await clock.advance(clock.next_wake - clock.now)
    return task.result()
