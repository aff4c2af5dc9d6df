"""A short soak in every test run; the long one is ``make soak``."""

from __future__ import annotations

import pytest

from tests.jobs.soak import Plan, soak


@pytest.mark.kill
async def test_a_disturbed_import_ends_in_the_truth(tmp_path):
    """Refused, lied to and killed, an import ends with the true recipe of every image, and was polite all the time."""
    plan = Plan(images=300, models=100, kills=3, lives=(0.8, 1.6), factor=480.0, limit=40, long_window_after=80)

    found = await soak(tmp_path, plan)

    assert found.problems == []
    assert found.kills >= 2
