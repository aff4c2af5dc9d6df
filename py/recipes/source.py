"""Read parts of a file, or of bytes in memory, by offset; never the whole of it."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from pathlib import Path
from typing import BinaryIO

HEAD = 64 * 1024
_BLOCK = 4 * 1024
# Not every system has, or needs, each of them.
_FLAGS = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_BINARY", "O_NONBLOCK", "O_CLOEXEC", "O_NOINHERIT"))
_pread = getattr(os, "pread", None)  # not on Windows


class Source:
    """Give random access to content of `size` bytes; the first `HEAD` bytes are kept."""

    def __init__(self, data: bytes | None = None, file: BinaryIO | None = None, name: str = "") -> None:
        self._data = data
        self._file = file
        self._handle = file.fileno() if file is not None else -1
        self.name = name
        self.size = len(data) if data is not None else self._file_size()
        self.head = self._fetch(0, HEAD)

    @classmethod
    def open(cls, path: Path) -> Source:
        """Open a regular file; raise OSError where that is not possible. A pipe or device is not waited for."""
        file = os.fdopen(os.open(path, _FLAGS), "rb", buffering=0)
        try:
            _check_regular(file)
            return cls(file=file, name=path.name)
        except BaseException:  # whatever it is, the file must not stay open
            file.close()
            raise

    def read(self, offset: int, length: int) -> bytes:
        """Return up to `length` bytes from `offset`; fewer at the end of the content."""
        end = offset + length
        return self.head[offset:end] if end <= len(self.head) else self._fetch(offset, length)

    def content_hash(self) -> str:
        """Identify the content by its size and by blocks of its head, middle and tail."""
        digest = hashlib.blake2b(str(self.size).encode(), digest_size=16)
        digest.update(self.head[: 2 * _BLOCK])
        if self.size > 2 * _BLOCK:
            digest.update(self.read(self.size // 2, _BLOCK))
            digest.update(self.read(max(self.size - _BLOCK, 0), _BLOCK))
        return digest.hexdigest()

    def close(self) -> None:
        """Let the file go."""
        if self._file is not None:
            self._file.close()

    def _file_size(self) -> int:
        return os.fstat(self._handle).st_size if self._file is not None else 0

    def _fetch(self, offset: int, length: int) -> bytes:
        length = min(length, self.size - offset)
        if length <= 0:
            return b""
        if self._data is not None:
            return self._data[offset : offset + length]
        found = self._read_at(offset, length)
        while len(found) < length and (more := self._read_at(offset + len(found), length - len(found))):
            found += more
        return found

    def _read_at(self, offset: int, length: int) -> bytes:
        """One system call where there is one for it."""
        if _pread is not None:
            return bytes(_pread(self._handle, length, offset))
        if self._file is None:
            return b""
        self._file.seek(offset)
        return self._file.read(length)


def _check_regular(file: BinaryIO) -> None:
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        raise OSError(errno.EINVAL, "it is not a file")
