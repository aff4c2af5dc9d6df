"""Say which files are hashed next, and by which kinds of hash; runs on a database thread.

1. Files that an incomplete recipe names, where only one file has that name.
2. Files that may be the one whose CRC32 or BLAKE3 a recipe tells, and nothing else.
3. All others without a SHA256, small ones first.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from ..recipes.store_body import uses_of
from ..recipes.values import normalised_name
from .hashing import can_blake3
from .match import TYPES

# Kinds that cost time and that vendors' answers seldom need: made only where a recipe says nothing better.
_RARE = ("crc32", "blake3")
_MOST_FILES = 16  # new recipes may change the order, so that not all of it is decided beforehand
_READY = "f.hash_problem IS NULL AND f.read_at IS NOT NULL AND f.offline = 0"
_NAMED = f"""SELECT f.number FROM model_files f WHERE f.hashed_at IS NULL AND {_READY}
    AND f.name IN (SELECT name FROM recipe_models WHERE vendor_name = '' AND name != '')
    AND NOT EXISTS (SELECT 1 FROM model_files o WHERE o.name = f.name AND o.number != f.number)
    ORDER BY f.size LIMIT ?"""
_OTHERS = f"SELECT f.number FROM model_files f WHERE f.hashed_at IS NULL AND {_READY} ORDER BY f.size LIMIT ?"
_WITH_RARE = """SELECT r.body FROM recipes r WHERE (instr(r.body, '"crc32"') OR instr(r.body, '"blake3"'))
    AND r.number IN (SELECT u.recipe FROM recipe_models m JOIN recipe_uses u ON u.model = m.number
        WHERE m.vendor_name = '' AND length(m.hash) IN (8, 64))"""


@dataclass(frozen=True, slots=True)
class HashJob:
    """Ask for a file's SHA256, and for further `kinds` of hash."""

    number: int
    kinds: frozenset[str]


@dataclass(frozen=True, slots=True, order=True)
class _Need:
    """A kind of hash by which a recipe names a model, in a role, by a name (empty: by none)."""

    kind: str
    role: str
    name: str


def next_jobs(connection: sqlite3.Connection, limit: int = _MOST_FILES) -> list[HashJob]:
    """Return the next files to hash, in order; none where all is done."""
    needs = sorted(_needs(connection))
    # A file that is read for the first time may be the one that was meant, under another name.
    every_kind = {need.kind for need in needs}
    kinds: dict[int, set[str]] = {number: every_kind for (number,) in connection.execute(_NAMED, (limit,))}
    for number, kind in _needed(connection, needs, limit):
        kinds[number] = {kind, *kinds.get(number, ())}
    for (number,) in connection.execute(_OTHERS, (limit,)):
        kinds.setdefault(number, every_kind)
    return [HashJob(number, frozenset(some)) for number, some in islice(kinds.items(), limit)]


def _needs(connection: sqlite3.Connection) -> set[_Need]:
    """Return the rare kinds of hash that recipes tell of models nobody knows."""
    return {
        _Need(kind, role, normalised_name(use.get("name") or ""))
        for (body,) in connection.execute(_WITH_RARE)
        for role, _, use in uses_of(json.loads(body))
        if use.get("state") in ("absent", "unlisted")
        for kind in _rare_kinds(use)
    }


def _rare_kinds(use: dict[str, object]) -> list[str]:
    """Return the rare kinds by which a use is named, where it has no SHA256, AutoV2 or AutoV3 to go by."""
    aliases = use.get("aliases")
    told = {use.get("hash_type"), *(aliases if isinstance(aliases, dict) else ())} - {None}
    possible = [kind for kind in _RARE if kind in told and (kind != "blake3" or can_blake3())]
    return [] if told & {"sha256", "autov2", "autov3"} else possible


def _needed(connection: sqlite3.Connection, needs: list[_Need], limit: int) -> Iterator[tuple[int, str]]:
    """Yield files that lack a needed kind: those of the name, or where none is told those of the role."""
    for need in needs:
        types = json.dumps(TYPES.get(need.role, ()))
        values = {"kind": need.kind, "name": need.name, "types": types, "limit": limit}
        of_name = (
            "f.name = :name" if need.name else "(:types = '[]' OR f.type IN (SELECT value FROM json_each(:types)))"
        )
        sql = f"""SELECT f.number FROM model_files f WHERE {of_name} AND {_READY}
            AND NOT EXISTS (SELECT 1 FROM model_hashes h WHERE h.file = f.number AND h.kind = :kind)
            ORDER BY f.size LIMIT :limit"""
        for (number,) in connection.execute(sql, values):
            yield number, need.kind
