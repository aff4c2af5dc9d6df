"""A short soak in every test run; the long one is ``make soak``."""

from __future__ import annotations

import pytest

from tests.jobs.soak import Plan, soak


@pytest.mark.kill
async def test_a_disturbed_import_ends_in_the_truth(tmp_path):
    """Refused, lied to and killed, an import ends with the true recipe of every image, and was polite all the time."""
    plan = Plan(images=400, models=120, kills=4, lives=(1.0, 2.0), factor=240.0, limit=40, long_window_after=90)

    found = await soak(tmp_path, plan)

    assert found.problems == []
    assert found.kills >= 2
