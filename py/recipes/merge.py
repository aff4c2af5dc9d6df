"""Merge the drafts of one image's carriers field by field, the most trusted source first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from enum import IntEnum
from typing import Any

from . import uses
from .draft import Draft, LoraUse, ModelUse
from .values import loose_name


class Trust(IntEnum):
    """Rank the sources; a lower number wins (docs/formats.md, "Which source wins")."""

    OWN = 0
    CIVITAI = 10
    NATIVE = 20
    GRAPH = 30
    INFOTEXT = 40
    EDITOR = 50
    LOOSE = 60
    PLACEHOLDER = 70


@dataclass(frozen=True, slots=True)
class Candidate:
    """Hold the draft of one carrier with the carrier's name and how far it is trusted."""

    draft: Draft
    origin: str
    trust: Trust


_WANTING = frozenset({"", "unknown"})
_LISTS = ("embeddings", "other_models")
_SPECIAL = frozenset({"checkpoint", "vae", "loras", *_LISTS, "origins", "notes", "has_workflow", "hires"})
_ORIGINATING = tuple(one.name for one in fields(Draft) if one.name not in ("origins", "notes", "has_workflow"))
_UNSAID: tuple[Any, ...] = (None, (), {})
_PLAIN = tuple(one.name for one in fields(Draft) if one.name not in _SPECIAL)


def merge(candidates: Iterable[Candidate], notes: Iterable[str] = ()) -> Draft | None:
    """Return one draft, or None where there is nothing to merge; `origins` says which carrier gave each field."""
    ranked = sorted(candidates, key=lambda one: one.trust)
    if len(ranked) < 2:  # noqa: PLR2004 - the common case needs no choice
        return _alone(ranked[0], notes) if ranked else None
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for name in _PLAIN:
        _take_first(name, ranked, values, origins)
    for name in ("checkpoint", "vae"):
        _take_model(name, ranked, values, origins)
    _take_loras(ranked, values, origins)
    for name in _LISTS:
        _take_list(name, ranked, values, origins)
    _take_hires(ranked, values, origins)
    values["has_workflow"] = any(one.draft.has_workflow for one in ranked)
    said = dict.fromkeys([*notes, *(note for one in ranked for note in one.draft.notes)])
    return Draft(origins=origins, notes=tuple(said), **values)


def _alone(one: Candidate, notes: Iterable[str]) -> Draft:
    said = [name for name in _ORIGINATING if getattr(one.draft, name) not in _UNSAID]
    told = tuple(dict.fromkeys([*notes, *one.draft.notes]))
    return replace(one.draft, origins=dict.fromkeys(said, one.origin), notes=told)


def _take_first(name: str, ranked: Sequence[Candidate], values: dict[str, Any], origins: dict[str, str]) -> None:
    """An empty or "unknown" text in A1111 words is what a saver writes for want of one; it loses to anything."""
    said = [(one, value) for one in ranked if (value := getattr(one.draft, name)) is not None]
    if not said:
        return
    meant = (pair for pair in said if pair[0].trust < Trust.INFOTEXT or pair[1] not in _WANTING)
    chosen, values[name] = next(meant, said[0])
    origins[name] = chosen.origin


def _take_model(name: str, ranked: Sequence[Candidate], values: dict[str, Any], origins: dict[str, str]) -> None:
    """The first names the model; others add hashes and ids where they mean the same one."""
    for one in ranked:
        use: ModelUse | None = getattr(one.draft, name)
        best: ModelUse | None = values.get(name)
        if use is None:
            continue
        if best is None:
            values[name], origins[name] = use, one.origin
        elif _may_be_same(best, use):
            values[name] = uses.joined(best, use)


def _may_be_same(best: ModelUse, use: ModelUse) -> bool:
    return uses.same_model(best, use) or not best.name or not use.name


def _take_loras(ranked: Sequence[Candidate], values: dict[str, Any], origins: dict[str, str]) -> None:
    """The most trusted list counts; a less trusted one adds a LoRA only where a program has hashed it."""
    found: list[LoraUse] = []
    for one in ranked:
        if not one.draft.loras:
            continue
        first = not found
        if first:
            origins["loras"] = one.origin
        known = {loose_name(use.name) for use in found if use.name}
        for use in one.draft.loras:
            hashed = use.hash is not None or use.model_version_id is not None
            named = bool(use.name) and loose_name(use.name or "") in known
            if first or hashed or named or any(uses.same_model(use, other) for other in found[:64]):
                found.append(use)
    values["loras"] = uses.gather(found)


def _take_list(name: str, ranked: Sequence[Candidate], values: dict[str, Any], origins: dict[str, str]) -> None:
    values[name] = uses.gather([use for one in ranked for use in getattr(one.draft, name)])
    origin = next((one.origin for one in ranked if getattr(one.draft, name)), None)
    if origin:
        origins[name] = origin


def _take_hires(ranked: Sequence[Candidate], values: dict[str, Any], origins: dict[str, str]) -> None:
    hires: dict[str, Any] = {}
    for one in reversed(ranked):
        if one.draft.hires:
            hires.update(one.draft.hires)
            origins["hires"] = one.origin
    values["hires"] = hires
