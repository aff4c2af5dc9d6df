"""Answer a request to a described endpoint: guard, check, act, answer."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from ..core.errors import InvalidRequestError, NotAllowedError, PantryError
from . import guard
from .call import Call
from .errors import answer_for, error_answer
from .parts import Parts
from .shape import Field, read_body, read_query

log = logging.getLogger(__name__)

Action = Callable[[Parts, Call], Awaitable[Any]]

MOST_BODY_BYTES = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Describe one endpoint below the API prefix.

    `body` None takes any setting by name (the settings table checks it); `protected` keeps remote peers out unless
    `allow_remote_changes` is on; `returns` names the schema of the answer in the OpenAPI file.
    """

    method: str
    path: str
    action: Action
    query: tuple[Field, ...] = ()
    body: tuple[Field, ...] | None = ()
    takes: guard.Body = "json"
    status: int = 200
    protected: bool = False
    returns: str = "object"

    @property
    def summary(self) -> str:
        """The first sentence of the action's docstring."""
        return (self.action.__doc__ or "").strip().splitlines()[0]


async def answer(
    parts: Parts, door: guard.Door, endpoint: Endpoint, request: web.Request, path: Mapping[str, str]
) -> web.StreamResponse:
    """Guard, check, act and answer; every answer, also a refusal, is JSON or what the action made."""
    has_body = request.can_read_body
    refusal = guard.judge(request.method, request.headers, door, endpoint.takes, has_body=has_body)
    if refusal is not None:
        return error_answer(refusal.status, refusal.code, refusal.message)
    if parts.problem is not None:
        return error_answer(503, "not_ready", parts.problem)
    try:
        return _answer(endpoint, await _act(parts, endpoint, await _call(parts, endpoint, request, path)))
    except PantryError as error:
        return answer_for(error)
    except web.HTTPException as error:
        return error_answer(error.status, "http", error.reason)
    except Exception:  # the last line: one request's defect must not look like a lost connection
        log.exception("request failed: %s %s", endpoint.method, endpoint.path)
        return error_answer(500, "internal", "Something went wrong in Pantry; the log says what.")


async def _act(parts: Parts, endpoint: Endpoint, call: Call) -> Any:
    try:
        return await endpoint.action(parts, call)
    except OverflowError as error:  # SQLite's integers end where JSON's go on; only a caller names such numbers
        raise InvalidRequestError("A number in this request is too large.") from error


async def _call(parts: Parts, endpoint: Endpoint, request: web.Request, path: Mapping[str, str]) -> Call:
    local = guard.is_local_peer(request.remote, request.headers) or bool(parts.settings.get("allow_remote_changes"))
    if endpoint.protected and not local:
        raise NotAllowedError("From another machine this needs the setting allow_remote_changes.")
    body = {} if request.content_type == "multipart/form-data" else await _body(endpoint, request)
    return Call(
        path=path,
        query=read_query(endpoint.query, request.query.items()),
        body=body,
        local=local,
        request=request,
    )


async def _body(endpoint: Endpoint, request: web.Request) -> Mapping[str, Any]:
    data = parse_json(await _read_capped(request)) if request.can_read_body else {}
    if endpoint.body is not None:
        return read_body(endpoint.body, data)
    if not isinstance(data, dict):
        raise InvalidRequestError("The body must be a JSON object.")
    return data


async def _read_capped(request: web.Request) -> bytes:
    chunks, size = [], 0
    async for chunk in request.content.iter_chunked(64 * 1024):
        size += len(chunk)
        if size > MOST_BODY_BYTES:
            raise InvalidRequestError(f"The body is larger than {MOST_BODY_BYTES // 1024 // 1024} MB.")
        chunks.append(chunk)
    return b"".join(chunks)


def parse_json(data: bytes) -> Any:
    """Return the JSON value in `data`, an empty object for no bytes; refuse what is not JSON or nests too deep."""
    if not data.strip():
        return {}
    try:
        value = json.loads(data)
        if b"\\ud" in data.lower():  # half a character, escaped: no file name and no database takes it
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError):
        raise InvalidRequestError("The body is not valid JSON.") from None
    return value


def _answer(endpoint: Endpoint, result: Any) -> web.StreamResponse:
    if isinstance(result, web.StreamResponse):
        return result
    return web.json_response(result, status=endpoint.status, headers={"Cache-Control": "no-store"})
