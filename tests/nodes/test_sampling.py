"""Name samplers as ComfyUI does."""

from __future__ import annotations

import pytest

from py.nodes.sampling import comfy_sampler, comfy_scheduler
from tests.nodes.conftest import SAMPLERS, SCHEDULERS


@pytest.mark.parametrize(
    ("said", "sampler", "scheduler"),
    [
        ("Euler a", "euler_ancestral", "normal"),
        ("euler", "euler", "normal"),
        ("DPM++ 2M Karras", "dpmpp_2m", "karras"),
        ("DPM++ 2M SDE Exponential", "dpmpp_2m_sde", "exponential"),
        ("euler_ancestral_karras", "euler_ancestral", "karras"),
        ("UniPC", "uni_pc", "normal"),
        ("DDIM", "ddim", "normal"),
        ("something new", "euler", "normal"),
        (None, "euler", "normal"),
    ],
)
def test_other_programs_names_are_understood(said, sampler, scheduler):
    """What means nothing here falls back to ComfyUI's own default."""
    assert comfy_sampler(said, SAMPLERS) == sampler
    assert comfy_scheduler(None, said, SCHEDULERS) == scheduler


def test_a_scheduler_of_its_own_wins():
    """Newer files say the scheduler apart from the sampler."""
    assert comfy_scheduler("SGM Uniform", "DPM++ 2M Karras", SCHEDULERS) == "sgm_uniform"
    assert comfy_scheduler("Automatic", "Euler a", SCHEDULERS) == "normal"
    assert comfy_scheduler("beta", None, ["simple"]) == "simple"
