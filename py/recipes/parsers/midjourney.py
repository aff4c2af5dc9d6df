"""Read Midjourney's description: the prompt, its switches and the job's id."""

from __future__ import annotations

import re

from ..draft import Draft, ModelUse
from ..values import to_seed

_JOB = re.compile(r"Job ID:\s{0,8}[0-9a-fA-F\-]{8,64}")
_SWITCH = re.compile(r"\s--([a-z]+)(?:\s+([^\s-][^\s]*))?")
_KNOWN = frozenset({"v", "version", "ar", "niji", "stylize", "style", "seed", "chaos", "q", "s", "iw", "raw", "no"})


def read(text: str) -> Draft | None:
    """Return the draft, or None where the text has neither a job id nor Midjourney's switches."""
    job = _JOB.search(text)
    switches = dict(_SWITCH.findall(text))
    if job is None and len(switches.keys() & _KNOWN) < 2:  # noqa: PLR2004 - one switch may be an accident
        return None
    prompt = _SWITCH.split(_JOB.sub("", text))[0].strip()
    version = switches.get("v") or switches.get("version")
    name = f"Midjourney {version}" if version else "Niji" if "niji" in switches else "Midjourney"
    return Draft(
        generator="Midjourney",
        prompt=prompt or None,
        negative_prompt=_without(text),
        seed=to_seed(switches.get("seed")),
        checkpoint=ModelUse(name=name),
    )


def _without(text: str) -> str | None:
    """``--no`` takes everything up to the next switch."""
    match = re.search(r"\s--no\s(.+?)(?=\s--|\sJob ID:|$)", text, re.DOTALL)
    return match[1].strip() if match else None
