"""Describe the HTTP API in OpenAPI's words, from the table of endpoints alone."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..core.settings_table import SETTINGS
from .endpoint import Endpoint
from .shape import Field, schema
from .table import ENDPOINTS, PREFIX

_ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {"code": {"type": "string"}, "message": {"type": "string"}},
        }
    },
}
_PAGE = {
    "type": "object",
    "required": ["items", "next_cursor"],
    "properties": {
        "items": {"type": "array", "items": {"type": "object"}},
        "next_cursor": {"type": ["string", "null"]},
    },
}
_SETTING_TYPES: Mapping[str, Any] = {
    "bool": {"type": "boolean"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "optional_float": {"type": ["number", "null"]},
    "paths": {"type": "array", "items": {"type": "string"}},
    "names": {"type": "array", "items": {"type": "string"}},
    "folders": {"type": "object"},
}


def document(version: str = "1") -> dict[str, Any]:
    """Return the OpenAPI 3.1 document."""
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in ENDPOINTS:
        paths.setdefault(PREFIX + endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Pantry", "version": version, "description": "See docs/reference/http-api.md."},
        "paths": paths,
        "components": {"schemas": {"Error": _ERROR, "Page": _PAGE, "Settings": _settings()}},
    }


def _operation(endpoint: Endpoint) -> dict[str, Any]:
    made: dict[str, Any] = {
        "summary": endpoint.summary,
        "operationId": _name(endpoint),
        "parameters": [*_path_parameters(endpoint.path), *_query_parameters(endpoint.query)],
        "responses": {str(endpoint.status): _answer(endpoint), "default": _json("An error.", "Error")},
    }
    if body := _body(endpoint):
        made["requestBody"] = body
    return made


def _name(endpoint: Endpoint) -> str:
    words = re.findall(r"[a-z]+", endpoint.path)
    return "_".join((endpoint.method.lower(), *words))


def _path_parameters(path: str) -> list[dict[str, Any]]:
    names = re.findall(r"{(\w+)", path)
    return [{"name": one, "in": "path", "required": True, "schema": {"type": "string"}} for one in names]


def _query_parameters(fields: Sequence[Field]) -> list[dict[str, Any]]:
    return [{"name": one.name, "in": "query", "description": one.help, "schema": schema(one)} for one in fields]


def _body(endpoint: Endpoint) -> dict[str, Any] | None:
    if endpoint.takes == "upload":
        files = {"type": "object", "properties": {"file": {"type": "string", "format": "binary"}}}
        return {"required": True, "content": {"multipart/form-data": {"schema": files}}}
    if endpoint.body is None:
        return {
            "required": True,
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Settings"}}},
        }
    if not endpoint.body:
        return None
    properties = {one.name: {**schema(one), "description": one.help} for one in endpoint.body}
    shape: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    if required := [one.name for one in endpoint.body if one.required]:
        shape["required"] = required
    return _sent(shape, required=bool(required))


def _sent(shape: Mapping[str, Any], *, required: bool) -> dict[str, Any]:
    return {"required": required, "content": {"application/json": {"schema": shape}}}


def _answer(endpoint: Endpoint) -> dict[str, Any]:
    if endpoint.returns == "nothing":
        return {"description": "Done."}
    if endpoint.returns == "file":
        return {"description": endpoint.summary, "content": {"*/*": {}}}
    return _json(endpoint.summary, "Page" if endpoint.returns == "page" else None)


def _json(description: str, name: str | None) -> dict[str, Any]:
    shape: dict[str, Any] = {"$ref": f"#/components/schemas/{name}"} if name else {"type": "object"}
    return {"description": description, "content": {"application/json": {"schema": shape}}}


def _settings() -> dict[str, Any]:
    named = {
        one.name: {**_SETTING_TYPES.get(one.kind, {"type": "string"}), "description": one.help} for one in SETTINGS
    }
    return {"type": "object", "properties": named, "additionalProperties": False}
