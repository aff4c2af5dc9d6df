"""Name samplers and schedulers as ComfyUI does, whatever program named them first."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

# Other programs' names, squeezed to letters and digits, with ComfyUI's.
_SAMPLERS: Mapping[str, str] = {
    "eulera": "euler_ancestral",
    "eulerancestral": "euler_ancestral",
    "dpm2": "dpm_2",
    "dpm2a": "dpm_2_ancestral",
    "dpmfast": "dpm_fast",
    "dpmadaptive": "dpm_adaptive",
    "dpm2sa": "dpmpp_2s_ancestral",
    "dpmpp2sa": "dpmpp_2s_ancestral",
    "dpmppsde": "dpmpp_sde",
    "dpmpp2m": "dpmpp_2m",
    "dpmpp2msde": "dpmpp_2m_sde",
    "dpmpp3msde": "dpmpp_3m_sde",
    "dpmpp2msdeheun": "dpmpp_2m_sde_heun",
    "plms": "lms",
    "unipc": "uni_pc",
    "unipcbh2": "uni_pc_bh2",
    "restart": "euler",
}
_SCHEDULERS: Mapping[str, str] = {
    "automatic": "normal",
    "uniform": "normal",
    "default": "normal",
    "sgmuniform": "sgm_uniform",
    "ddimuniform": "ddim_uniform",
    "ddim": "ddim_uniform",
    "polyexponential": "exponential",
    "alignyoursteps": "normal",
    "linearquadratic": "linear_quadratic",
    "kloptimal": "kl_optimal",
}


def comfy_sampler(name: str | None, known: Sequence[str]) -> str:
    """Return the sampler of `known` that `name` means; the first of them where it means none."""
    from ..recipes.parsers.schedulers import in_sampler

    if not name:
        return known[0]
    ending = in_sampler(name)
    bare = name[: -len(ending)].rstrip(" _") if ending else name
    return _match(bare, _SAMPLERS, known) or _match(name, _SAMPLERS, known) or known[0]


def comfy_scheduler(name: str | None, sampler: str | None, known: Sequence[str]) -> str:
    """Return the scheduler of `known` that `name`, or the sampler's ending, means; ``normal`` where neither does."""
    from ..recipes.parsers.schedulers import in_sampler

    for said in (name, in_sampler(sampler)):
        if said and (found := _match(said, _SCHEDULERS, known)):
            return found
    return "normal" if "normal" in known else known[0]


def _match(name: str, aliases: Mapping[str, str], known: Sequence[str]) -> str | None:
    squeezed = _squeezed(name)
    wanted = aliases.get(squeezed)
    return next((one for one in known if one == wanted or _squeezed(one) == squeezed), None)


def _squeezed(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower().replace("++", "pp"))
