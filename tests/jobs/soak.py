"""Soak the import: many images, vendors that refuse, fail and lie, and a process that is killed again and again.

``python -m tests.jobs.soak [--images 20000]`` prints what it found and exits 0 when every promise was kept. Sockets,
files and processes are real; policy time runs faster, so that a 40-minute window takes under a minute.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import shutil
import sqlite3
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from tests.conftest import ROOT
from tests.jobs.soak_worker import FastClock
from tests.standalone.pictures import make
from tests.standalone.truth import assert_true
from tests.standalone.vendor import Fault, FixedWindow, LoopbackVendor

FAULTS = ("500", "502", "reset", "truncated", "html", "cut")
LONG_WINDOW = 2400.0  # seconds of policy time
GRACE_SECONDS = 1200.0  # real seconds that the last, undisturbed run may take


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Say how hard the soak is."""

    images: int = 20_000
    models: int = 1500
    kills: int = 20
    lives: tuple[float, float] = (2.0, 6.0)  # real seconds between two kills
    factor: float = 60.0
    faults_per_request: float = 0.05
    limit: int = 120
    window: float = 60.0
    long_window_after: int = 600  # requests


class Closing:
    """Be a fixed window that, once, closes for `LONG_WINDOW` seconds after so many requests."""

    def __init__(self, plan):
        self._usual = FixedWindow(plan.limit, plan.window)
        self._left = plan.long_window_after
        self._until = 0.0
        self.closed = 0

    def admit(self, now):
        self._left -= 1
        if self._left == 0:
            self._until = now + LONG_WINDOW
            self.closed += 1
        return self._until - now if now < self._until else self._usual.admit(now)


@dataclass
class Findings:
    """Hold what a soak found; `problems` is empty when every promise was kept."""

    seconds: float = 0.0
    kills: int = 0
    requests: dict = field(default_factory=dict)
    references: int = 0
    inside_windows: int = 0
    measured: dict = field(default_factory=dict)
    problems: list = field(default_factory=list)

    def expect(self, holds, problem):
        if not holds:
            self.problems.append(problem)


async def soak(folder: Path, plan: Plan) -> Findings:
    """Run the soak in `folder`; return the findings."""
    pictures = make(
        folder / "pictures", plan.images, checkpoints=plan.models // 5, loras=plan.models, archive_only=8, unknown=8
    )
    clock = FastClock(time.time(), plan.factor)
    (folder / "data").mkdir()
    found, policy = Findings(), Closing(plan)
    begun = time.perf_counter()
    async with (
        LoopbackVendor("civitai", pictures.civitai_catalogue, clock=clock, policy=policy) as civitai,
        LoopbackVendor("civarchive", pictures.civarchive_catalogue, clock=clock) as civarchive,
    ):
        settings = {"civitai_api_base": civitai.base, "civarchive_api_base": civarchive.base}
        (folder / "data" / "settings.json").write_text(json.dumps(settings))
        chaos = asyncio.ensure_future(make_trouble((civitai, civarchive), plan))
        try:
            await live_and_die(folder, clock, plan, found)
        finally:
            chaos.cancel()
        judge_requests(found, civitai, civarchive, pictures, plan)
    found.seconds = time.perf_counter() - begun
    judge_recipes(found, folder, pictures)
    judge_measures(found, folder, plan)
    found.expect(policy.closed == 1, "the long window never came")
    return found


async def make_trouble(vendors, plan):
    """Break about one answer in so many, in changing ways."""
    rng, seen = random.Random(3), 0
    while True:
        await asyncio.sleep(0.02)
        requests = sum(len(one.journal.entries) for one in vendors)
        for _ in range(seen, requests):
            if rng.random() < plan.faults_per_request:
                vendors[rng.random() < 0.1].fail(Fault(rng.choice(FAULTS), times=1))
        seen = requests
        for one in vendors:
            one.faults = [fault for fault in one.faults if fault.times]


async def live_and_die(folder, clock, plan, found):
    """Start the importing process, kill it, and start it again; then let it finish."""
    rng = random.Random(5)
    while True:
        process = await start_worker(folder, clock, plan)
        last = found.kills >= plan.kills
        try:
            await asyncio.wait_for(process.wait(), GRACE_SECONDS if last else rng.uniform(*plan.lives))
        except asyncio.TimeoutError:
            process.kill()
            found.kills += 1
        _, err = await process.communicate()
        if process.returncode == 0:
            return
        if last or process.returncode > 0:
            found.problems.append(f"the import ended with {process.returncode}: {err.decode()[-2000:]}")
            return


async def start_worker(folder, clock, plan):
    options = {
        "--folder": folder / "pictures",
        "--data": folder / "data",
        "--stats": folder / "stats.jsonl",
        "--start": clock._start,
        "--factor": plan.factor,
    }
    words = [str(word) for pair in options.items() for word in pair]
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.jobs.soak_worker", *words, cwd=ROOT, stdout=pipe, stderr=pipe
    )


def judge_requests(found, civitai, civarchive, pictures, plan):
    """No send into a window, and hardly a question asked twice without a cause of the vendor's."""
    kinds = civitai.journal.summary()["kinds"]
    found.requests = {"civitai": kinds, "civarchive": civarchive.journal.summary()["kinds"]}
    found.inside_windows = civitai.journal.inside_windows + civarchive.journal.inside_windows
    found.references = len(pictures.questions)
    found.expect(found.inside_windows == 0, f"{found.inside_windows} requests were sent into a window")
    # A killed process cannot know the answers that were on their way to it.
    allowed = found.references * 1.02 + found.kills * 5
    found.expect(kinds.get("answered", 0) <= allowed, f"{kinds} requests for {found.references} references")


def judge_recipes(found, folder, pictures):
    """Every image has exactly one recipe, and it says the truth."""
    with closing(sqlite3.connect(folder / "data" / "pantry.sqlite")) as connection:
        bodies = [json.loads(row[0]) for row in connection.execute("SELECT body FROM recipes")]
        states = dict(connection.execute("SELECT status, COUNT(*) FROM import_items GROUP BY status"))
        jobs = connection.execute("SELECT COUNT(*) FROM import_jobs").fetchone()[0]
    recipes = {Path(body["source"]["path"]).name: body for body in bodies}
    found.expect(len(recipes) == len(bodies), "an image has two recipes")
    found.expect(recipes.keys() == pictures.truth.keys(), f"{len(recipes)} recipes for {len(pictures.truth)} images")
    found.expect(states == {"SUCCESS": len(pictures.truth)}, f"items ended as {states}")
    found.expect(jobs == 1, f"there are {jobs} jobs")
    known = {one.name for one in (*pictures.civitai, *pictures.civarchive)}
    for name in recipes.keys() & pictures.truth.keys():
        try:
            assert_true(recipes[name], pictures.truth[name], known)
        except AssertionError as error:
            found.problems.append(f"the recipe of {name} is wrong: {error}")
            break


def judge_measures(found, folder, plan):
    """The loop stays free, the memory bounded, the progress small and rare."""
    stats = folder / "stats.jsonl"
    lines = (
        [json.loads(line) for line in stats.read_text().splitlines() if line.endswith("}")] if stats.exists() else []
    )
    for name in ("lag_ms", "growth_mb", "burst", "largest", "messages"):
        found.measured[name] = round(max((line[name] for line in lines), default=0), 1)
    found.expect(found.measured["growth_mb"] < 200, f"memory grew by {found.measured['growth_mb']} MB")
    found.expect(found.measured["burst"] <= 5, f"{found.measured['burst']} messages in a second")
    found.expect(found.measured["largest"] <= 2048, f"a message of {found.measured['largest']} bytes")


def main(words=None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.jobs.soak", description=__doc__)
    parser.add_argument("--images", type=int, default=Plan.images)
    parser.add_argument("--models", type=int, default=Plan.models)
    parser.add_argument("--kills", type=int, default=Plan.kills)
    options = parser.parse_args(words)
    folder = Path(tempfile.mkdtemp(prefix="pantry-soak-"))
    plan = Plan(images=options.images, models=options.models, kills=options.kills)
    found = asyncio.run(soak(folder, plan))
    # Only a soak on a machine that does nothing else can hold the loop to this.
    found.expect(found.measured["lag_ms"] < 50, f"the loop was blocked for {found.measured['lag_ms']} ms")
    print(json.dumps({key: value for key, value in vars(found).items() if key != "problems"}, indent=1))
    for problem in found.problems:
        print("BROKEN:", problem)
    if not found.problems:
        shutil.rmtree(folder)
        print("every promise was kept")
    return 1 if found.problems else 0


if __name__ == "__main__":
    sys.exit(main())
