"""Tell which models that recipes name are on this machine; runs on a database thread.

A model is here where a file has its hash or is its version, or has its name and may be it: a file of that name that
has another hash of the same kind, or is known to be another version, is another model. An unplugged drive's models
count as here: nothing about them is forgotten.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..recipes.store_models import count_missing
from ..vendors.hashes import LENGTHS
from .match import TYPES
from .models import ModelFile

ROLES = ("checkpoint", "loras")
_KINDS = ", ".join(f"'{kind}'" for kind in LENGTHS)  # the index of hashes begins with their kind
_NOW = f"""EXISTS (SELECT 1 FROM model_hashes h WHERE m.hash != '' AND h.value = m.hash AND h.kind IN ({_KINDS}))
    OR EXISTS (SELECT 1 FROM model_files f WHERE m.version_id != 0 AND f.version_id = m.version_id)
    OR EXISTS (SELECT 1 FROM model_files f WHERE m.name != '' AND f.name = m.name
        AND f.type IN (SELECT value FROM json_each(:types))
        AND (m.version_id = 0 OR f.version_id IS NULL OR f.version_id = m.version_id)
        AND NOT EXISTS (SELECT 1 FROM model_hashes h WHERE h.file = f.number AND length(h.value) = length(m.hash)))"""
_TOLD = "SELECT number FROM recipe_models WHERE here IS NOT NULL"
_SCOPE = """:everything OR m.here IS NULL OR m.name IN (SELECT value FROM json_each(:names))
    OR m.hash IN (SELECT value FROM json_each(:hashes)) OR m.version_id IN (SELECT value FROM json_each(:versions))"""
_STALE = f"""SELECT number, now FROM (SELECT m.number, m.here, ({_NOW}) AS now FROM recipe_models m
    WHERE m.role = :role AND ({_SCOPE})) WHERE here IS NOT now"""


@dataclass(frozen=True, slots=True)
class Turn:
    """Say that a recipes' model is on this machine from now on, or is not, or that nobody can tell (None)."""

    model: int
    here: bool | None


def stale(connection: sqlite3.Connection, files: Sequence[ModelFile], *, everything: bool) -> list[Turn]:
    """Return the models for which another answer holds now that these files have changed, or any may have gone.

    While the library knows no file at all, nobody can tell.
    """
    if connection.execute("SELECT 1 FROM model_files LIMIT 1").fetchone() is None:
        return [Turn(number, None) for (number,) in connection.execute(_TOLD)]
    described = [one.knowledge.metadata for one in files if one.knowledge.metadata]
    scope = {
        "everything": everything,
        "names": json.dumps([one.name for one in files]),
        "hashes": json.dumps([value for one in files for value in one.hashes.values()]),
        "versions": json.dumps([one.version_id for one in described if one.version_id]),
    }
    return [turn for role in ROLES for turn in _stale_of(connection, role, scope)]


def turn(connection: sqlite3.Connection, turns: Iterable[Turn]) -> list[int]:
    """Write it down, and return the recipes that miss more or fewer models than before, by row number."""
    turned = list(turns)
    sql = "UPDATE recipe_models SET here = ? WHERE number = ?"
    connection.executemany(sql, [(one.here, one.model) for one in turned])
    return count_missing(connection, [one.model for one in turned])


def _stale_of(connection: sqlite3.Connection, role: str, scope: dict[str, object]) -> Iterator[Turn]:
    values = {**scope, "role": role, "types": json.dumps(TYPES[role])}
    for number, here in connection.execute(_STALE, values):
        yield Turn(number, bool(here))
