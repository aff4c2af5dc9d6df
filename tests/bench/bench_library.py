"""Measure the model library: a first scan of 40,000 files, a later one, hashing beside sha256sum, memory, loop lag.

The files are sparse: real headers, weights that take no room on the disk.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from py.core.clock import SystemClock
from py.library.hash_queue import next_jobs
from py.library.hashing import hash_file
from py.library.library import Library
from py.storage.database import Database

FILES = 40_000
PER_FOLDER = 100
APPARENT_SIZE = 150 * 1024 * 1024
HASHED_MEBIBYTES = 512


def make_library(folder: Path, count: int) -> None:
    """Write sparse model files, a hundred to a folder."""
    for index in range(count):
        told = {"modelspec.title": f"Model {index}", "ss_base_model_version": "sdxl_base_v1-0", "ss_network_dim": "32"}
        header = json.dumps({"__metadata__": told}).encode()
        path = folder / f"{index // PER_FOLDER:04d}" / f"model_{index:05d}.safetensors"
        if index % PER_FOLDER == 0:
            path.parent.mkdir(parents=True)
        with path.open("wb") as file:
            file.write(len(header).to_bytes(8, "little") + header)
            file.truncate(APPARENT_SIZE)


@dataclass(frozen=True)
class Took:
    """Seconds on the wall and of all this process's processors, and the longest that the event loop was held up."""

    wall: float
    processor: float
    lag: float


async def timed(work: Callable[[], Awaitable[Any]]) -> Took:
    """Measure; on a machine with other work the processor's time says more than the wall's."""
    worst, running = 0.0, True

    async def watch() -> None:
        nonlocal worst
        while running:
            before = time.perf_counter()
            await asyncio.sleep(0.005)
            worst = max(worst, time.perf_counter() - before - 0.005)

    watcher = asyncio.ensure_future(watch())
    start, used = time.perf_counter(), time.process_time()
    await work()
    wall, processor = time.perf_counter() - start, time.process_time() - used
    running = False
    await watcher
    return Took(wall, processor, worst)


async def scans(folder: Path, data: Path) -> None:
    """Scan the folder with a new database, then as a later start would."""
    for name in ("first scan, headers read", "scan after a restart"):
        database = await Database.open(data / "pantry.sqlite")
        library = Library(database, lambda: {"loras": (folder,)}, SystemClock())
        took = await timed(library.scan)
        print(f"{name}: {took.wall:.2f} s for {FILES} files ({took.processor:.2f} s of processor time)")
        print(f"  event loop held up for {took.lag * 1000:.0f} ms at most")
        took = await timed(partial(library.page, q="model 39"))
        print(f"  a search among them: {took.wall * 1000:.0f} ms")
        took = await timed(partial(database.read, next_jobs))
        print(f"  what to hash next: {took.wall * 1000:.0f} ms")
        await library.close()
        await database.close()


def hashing(folder: Path) -> None:
    """Hash one file as the library does, and with sha256sum."""
    path = folder / "big.safetensors"
    with path.open("wb") as file:
        for _ in range(HASHED_MEBIBYTES // 16):
            file.write(os.urandom(16 * 1024 * 1024))
    path.read_bytes()  # both find it in memory
    rates = {"the library": _rate(lambda: hash_file(path))}
    if tool := shutil.which("sha256sum"):
        rates["sha256sum"] = _rate(lambda: subprocess.run([tool, str(path)], check=True, capture_output=True))
    print("hashing: " + ", ".join(f"{name} {rate:.0f} MiB/s" for name, rate in rates.items()))


def _rate(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return HASHED_MEBIBYTES / (time.perf_counter() - start)


def _peak_mebibytes() -> float | None:
    if sys.platform == "win32":
        return None
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform == "linux" else 1024 * 1024)


def main() -> None:
    """Print the measurements."""
    with tempfile.TemporaryDirectory() as place:
        folder, data = Path(place) / "models", Path(place) / "data"
        make_library(folder, FILES)
        asyncio.run(scans(folder, data))
        print(f"peak memory: {_peak_mebibytes() or 0:.0f} MiB")
        hashing(Path(place))


if __name__ == "__main__":
    main()
