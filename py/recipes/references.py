"""List what a recipe has to ask a vendor for, and nothing that the image itself answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..core.outcomes import KeyKind, LookupKey
from .draft import Draft, ModelUse
from .values import normalised_name

__all__ = ["Reference", "normalised_name", "reference_key", "references"]

_BEST_FIRST: tuple[KeyKind, ...] = ("sha256", "autov2", "autov3", "blake3", "autov1", "crc32")


@dataclass(frozen=True, slots=True)
class Reference:
    """Point from one model of a draft to what to ask: `role` is the draft's field, `index` the place in it."""

    role: str
    index: int
    key: LookupKey


def references(draft: Draft) -> tuple[Reference, ...]:
    """Return the draft's references in order, one for each model that needs and allows a look-up."""
    found = []
    for role, index, use in models_of(draft):
        key = reference_key(use)
        if key is not None:
            found.append(Reference(role, index, key))
    return tuple(found)


def models_of(draft: Draft) -> Iterator[tuple[str, int, ModelUse]]:
    """Yield role, index and use of every model in a draft."""
    if draft.checkpoint is not None:
        yield "checkpoint", 0, draft.checkpoint
    for role in ("loras", "embeddings", "other_models"):
        for index, use in enumerate(getattr(draft, role)):
            yield role, index, use
    if draft.vae is not None:
        yield "vae", 0, draft.vae


def reference_key(use: ModelUse) -> LookupKey | None:
    """Return what to ask for: the version id, else the best hash; None where the image names the model fully."""
    if use.model_version_id is not None:
        stated = use.name is not None and not use.name.lower().startswith("urn:air:")
        return None if stated else LookupKey("version_id", str(use.model_version_id))
    hashes = {**use.aliases, **({use.hash_type: use.hash} if use.hash_type and use.hash else {})}
    for kind in _BEST_FIRST:
        if kind in hashes:
            return LookupKey(kind, hashes[kind])
    return None
