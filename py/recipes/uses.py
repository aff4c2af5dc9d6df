"""Build model uses, and tell when two of them name the same model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace
from typing import Any, TypeVar

from .draft import LoraUse, ModelUse, OtherUse
from .values import Air, loose_name, to_air, to_float, to_hash, to_int, to_name

AnyUse = TypeVar("AnyUse", bound=ModelUse)
# No picture uses more models of one role than this; lists beyond it are hostile or a pool.
MOST = 256


def naming(name: Any = None, hash_: Any = None, version_id: Any = None) -> dict[str, Any]:
    """Return the fields of a use from a name (or AIR), a hash and a version id, each where it is one."""
    air = to_air(name) if isinstance(name, str) and name.lower().startswith("urn:air:") else None
    found: dict[str, Any] = _air_fields(air) if air else {"name": to_name(name)}
    digest = to_hash(hash_)
    if digest:
        found.update(hash=digest.value, hash_type=digest.kind)
    number = to_int(version_id)
    if number is not None and number > 0:
        found["model_version_id"] = number
    return found


def _air_fields(air: Air) -> dict[str, Any]:
    return {"name": air.name, "model_id": air.model_id, "model_version_id": air.version_id}


def model(name: Any = None, hash_: Any = None, version_id: Any = None, **more: Any) -> ModelUse | None:
    """Return a model use, or None where nothing names it."""
    found = {**naming(name, hash_, version_id), **more}
    return ModelUse(**found) if names_something(found) else None


def other(role: str, name: Any = None, hash_: Any = None, version_id: Any = None, **more: Any) -> OtherUse | None:
    """Return a use in another role, or None where nothing names it."""
    if name is None and hash_ is None and version_id is None:
        return None
    found = {**naming(name, hash_, version_id), **more}
    return OtherUse(role=role, **found) if names_something(found) else None


def lora(
    name: Any = None, hash_: Any = None, version_id: Any = None, *, model: Any = None, clip: Any = None, **more: Any
) -> LoraUse | None:
    """Return a LoRA use with both strengths, or None where nothing names it."""
    found = {**naming(name, hash_, version_id), **more}
    if not names_something(found):
        return None
    return LoraUse(strength_model=to_float(model), strength_clip=to_float(clip), **found)


def names_something(found: dict[str, Any]) -> bool:
    """Whether a name, a hash or a version id is known."""
    return any(found.get(key) is not None for key in ("name", "hash", "model_version_id"))


def same_model(one: ModelUse, two: ModelUse) -> bool:
    """Whether two uses name one model: by version id, else by a hash of the same kind, else by name."""
    verdict = _by_identity(one, two)
    if verdict is not None:
        return verdict
    return bool(one.name and two.name) and loose_name(one.name or "") == loose_name(two.name or "")


def _by_identity(one: ModelUse, two: ModelUse) -> bool | None:
    """Whether ids or hashes say that two uses are one model; None where they say nothing."""
    if one.model_version_id and two.model_version_id:
        return one.model_version_id == two.model_version_id
    first, second = _hashes(one), _hashes(two)
    shared = first.keys() & second.keys()
    return True if any(first[kind] == second[kind] for kind in shared) or _prefixed(first, second) else None


def _hashes(use: ModelUse) -> dict[str, str]:
    return {**use.aliases, **({use.hash_type or "": use.hash} if use.hash else {})}


def _prefixed(first: dict[str, str], second: dict[str, str]) -> bool:
    """AutoV2 is the head of the SHA256."""
    for long, short in ((first, second), (second, first)):
        if "sha256" in long and "autov2" in short and long["sha256"].startswith(short["autov2"]):
            return True
    return False


_SINGLE = tuple(one.name for one in fields(LoraUse) if one.name not in ("aliases", "hash", "hash_type"))


def joined(better: AnyUse, worse: ModelUse) -> AnyUse:
    """Return `better` with what only `worse` knows; a hash of another kind becomes an alias."""
    gained: dict[str, Any] = {}
    for name in _SINGLE:
        found = getattr(worse, name, None)
        if found is not None and getattr(better, name, found) is None:
            gained[name] = found
    aliases = {**_hashes(worse), **better.aliases}
    if better.hash is None and worse.hash is not None:
        gained.update(hash=worse.hash, hash_type=worse.hash_type)
    aliases.pop(gained.get("hash_type", better.hash_type) or "", None)
    return replace(better, aliases=aliases, **gained)


def gather(uses: Iterable[AnyUse | None]) -> tuple[AnyUse, ...]:
    """Return each model once, in order; later mentions add what they know."""
    named = [use for use in uses if use is not None]
    if len(named) < 2:  # noqa: PLR2004 - the common case has nothing to compare
        return tuple(named)
    found: list[AnyUse] = []
    by_name: dict[str, int] = {}
    for use in named:
        if len(found) >= MOST:
            break
        at = _place(found, by_name, use)
        if at is None:
            at = len(found)
            found.append(use)
        else:
            found[at] = joined(found[at], use)
        if found[at].name:
            by_name.setdefault(loose_name(found[at].name or ""), at)
    return tuple(found)


_FEW = 64


def _place(found: list[AnyUse], by_name: dict[str, int], use: AnyUse) -> int | None:
    """Look up by name first, which is one step however many there are; then compare ids and hashes of the first few."""
    at = by_name.get(loose_name(use.name)) if use.name else None
    # Two versions of one model share a name; their ids tell them apart.
    if at is not None and _by_identity(found[at], use) is not False:
        return at
    return next((at for at, one in enumerate(found[:_FEW]) if _by_identity(one, use)), None)
