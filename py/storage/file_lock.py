"""Hold a lock that the operating system takes back when the process ends, however it ends."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from io import BufferedRandom
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _lock(file: BufferedRandom) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(file: BufferedRandom) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


class FileLock:
    """Lock one file for this process; build with `FileLock.take`."""

    def __init__(self, path: Path, file: BufferedRandom) -> None:
        self._path = path
        self._file = file

    @classmethod
    def take(cls, path: Path) -> FileLock | None:
        """Return the lock, or None where somebody else holds it or the folder cannot be written."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            file = path.open("a+b")
        except OSError:
            return None
        try:
            _lock(file)
            # Whoever had it may have removed the file between our two steps: then this is a lock on nothing.
            if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                return cls(path, file)
        except OSError:
            pass
        file.close()
        return None

    def release(self) -> None:
        """Give the lock back and remove its file; a second call does nothing."""
        if self._file.closed:
            return
        if sys.platform != "win32":
            self._path.unlink(missing_ok=True)
        self._file.close()
        if sys.platform == "win32":
            # There an open file cannot be removed; one that somebody has opened meanwhile stays.
            with suppress(OSError):
                self._path.unlink()
