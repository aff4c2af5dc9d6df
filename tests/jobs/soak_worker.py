"""Import one folder in a process of its own that may be killed at any moment; policy time runs faster than real time.

Started by tests.jobs.soak. Writes what it measured once a second, a JSON line each, to ``--stats``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections import deque
from contextlib import suppress
from pathlib import Path

from py.app import HostInfo, Pantry
from py.core.errors import ConflictError
from py.core.events import BATCH_IMPORT
from py.jobs.request import ImportRequest
from tests import conftest  # noqa: F401 - mounts the package

LOOK_SECONDS = 0.2


class FastClock:
    """Tell a time that runs `factor` times as fast as the machine's since `start` (seconds since the epoch)."""

    def __init__(self, start, factor):
        self._start = start
        self._factor = factor

    def monotonic(self):
        return self.wall() - self._start

    def wall(self):
        return self._start + (time.time() - self._start) * self._factor

    async def sleep(self, seconds):
        await asyncio.sleep(seconds / self._factor)


class Measures:
    """Follow the loop's lag, the memory and the progress messages; publish what Pantry publishes into them.

    Messages are counted in policy time, in which Pantry promises at most four a second.
    """

    def __init__(self, clock, stats):
        self._clock = clock
        self._stats = stats
        self._recent = deque()
        self.lag = 0.0
        self.burst = self.messages = self.largest = 0

    def publish(self, event, data):
        if event == BATCH_IMPORT:
            now = self._clock.monotonic()
            self._recent.append(now)
            while self._recent[0] <= now - 1:
                self._recent.popleft()
            self.messages += 1
            self.burst = max(self.burst, len(self._recent))
            self.largest = max(self.largest, len(json.dumps(data)))

    async def follow_lag(self):
        while True:
            before = time.perf_counter()
            await asyncio.sleep(0.01)
            self.lag = max(self.lag, time.perf_counter() - before - 0.01)

    async def write(self):
        first = memory()
        with self._stats.open("a", encoding="utf-8") as file:
            while True:
                await asyncio.sleep(1)
                told = {"lag_ms": self.lag * 1000, "growth_mb": memory() - first, "burst": self.burst}
                print(json.dumps({**told, "largest": self.largest, "messages": self.messages}), file=file, flush=True)


def memory():
    """Return this process's resident memory in MB, 0 where the system does not tell."""
    status = Path("/proc/self/statm")
    return int(status.read_text().split()[1]) * 4096 / 2**20 if status.exists() else 0.0


async def finish(pantry, request):
    """Go on until every image has its end; what was put off without a time is run again as a person would."""
    listed = (await pantry.imports.list(limit=1))["items"]
    if not listed:
        await pantry.imports.start(request)
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        job = (await pantry.imports.list(limit=1))["items"][0]
        reasons = job["skipped_reasons"]
        if job["status"] in {"paused", "failed", "cancelled"}:
            raise SystemExit(f"{job['status']}: {job['message']}")
        if job["status"] != "completed":
            continue
        if not reasons.keys() & {"rate_limited", "unreachable", "unauthorised"}:
            return
        if "rate_limited" not in reasons:
            with suppress(ConflictError):  # it went on by itself just now
                await pantry.imports.retry(job["operation_id"])


async def work(options):
    clock = FastClock(options.start, options.factor)
    measures = Measures(clock, options.stats)
    pantry = Pantry(HostInfo(data_dir=options.data, sink=measures), clock=clock)
    await pantry.start()
    followers = [asyncio.ensure_future(one) for one in (measures.follow_lag(), measures.write())]
    try:
        await pantry.imports.resume_unfinished()
        await finish(pantry, ImportRequest(directories=(options.folder,)))
    finally:
        for one in followers:
            one.cancel()
        await pantry.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("folder", "data", "stats"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--start", type=float, required=True)
    parser.add_argument("--factor", type=float, required=True)
    asyncio.run(work(parser.parse_args()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
