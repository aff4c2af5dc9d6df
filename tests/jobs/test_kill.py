"""Kill a real importing process at random moments; nothing may be lost or doubled."""

from __future__ import annotations

import asyncio
import json
import random
import sqlite3
import sys
from contextlib import closing

import pytest

from tests.conftest import ROOT
from tests.standalone.pictures import make
from tests.standalone.vendor import LoopbackVendor

KILLS = 20
IMAGES = 1200
LONGEST = 120  # seconds that the last, undisturbed run may take


def settings_for(civitai, civarchive):
    return {
        "civitai_api_base": civitai.base,
        "civarchive_api_base": civarchive.base,
        "rate_limit_min_interval_seconds": 0.02,
    }


async def start_import(folder, data):
    command = (sys.executable, str(ROOT / "standalone.py"), "import", str(folder), "--data-dir", str(data), "--json")
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(*command, stdout=pipe, stderr=pipe)


async def kill_later(process, seconds):
    """Kill the process after so many seconds; return whether it was still running."""
    try:
        await asyncio.wait_for(process.wait(), seconds)
    except asyncio.TimeoutError:
        process.kill()
    await process.communicate()
    return process.returncode != 0


def stored(data):
    with closing(sqlite3.connect(data / "pantry.sqlite")) as connection:
        sources = [row[0] for row in connection.execute("SELECT source FROM recipes")]
        states = dict(connection.execute("SELECT status, COUNT(*) FROM import_items GROUP BY status"))
        jobs = connection.execute("SELECT COUNT(*) FROM import_jobs").fetchone()[0]
    return sources, states, jobs


@pytest.mark.kill
async def test_twenty_kills_lose_nothing_and_double_nothing(tmp_path):
    """However often an import is killed, at the end each image has exactly one recipe, from one and the same job."""
    pictures = make(tmp_path / "pictures", IMAGES, loras=40)
    data = tmp_path / "data"
    data.mkdir()
    rng = random.Random(7)
    async with (
        LoopbackVendor("civitai", pictures.civitai_catalogue) as civitai,
        LoopbackVendor("civarchive") as archive,
    ):
        (data / "settings.json").write_text(json.dumps(settings_for(civitai, archive)))
        killed = 0
        while killed < KILLS:
            process = await start_import(tmp_path / "pictures", data)
            if not await kill_later(process, rng.uniform(0.3, 0.9)):
                break
            killed += 1
        process = await start_import(tmp_path / "pictures", data)
        _, err = await asyncio.wait_for(process.communicate(), LONGEST)

    assert process.returncode == 0, err.decode()
    assert killed >= 5, "the import was over before it could be disturbed"
    sources, states, jobs = stored(data)
    assert sorted(sources) == sorted(str(tmp_path / "pictures" / name) for name in pictures.truth)
    assert (states, jobs) == ({"SUCCESS": IMAGES}, 1)
    assert civitai.journal.inside_windows == 0
