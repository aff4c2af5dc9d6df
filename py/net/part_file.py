"""Keep a download that is not finished: its bytes, what they belong to, and their hash.

The file appears under its own name only when it is whole and checked. Everything here blocks and runs in a thread.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from pathlib import Path

from ..core.errors import MalformedAnswerError, StorageError

_CHUNK = 1024 * 1024
# "bytes 200-999/1000" (RFC 9110 §14.4)
_RANGE = re.compile(r"bytes ([0-9]+)-[0-9]+/([0-9]+|\*)")
_DISK_FULL = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}


class PartFile:
    """Write ``<target>.part`` beside the target; ``<target>.part.json`` holds the validator to go on with."""

    def __init__(self, target: Path) -> None:
        self._target = target
        self._part = target.with_name(f"{target.name}.part")
        self._note = target.with_name(f"{target.name}.part.json")
        self._hash = hashlib.sha256()
        self.size = 0

    def resume_headers(self) -> dict[str, str]:
        """Return the headers that ask for the rest; empty where nothing can be continued.

        Without a strong validator a rest could belong to another version of the file (RFC 9110 §13.1.5).
        """
        validator = self._validator()
        have = self._part.stat().st_size if validator and self._part.exists() else 0
        return {"Range": f"bytes={have}-", "If-Range": validator} if have else {}

    def begin(self, status: int, headers: Mapping[str, str]) -> None:
        """Open for the body of an answer: 206 goes on, anything else starts anew; raise `StorageError` or Malformed."""
        with _disk_errors():
            self._target.parent.mkdir(parents=True, exist_ok=True)
            offset = self._continues_at(headers) if status == HTTPStatus.PARTIAL_CONTENT else 0
            self._open(offset)
            if not offset:
                self._write_note(headers)
            self._require_space(headers)

    def write(self, data: bytes) -> None:
        """Append to the file and to its hash."""
        with _disk_errors(), self._part.open("ab") as file:
            file.write(data)
        self._hash.update(data)
        self.size += len(data)

    def finish(self, sha256: str | None) -> Path:
        """Check the whole and give it its name, in one step; a wrong hash deletes it."""
        if sha256 is not None and self._hash.hexdigest() != sha256.lower():
            self.discard()
            raise MalformedAnswerError("The file is not the one that was asked for: its SHA256 differs.")
        with _disk_errors():
            with self._part.open("rb+") as file:
                os.fsync(file.fileno())
            self._part.replace(self._target)
            self._note.unlink(missing_ok=True)
        return self._target

    def discard(self) -> None:
        """Forget what has come so far."""
        with _disk_errors():
            self._part.unlink(missing_ok=True)
            self._note.unlink(missing_ok=True)

    def _open(self, offset: int) -> None:
        self._hash, self.size = hashlib.sha256(), offset
        with self._part.open("rb+" if offset else "wb") as file:
            while (left := offset - file.tell()) > 0:
                self._hash.update(file.read(min(_CHUNK, left)))
            file.truncate(offset)

    def _continues_at(self, headers: Mapping[str, str]) -> int:
        match = _RANGE.match(headers.get("content-range", ""))
        have = self._part.stat().st_size if self._part.exists() else 0
        if match is None or int(match[1]) != have:
            raise MalformedAnswerError("The vendor sent another part of the file than was asked for.")
        return have

    def _validator(self) -> str:
        try:
            note = json.loads(self._note.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return ""
        validator = note.get("validator") if isinstance(note, dict) else None
        return validator if isinstance(validator, str) else ""

    def _write_note(self, headers: Mapping[str, str]) -> None:
        etag = headers.get("etag", "")
        validator = etag if etag and not etag.startswith("W/") else headers.get("last-modified", "")
        self._note.write_text(json.dumps({"validator": validator}), encoding="utf-8")

    def _require_space(self, headers: Mapping[str, str]) -> None:
        length = headers.get("content-length", "")
        if length.isascii() and length.isdigit() and int(length) > shutil.disk_usage(self._target.parent).free:
            raise OSError(errno.ENOSPC, "not enough space")


@contextlib.contextmanager
def _disk_errors() -> Iterator[None]:
    """Translate what the file system raises."""
    try:
        yield
    except OSError as error:
        full = error.errno in _DISK_FULL
        raise StorageError("The disk is full." if full else f"The file cannot be written: {error.strerror}.") from error
