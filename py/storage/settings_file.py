"""Read and write a JSON file of settings so that a crash, a full disk or a typing mistake loses nothing."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..core.errors import StorageError

Stamp = tuple[int, int, int] | None


class UnreadableSettingsError(Exception):
    """The settings file cannot be read."""


def stamp_of(path: Path) -> Stamp:
    """Return what changes when the file does, or None where there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return (status.st_mtime_ns, status.st_size, status.st_ino)


def read_settings(path: Path) -> dict[str, Any]:
    """Return the file's object, {} where there is no file; raise `UnreadableSettingsError` with a sentence."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableSettingsError("The settings file cannot be read as text.") from error
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise UnreadableSettingsError(f"The settings file is not valid JSON ({where}: {error.msg}).") from error
    except RecursionError as error:
        raise UnreadableSettingsError("The settings file is nested too deeply.") from error
    if not isinstance(data, dict):
        raise UnreadableSettingsError("The settings file does not hold a JSON object.")
    return data


def set_aside(path: Path) -> Path:
    """Move the file to the first free name ``<name>.unreadable-N`` and return that."""
    number = 1
    while (kept := path.with_name(f"{path.name}.unreadable-{number}")).exists():
        number += 1
    try:
        path.replace(kept)
    except OSError as error:
        raise StorageError(f"The unreadable {path.name} cannot be moved aside ({error.strerror}).") from error
    return kept


def write_settings(path: Path, data: Mapping[str, Any]) -> None:
    """Write the whole file or leave the old one; only the owner may read it, since it may hold a key."""
    text = json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _replace(path, text)
    except OSError as error:
        raise StorageError(f"The settings cannot be saved: {error.strerror}.") from error


def _replace(path: Path, text: str) -> None:
    # mkstemp makes the file with mode 0600.
    handle, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:  # also on Ctrl-C: leave no half file behind
        temporary.unlink(missing_ok=True)
        raise
