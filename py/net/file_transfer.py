"""Receive a file piece by piece: into a part file on disk, off the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from http import HTTPStatus
from pathlib import Path

from ..core.errors import MalformedAnswerError
from ..core.ports import Request, Response, Transport, TransportFailure
from .part_file import PartFile

# Called with the bytes received so far and the bytes expected, where the vendor said how many.
Progress = Callable[[int, "int | None"], None]

_STORED = {HTTPStatus.OK, HTTPStatus.PARTIAL_CONTENT}
_PIECE = 1024 * 1024
_ERROR_BYTES = 64 * 1024


class FileTransfer:
    """Exchange one request after another until the file at `target` is whole."""

    def __init__(self, transport: Transport, target: Path, *, progress: Progress | None) -> None:
        self._transport, self._progress = transport, progress
        self._part = PartFile(target)
        self._resume: Mapping[str, str] = {}

    async def prepare(self) -> None:
        """Look for what an earlier attempt has left."""
        self._resume = await asyncio.to_thread(self._part.resume_headers)

    def headers(self) -> Mapping[str, str]:
        """Return the headers that ask for the rest of the file, in the vendor's own bytes."""
        return {"Accept": "*/*", "Accept-Encoding": "identity", **self._resume}

    async def exchange(self, request: Request) -> Response:
        """Send, and store the body of a usable answer; of any other return the first bytes, for its words."""
        try:
            async with self._transport.open(request) as (head, pieces):
                if head.status in _STORED and "html" not in head.headers.get("content-type", "").lower():
                    await self._store(head, pieces)
                    return head
                await self._refuse_range(head)
                return await _with_body(head, pieces)
        finally:
            await self._look_again()

    async def finish(self, sha256: str | None) -> Path:
        """Return the finished file; raise `MalformedAnswerError` where its SHA256 differs."""
        return await asyncio.to_thread(self._part.finish, sha256)

    async def _store(self, head: Response, pieces: AsyncIterator[bytes]) -> None:
        try:
            await asyncio.to_thread(self._part.begin, head.status, head.headers)
        except MalformedAnswerError as error:
            await asyncio.to_thread(self._part.discard)
            raise TransportFailure("wrong range") from error
        expected = _length(head, self._part.size)
        buffer = bytearray()
        try:
            async for piece in pieces:
                buffer += piece
                if len(buffer) >= _PIECE:
                    await self._write(buffer, expected)
        finally:
            # What has come is kept, so that the next send goes on from here.
            await asyncio.shield(asyncio.to_thread(self._part.write, bytes(buffer)))
        if self._progress is not None:
            self._progress(self._part.size, expected)
        if expected is not None and self._part.size < expected:
            raise TransportFailure("the body was cut short")

    async def _refuse_range(self, head: Response) -> None:
        """Start anew where the vendor cannot go on from where we are: its file has changed, or ours is whole."""
        if head.status == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            await asyncio.to_thread(self._part.discard)
            raise TransportFailure("range refused")

    async def _write(self, buffer: bytearray, expected: int | None) -> None:
        piece = bytes(buffer)
        buffer.clear()
        await asyncio.to_thread(self._part.write, piece)
        if self._progress is not None:
            self._progress(self._part.size, expected)

    async def _look_again(self) -> None:
        self._resume = await asyncio.to_thread(self._part.resume_headers)


async def _with_body(head: Response, pieces: AsyncIterator[bytes]) -> Response:
    body = bytearray()
    async for piece in pieces:
        body += piece
        if len(body) >= _ERROR_BYTES:
            break
    return Response(
        status=head.status,
        headers=head.headers,
        body=bytes(body),
        url=head.url,
        received_monotonic=head.received_monotonic,
        received_wall=head.received_wall,
    )


def _length(head: Response, have: int) -> int | None:
    value = head.headers.get("content-length", "")
    return have + int(value) if value.isascii() and value.isdigit() else None
