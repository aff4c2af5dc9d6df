"""Two Pantries on one machine are one client to a vendor: real processes, real sockets, one database."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from tests.standalone.vendor import FixedWindow, LoopbackVendor, Refusal

ROOT = Path(__file__).resolve().parents[2]
# A refusal has to travel and to be written down before another process can know of it.
TRAVEL = 0.15


async def process(database, base, count, max_wait=60):
    """Run one worker to its end and return its report."""
    arguments = [sys.executable, "-m", "tests.services.gate_worker", str(database), base, str(count), str(max_wait)]
    started = await asyncio.create_subprocess_exec(*arguments, cwd=ROOT, stdout=asyncio.subprocess.PIPE)
    output, _ = await started.communicate()
    assert started.returncode == 0
    return json.loads(output)


def sent_into_windows(vendor, wait):
    """Return the requests that came into a window after its refusal could be known to both."""
    refused = [entry.at for entry in vendor.journal.entries if entry.kind == "refused"]
    return [
        entry for entry in vendor.journal.entries if any(at + TRAVEL < entry.at < at + wait for at in refused)
    ]  # fmt: skip


async def test_together_they_never_send_into_a_window(tmp_path):
    """Each meets refusals that the other has caused; both finish, nobody sends too early, and the pace is one pace."""
    async with LoopbackVendor("civitai", policy=FixedWindow(6, 2), refusal=Refusal(seconds=1)) as vendor:
        database = tmp_path / "pantry.sqlite"
        reports = await asyncio.gather(*(process(database, vendor.base, 7) for _ in range(2)))

        assert all(report["outcomes"] == ["answered"] * 7 for report in reports)
        assert vendor.journal.count("refused") >= 1
        assert sent_into_windows(vendor, 1.0) == []
        assert vendor.journal.count("answered") == 14


async def test_a_new_process_keeps_the_window_of_the_last(tmp_path):
    """42 minutes are 42 minutes, whoever asks, and however often Pantry is started."""
    async with LoopbackVendor("civitai", policy=FixedWindow(1, 9999), refusal=Refusal(seconds=2520)) as vendor:
        database = tmp_path / "pantry.sqlite"
        first = await process(database, vendor.base, 2, max_wait=5)
        second = await process(database, vendor.base, 3, max_wait=5)

    assert min(first["outcomes"]) == "answered"
    assert {outcome.split()[0] for outcome in second["outcomes"]} == {"refused"}
    assert second["sent"] == 0
    assert len(vendor.journal.entries) == 2
