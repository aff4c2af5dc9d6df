"""Put together the JSON of a recipe: what the image says, and what a vendor said about each of its models."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from ..core.outcomes import LookupKey
from .draft import Draft, Reading, draft_to_json
from .references import references
from .values import normalised_name

# found: a vendor knows it; absent: the vendor was asked and has no such model; stated: the image itself says enough;
# unlisted: the image gives nothing that could be looked up.
State = Literal["found", "absent", "stated", "unlisted"]
ROLES = ("checkpoint", "loras", "embeddings", "vae", "other_models")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAnswer:
    """Hold the little of a look-up's answer that a recipe keeps; thousands of these stay in memory."""

    state: State
    source: str
    vendor_name: str | None = None
    version_name: str | None = None
    base_model: str | None = None
    model_id: int | None = None
    model_version_id: int | None = None


def build_body(reading: Reading, path: str, answers: Mapping[LookupKey, ModelAnswer]) -> dict[str, Any]:
    """Return the contract's JSON of a recipe; `answers` must hold the key of every reference."""
    draft = reading.draft or Draft()
    body = draft_to_json(draft)
    answered = {(one.role, one.index): answers[one.key] for one in references(draft)}
    for role, index, use in uses_of(body):
        _complete(use, answered.get((role, index)))
    body["width"] = body["width"] or reading.pixel_width
    body["height"] = body["height"] or reading.pixel_height
    body["base_model"] = base_model_of(body)
    body["origins"] = dict(draft.origins)
    body["reader_notes"] = [*draft.notes, *reading.notes]
    body["source"] = {"path": path, "generator": draft.generator, "carriers": list(reading.carriers)}
    return body


def uses_of(body: Mapping[str, Any]) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """Yield role, index and JSON of every model in a body."""
    for role in ROLES:
        found = body.get(role) or ()
        for index, use in enumerate([found] if isinstance(found, dict) else found):
            yield role, index, use


def absent_models(body: Mapping[str, Any]) -> int:
    """Count the models that the vendors that were asked do not have."""
    return sum(use["state"] == "absent" for _, _, use in uses_of(body))


def same_picture_key(draft: Draft | None) -> str | None:
    """Return what is equal for re-encodings of one picture, or None where the draft says too little to tell."""
    if draft is None or draft.seed is None or draft.prompt is None:
        return None
    loras = sorted((normalised_name(use.name or ""), use.strength_model or 0) for use in draft.loras)
    checkpoint = normalised_name(draft.checkpoint.name or "") if draft.checkpoint else ""
    said = (draft.prompt, draft.negative_prompt, draft.seed, draft.steps, draft.sampler, draft.cfg_scale)
    text = json.dumps([said, draft.width, draft.height, checkpoint, loras])
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _complete(use: dict[str, Any], answer: ModelAnswer | None) -> None:
    """Add what is known about one model; what the image says itself is never overwritten."""
    if answer is None:
        stated = use["name"] is not None and use["model_version_id"] is not None
        answer = ModelAnswer(state="stated" if stated else "unlisted", source="image" if stated else "")
    known = asdict(answer)
    use["state"], use["source"] = known.pop("state"), known.pop("source") or None
    for name, value in known.items():
        use[name] = use.get(name) if use.get(name) is not None else value


def base_model_of(body: Mapping[str, Any]) -> str | None:
    """Return the checkpoint's base model, else the one that most LoRAs share."""
    checkpoint = body["checkpoint"]
    if checkpoint and checkpoint["base_model"]:
        return str(checkpoint["base_model"])
    votes = Counter(use["base_model"] for use in body["loras"] if use["base_model"])
    return str(votes.most_common(1)[0][0]) if votes else None
