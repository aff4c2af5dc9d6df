"""Find the local file that a recipe's model means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..core.errors import NotFoundError


def installed(kind: str) -> list[str]:
    """Return ComfyUI's names of the models of a kind, as its loaders take them."""
    import folder_paths

    return list(folder_paths.get_filename_list(kind)) if kind in folder_paths.folder_names_and_paths else []


def match(use: Mapping[str, Any], names: Sequence[str]) -> str | None:
    """Return the one of `names` that a model's name means: its whole path first, then its file name if only one has it.

    Two files of the same name in two folders are not guessed between.
    """
    from ..recipes.values import normalised_name

    said = str(use.get("name") or "")
    if not said:
        return None
    whole = _flat(said)
    exact = [one for one in names if _flat(one) == whole]
    same = exact or [one for one in names if normalised_name(one) == normalised_name(said)]
    return same[0] if len(same) == 1 else None


def required(use: Mapping[str, Any], kinds: Sequence[str]) -> tuple[str, str]:
    """Return kind and name of the local file for a model; raise `NotFoundError` with a sentence that names it."""
    for kind in kinds:
        if found := match(use, installed(kind)):
            return kind, found
    raise NotFoundError(f"{described(use)} is not in {' or '.join(kinds)}, or more than one file has that name.")


def described(use: Mapping[str, Any]) -> str:
    """Return a model's name for people, with the hash that would find it."""
    name = use.get("name") or use.get("vendor_name") or "A model without a name"
    return f"{name} ({use['hash_type']} {use['hash']})" if use.get("hash") else str(name)


def _flat(name: str) -> str:
    return name.replace("\\", "/").strip("/").casefold()
