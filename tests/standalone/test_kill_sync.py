"""Kill a real syncing process; what was answered is kept, and the next run goes on."""

from __future__ import annotations

import asyncio
import json
import random
import sqlite3
import sys
from collections import Counter
from contextlib import closing

import pytest

from tests.conftest import ROOT
from tests.jobs.test_kill import kill_later, settings_for

from .models import make
from .vendor import Catalogue, LoopbackVendor

KILLS = 4


async def start_sync(data):
    command = (sys.executable, str(ROOT / "standalone.py"), "sync", "--data-dir", str(data), "--json")
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(*command, stdout=pipe, stderr=pipe)


def stored(data):
    with closing(sqlite3.connect(data / "pantry.sqlite")) as connection:
        states = dict(connection.execute("SELECT state, COUNT(*) FROM model_files GROUP BY state"))
        marked = connection.execute("SELECT COUNT(*) FROM model_files WHERE civitai_deleted = 1").fetchone()[0]
    return states, marked


@pytest.mark.kill
async def test_a_killed_sync_is_finished_by_the_next_run(tmp_path):
    """Killed four times at random moments: at the end every model is described or truly absent."""
    models = make(tmp_path / "loras", 40, unknown=80)
    data = tmp_path / "data"
    data.mkdir()
    rng = random.Random(3)
    async with LoopbackVendor(catalogue=Catalogue(models.civitai)) as civitai, LoopbackVendor("civarchive") as archive:
        told = {**settings_for(civitai, archive), "model_folders": {"loras": [str(models.folder)]}}
        (data / "settings.json").write_text(json.dumps(told), encoding="utf-8")
        for _ in range(KILLS):
            await kill_later(await start_sync(data), rng.uniform(0.5, 2.0))
        assert not await kill_later(await start_sync(data), 60)
        assert stored(data) == ({"synced": 40, "absent": 80}, 80)
        answered = [one for one in civitai.journal.entries if one.status == 404]
        asked = Counter(key for one in answered for key in one.questions)
        assert len(answered) <= 80 + KILLS * 6  # at most what stood at the gate when the process died
        assert set(asked) == {one.hash("sha256") for one in models.nobody}
