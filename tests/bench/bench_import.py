"""Measure an import from end to end: real files, a real database, a vendor in a process of its own on loopback.

Images a second; requests per thousand images, first and second run; bytes and messages of progress; and how long the
event loop was ever kept from its next turn. `LIMITS` is what the product promises.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from py.app import HostInfo, Pantry
from py.core.events import BATCH_IMPORT
from py.jobs.request import ImportRequest

IMAGES = 10_000
LIMITS = {"lag_ms": 50.0, "messages_per_second": 4.5, "bytes_per_message": 2048, "second_run_requests": 0}
ROOT = Path(__file__).resolve().parents[2]
# The pace is not what is measured here; the gate's bench does that.
SETTINGS = {"rate_limit_min_interval_seconds": 0, "rate_limit_adaptive_enabled": False, "civarchive_enabled": False}


@dataclass
class Progress:
    """Count what watchers of the import were sent."""

    messages: int = 0
    bytes: int = 0
    largest: int = 0

    def publish(self, event, data):
        if event != BATCH_IMPORT:
            return
        size = len(json.dumps(data))
        self.messages += 1
        self.bytes += size
        self.largest = max(self.largest, size)


@dataclass
class Lag:
    """Watch the event loop: `worst` is the longest that a 5 ms nap has overslept, in seconds."""

    worst: float = 0.0
    task: asyncio.Task | None = field(default=None)

    async def _watch(self):
        while True:
            before = time.perf_counter()
            await asyncio.sleep(0.005)
            self.worst = max(self.worst, time.perf_counter() - before - 0.005)

    async def __aenter__(self):
        self.task = asyncio.create_task(self._watch())
        return self

    async def __aexit__(self, *_error):
        self.task.cancel()
        with suppress(asyncio.CancelledError):
            await self.task


@contextmanager
def vendor(catalogue: Path) -> Iterator[str]:
    """Run CivitAI's stand-in in a process of its own; yield its base address."""
    command = [sys.executable, "-m", "tests.standalone.vendor", "--catalogue", str(catalogue)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        yield json.loads(process.stdout.readline())["base"]
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


def make_pictures(folder: Path, count: int) -> Path:
    """Write the pictures; return the vendor's catalogue that fits them."""
    command = [sys.executable, "-m", "tests.standalone.pictures", str(folder), "--count", str(count)]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return folder.parent / f"{folder.name}.civitai.json"


async def import_once(data: Path, pictures: Path) -> dict:
    """Import the folder; return the numbers of this run."""
    progress = Progress()
    pantry = Pantry(HostInfo(data_dir=data, sink=progress))
    await pantry.start()
    try:
        async with Lag() as lag:
            began = time.perf_counter()
            done = await pantry.imports.wait(await pantry.imports.start(ImportRequest(directories=(pictures,))))
            seconds = time.perf_counter() - began
        sent = sum(row["sent"] for row in pantry.coordinator.snapshot())
    finally:
        await pantry.close()
    return {"seconds": seconds, "sent": sent, "lag_ms": lag.worst * 1000, "progress": progress, "done": done}


def report(title: str, run: dict, count: int) -> None:
    """Print the numbers of one run."""
    progress, done = run["progress"], run["done"]
    print(f"{title}: {done['success']} recipes, {done['skipped']} skipped, {done['failed']} failed")
    print(f"  {count / run['seconds']:8.0f} images a second")
    print(f"  {run['sent'] * 1000 / count:8.1f} requests per 1,000 images")
    print(f"  {progress.bytes:8d} bytes of progress in {progress.messages} messages, the largest {progress.largest}")
    print(f"  {run['lag_ms']:8.1f} ms was the longest that the event loop waited")


def held(first: dict, second: dict) -> bool:
    """Print each limit that was not held; return whether all were."""
    found = {
        "lag_ms": max(first["lag_ms"], second["lag_ms"]),
        "messages_per_second": first["progress"].messages / max(first["seconds"], 1.0),
        "bytes_per_message": first["progress"].largest,
        "second_run_requests": second["sent"],
    }
    broken = {name: value for name, value in found.items() if value > LIMITS[name]}
    for name, value in broken.items():
        print(f"  NOT HELD: {name} is {value:.1f}, promised is {LIMITS[name]}")
    return not broken


def main(count: int = IMAGES) -> bool:
    """Import `count` pictures twice."""
    with tempfile.TemporaryDirectory() as name:
        pictures, data = Path(name) / "pictures", Path(name) / "data"
        catalogue = make_pictures(pictures, count)
        data.mkdir()
        with vendor(catalogue) as base:
            (data / "settings.json").write_text(json.dumps({**SETTINGS, "civitai_api_base": base}), encoding="utf-8")
            first = asyncio.run(import_once(data, pictures))
            second = asyncio.run(import_once(data, pictures))
    report("first run", first, count)
    report("second run", second, count)
    return held(first, second)


if __name__ == "__main__":
    sys.exit(0 if main(int(sys.argv[1]) if sys.argv[1:] else IMAGES) else 1)
