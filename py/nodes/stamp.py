"""Fingerprint what a node would give out, so that ComfyUI runs it again for that and for nothing else. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

# What nodes use of a recipe: a rating, a tag, or news about its models at a vendor must not load a checkpoint again.
_VALUES = ("title", "prompt", "negative_prompt", "seed", "steps", "cfg_scale")
_SETTING = ("sampler", "scheduler", "width", "height")
_OF_A_MODEL = ("name", "strength_model", "strength_clip")


def stamp(recipe: Mapping[str, Any] | None, files: Sequence[str | None] = ()) -> str:
    """Return a text that changes with a recipe's values and models, and with the local files found for its LoRAs."""
    said = recipe or {}
    models = [said.get("checkpoint"), *said.get("loras", ())]
    used = [{name: one.get(name) for name in _OF_A_MODEL} if one else None for one in models]
    whole = [recipe is not None, [said.get(name) for name in _VALUES + _SETTING], used, list(files)]
    return hashlib.blake2b(json.dumps(whole, default=str).encode(), digest_size=16).hexdigest()
