"""Find new images in a folder that is looked at again and again, at little cost."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from .listing import IMAGE_SUFFIXES

Stamp = tuple[int, int]  # size in bytes, mtime in ns


class FolderScan:
    """Remember what is known of one folder; a folder inside it is listed again only when its own time has changed.

    A file counts as arrived once two looks have found it with the same size and time: an image that is still being
    written is left for the next look. Not safe to use from two threads at once.
    """

    def __init__(self, root: Path, seen: Iterable[str] = ()) -> None:
        self._root = root
        self._seen = set(seen)
        self._times: dict[str, int] = {}
        self._arriving: dict[str, Stamp] = {}

    def look(self) -> list[str]:
        """Return the absolute paths of images that have arrived since they were last marked `seen`."""
        self._list(str(self._root))
        arrived = []
        for path, before in tuple(self._arriving.items()):
            now = _stamp(path)
            if now is None:
                del self._arriving[path]
            elif now == before:
                arrived.append(path)
            else:
                self._arriving[path] = now
        return sorted(arrived)

    def everything(self) -> list[str]:
        """Return every image that is there now, and take all of them for seen."""
        self._list(str(self._root))
        found = sorted(self._arriving)
        self.seen(found)
        return found

    def seen(self, paths: Iterable[str]) -> None:
        """Do not report these again."""
        for path in paths:
            self._seen.add(path)
            self._arriving.pop(path, None)

    def _list(self, folder: str) -> None:
        changed = _mtime(folder)
        if changed is None:
            return
        if self._times.get(folder) != changed:
            self._times[folder] = changed
            self._enter(folder)
        for inner in [one for one in self._times if os.path.dirname(one) == folder]:  # noqa: PTH120 - hot path
            self._list(inner)

    def _enter(self, folder: str) -> None:
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        self._times.setdefault(entry.path, -1)
                    elif _is_new_image(entry, self._seen):
                        self._arriving.setdefault(entry.path, (-1, -1))
        except OSError:
            self._times.pop(folder, None)  # look again when it can be read


def _is_new_image(entry: os.DirEntry[str], seen: set[str]) -> bool:
    suffix = os.path.splitext(entry.name)[1].lower()  # noqa: PTH122 - a Path for each of 100,000 files is slow
    return suffix in IMAGE_SUFFIXES and not entry.name.startswith(".") and entry.path not in seen


def _stamp(path: str) -> Stamp | None:
    try:
        status = os.stat(path)  # noqa: PTH116 - as above
    except OSError:
        return None
    return (status.st_size, status.st_mtime_ns)


def _mtime(path: str) -> int | None:
    stamp = _stamp(path)
    return None if stamp is None else stamp[1]
