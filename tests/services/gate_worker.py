"""Be one Pantry process: ask a vendor `count` questions through the gate and the shared database, and report.

`python -m tests.services.gate_worker DATABASE BASE COUNT MAX_WAIT` prints one JSON object.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from py.core.clock import SystemClock
from py.core.errors import RateLimitError, VendorNotFoundError
from py.net.aiohttp_transport import AiohttpTransport
from py.net.policy import GatePolicy
from py.services.connectivity_guard import ConnectivityGuard
from py.services.downloader import Downloader
from py.services.rate_limit_coordinator import RateLimitCoordinator
from py.storage.database import Database
from py.storage.window_store import WindowStore
from tests import conftest as _mount  # noqa: F401 - makes `py` importable outside pytest


async def ask(downloader, url):
    try:
        await downloader.make_request("GET", url)
    except VendorNotFoundError:
        return "answered"
    except RateLimitError as error:
        return f"refused until {error.retry_at:.0f}"
    return "answered"


async def main(database, base, count, max_wait):
    clock, policy = SystemClock(), GatePolicy(min_interval_seconds=0.2, max_wait_seconds=max_wait)
    database = await Database.open(Path(database))
    gate = RateLimitCoordinator(clock, lambda: policy, memory=WindowStore(database))
    await gate.load()
    downloader = Downloader(
        AiohttpTransport(clock), ConnectivityGuard(clock), gate, clock, policy=lambda: policy, auth=lambda _host: {}
    )
    outcomes = await asyncio.gather(*(ask(downloader, f"{base}/model-versions/{one}") for one in range(count)))
    await downloader.close()
    await gate.close()
    await database.close()
    print(json.dumps({"outcomes": outcomes, "sent": sum(row["sent"] for row in gate.snapshot())}))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])))
