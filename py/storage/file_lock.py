"""Hold a lock that the operating system takes back when the process ends, however it ends."""

from __future__ import annotations

import sys
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
        except OSError:
            file.close()
            return None
        return cls(path, file)

    def release(self) -> None:
        """Give the lock back. The file stays: removing it could take away a lock that somebody just got."""
        self._file.close()
