"""Find model files on disk and tell what has changed since the last time; no file is opened here."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

MODEL_SUFFIXES = frozenset({".safetensors", ".sft", ".ckpt", ".pt", ".pth", ".bin", ".gguf"})
_SUFFIXES = tuple(MODEL_SUFFIXES)


@dataclass(frozen=True, slots=True)
class Root:
    """Name one folder of models and the type of what is in it (ComfyUI's folder names)."""

    path: Path
    type: str


@dataclass(frozen=True, slots=True)
class FoundFile:
    """Describe one model file as the folder lists it; `mtime_ns` in nanoseconds since the epoch."""

    path: str
    root: str
    type: str
    size: int
    mtime_ns: int

    @property
    def stamp(self) -> tuple[int, int]:
        """What changes when the content does."""
        return self.size, self.mtime_ns


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """Say what a scan found: new and changed files, moved ones by their old path, and paths that are gone."""

    added: tuple[FoundFile, ...] = ()
    changed: tuple[FoundFile, ...] = ()
    moved: tuple[tuple[str, FoundFile], ...] = ()
    gone: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Whether there is anything to write down."""
        return bool(self.added or self.changed or self.moved or self.gone)


def list_models(root: Root, folders: dict[str, int] | None = None, others: Collection[str] = ()) -> Iterator[FoundFile]:
    """Yield every model file below a root; links are followed, a folder is entered once however it is reached.

    `folders` is filled with the mtime (ns) of every folder that was entered; `others` are folders below that are
    roots of their own.
    """
    seen: set[tuple[int, int]] = set()
    pending = [str(root.path)]
    while pending:
        folder = pending.pop()
        if (mtime := _first_visit(folder, seen)) is None:
            continue
        if folders is not None:
            folders[folder] = mtime
        for entry in _entries(folder):
            if entry.is_dir():
                if entry.path not in others:
                    pending.append(entry.path)
            elif _is_model(entry.name) and (found := _stat(entry, root)):
                yield found


def compare(found: Iterable[FoundFile], known: Mapping[str, tuple[int, int]]) -> Changes:
    """Set what was found against the stamps known by path; a file of the same name and stamp elsewhere has moved."""
    gone, fresh, changed = set(known), dict[str, FoundFile](), dict[str, FoundFile]()
    for one in found:
        # What is as it was is not kept: a heap of tens of thousands of objects makes Python's collector stop the world.
        gone.discard(one.path)
        if one.path not in known:
            fresh[one.path] = one
        elif known[one.path] != one.stamp:
            changed[one.path] = one
    origins = {(_base(path), known[path]): path for path in gone}
    moved = {path: origin for path, one in fresh.items() if (origin := origins.pop((_base(path), one.stamp), None))}
    return Changes(
        added=tuple(one for path, one in fresh.items() if path not in moved),
        changed=tuple(changed.values()),
        moved=tuple((origin, fresh[path]) for path, origin in moved.items()),
        gone=tuple(sorted(gone - set(moved.values()))),
    )


def is_offline(root: Root, known: int) -> bool:
    """Tell whether a root is out of reach: not there, or empty though `known` models were in it.

    A drive that was unplugged often leaves its empty mount point behind.
    """
    try:
        with os.scandir(root.path) as entries:
            return known > 0 and next(entries, None) is None
    except OSError:
        return True


def have_changed(folders: Mapping[str, int]) -> bool:
    """Tell whether a file has come, gone or been renamed in any of the folders since their mtimes were noted.

    A few hundred folders take milliseconds where listing tens of thousands of files takes seconds.
    """
    return any(_mtime(folder) != mtime for folder, mtime in folders.items())


def _mtime(folder: str) -> int | None:
    try:
        return Path(folder).stat().st_mtime_ns
    except OSError:
        return None


def _first_visit(folder: str, seen: set[tuple[int, int]]) -> int | None:
    """Return a folder's mtime (ns) where it has not been entered before, else None."""
    try:
        stat = Path(folder).stat()
    except OSError:
        return None
    mark = (stat.st_dev, stat.st_ino)
    if mark in seen and stat.st_ino:
        return None
    seen.add(mark)
    return stat.st_mtime_ns


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return [one for one in entries if not one.name.startswith(".") and _is_text(one.name)]
    except OSError:
        return []


def _is_text(name: str) -> bool:
    """Tell whether a name can be stored; Linux allows bytes that are no text, and the database does not."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_model(name: str) -> bool:
    return name.lower().endswith(_SUFFIXES)


def _stat(entry: os.DirEntry[str], root: Root) -> FoundFile | None:
    """Describe a directory entry, or None where it is a broken link or has just gone."""
    try:
        stat = entry.stat()
    except OSError:
        return None
    return FoundFile(entry.path, str(root.path), root.type, stat.st_size, stat.st_mtime_ns)


def _base(path: str) -> str:
    return os.path.basename(path)  # noqa: PTH119 - tens of thousands of paths; a Path each takes seconds
