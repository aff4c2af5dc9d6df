"""Decide which folders a caller may name, and show what is inside them.

Whoever sits at this machine may name any folder. A remote peer may name only ComfyUI's input and output and the
folders in `import_folders`: an arbitrary folder plus thumbnails would be an arbitrary read.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core.errors import InvalidRequestError, NotAllowedError, NotFoundError
from .call import Call
from .parts import Parts

IMAGE_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".avif", ".jxl", ".gif"})
MOST_ENTRIES = 2_000
_DEVICE = re.compile(r"^(con|prn|aux|nul|conin\$|conout\$|com[0-9]|lpt[0-9])(\..*)?$", re.IGNORECASE)


def checked_path(text: str, *, windows: bool = os.name == "nt") -> str:
    """Return the absolute form of a typed path; raise `InvalidRequestError` for one that is a trap.

    Refused: NUL, relative paths, network paths (opening one hands a password hash to its server), and on Windows
    device names and alternate streams.
    """
    text = text.strip()
    if not text or "\0" in text:
        raise InvalidRequestError("That is not a path.")
    if text.startswith(("\\\\", "//")):
        raise InvalidRequestError("Network paths are not taken; map the share to a drive or mount it first.")
    if windows:
        _refuse_windows_traps(text)
    expanded = os.path.expanduser(text)  # noqa: PTH111 - text in, text out; Path would raise on odd names
    if not os.path.isabs(expanded):  # noqa: PTH117
        raise InvalidRequestError("Give the whole path, from the drive or the root on.")
    return os.path.abspath(expanded)  # noqa: PTH100


def _refuse_windows_traps(text: str) -> None:
    _, rest = (text[:2], text[2:]) if text[1:2] == ":" else ("", text)
    if ":" in rest:
        raise InvalidRequestError("A path may have a colon only after its drive letter.")
    if any(map(is_device, re.split(r"[\\/]", rest))):
        raise InvalidRequestError("That is the name of a device, not of a file.")


def is_device(name: str) -> bool:
    """Whether a file name is that of a device on Windows, where opening it does not open a file."""
    return _DEVICE.match(name.rstrip(" .")) is not None


def is_within(path: str | Path, roots: Iterable[str | Path]) -> bool:
    """Whether `path` is one of the roots or below one, links followed on both sides."""
    real = os.path.realpath(path)
    return any(_holds(os.path.realpath(root), real) for root in roots)


def _holds(root: str, path: str) -> bool:
    try:
        return os.path.commonpath([root, path]) == root
    except ValueError:  # two drives
        return False


@dataclass(frozen=True, slots=True)
class Reach:
    """Say what one caller may reach: everything where `local`, else what lies below `roots`."""

    roots: tuple[Path, ...]
    local: bool

    def path(self, text: str) -> Path:
        """Return the real path that `text` names; raise `NotAllowedError` outside the reach."""
        real = os.path.realpath(checked_path(text))
        if not self.local and not is_within(real, self.roots):
            raise NotAllowedError("From another machine only ComfyUI's folders and import_folders can be used.")
        return Path(real)

    def folder(self, text: str) -> Path:
        """Return the folder that `text` names; raise `NotFoundError` where there is none."""
        path = self.path(text)
        if not path.is_dir():
            raise NotFoundError("There is no such folder.")
        return path


def reach_of(parts: Parts, call: Call) -> Reach:
    """Return what the caller may reach."""
    return Reach(roots_of(parts), call.local)


def roots_of(parts: Parts) -> tuple[Path, ...]:
    """Return every folder that may be imported from by anybody, each once."""
    named = (Path(one) for one in parts.settings.get("import_folders"))
    uploads = parts.host.data_dir / "uploads"
    return tuple(dict.fromkeys((*parts.host.output_folders, *parts.host.input_folders, *named, uploads)))


def remember(parts: Parts, folder: Path) -> None:
    """Add a folder that its user chose to `import_folders`, unless a root already holds it."""
    if not is_within(folder, roots_of(parts)):
        parts.settings.update({"import_folders": [*parts.settings.get("import_folders"), str(folder)]})


async def browse(parts: Parts, call: Call) -> dict[str, Any]:
    """Return what is inside a folder, or only the roots where no path is given."""
    reach = reach_of(parts, call)
    roots = [{"path": str(root), "name": root.name or str(root)} for root in reach.roots if root.is_dir()]
    roots = [root for root in roots if Path(root["path"]) != parts.host.data_dir / "uploads"]
    if not call.query["path"]:
        return {"path": None, "parent": None, "roots": roots, "folders": [], "images": 0, "truncated": False}
    folder = reach.folder(call.query["path"])
    parent = (
        folder.parent if folder.parent != folder and (reach.local or is_within(folder.parent, reach.roots)) else None
    )
    inside = await asyncio.to_thread(_inside, folder)
    return {"path": str(folder), "parent": None if parent is None else str(parent), "roots": roots, **inside}


def _inside(folder: Path) -> dict[str, Any]:
    """Return the subfolders (hidden ones left out) and the number of images directly in a folder."""
    folders, images, truncated = [], 0, False
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if _is_folder(entry):
                    folders.append({"name": entry.name, "path": entry.path})
                else:
                    images += os.path.splitext(entry.name)[1].lower() in IMAGE_SUFFIXES  # noqa: PTH122
                if truncated := len(folders) >= MOST_ENTRIES:
                    break
    except OSError:
        raise NotAllowedError("The system does not let Pantry read that folder.") from None
    folders.sort(key=lambda one: one["name"].casefold())
    return {"folders": folders, "images": images, "truncated": truncated}


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return not entry.name.startswith(".") and entry.is_dir()
    except OSError:
        return False
