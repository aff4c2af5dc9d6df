"""Describe and check what a caller sends: query parameters and JSON bodies.

One list of fields serves the check and the OpenAPI file, so that neither can drift from the other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..core.errors import InvalidRequestError

Kind = Literal["str", "int", "float", "bool", "strings", "object"]

_TRUE, _FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")
_JSON_TYPES: Mapping[str, dict[str, Any]] = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "bool": {"type": "boolean"},
    "strings": {"type": "array", "items": {"type": "string"}},
    "object": {"type": "object"},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """Describe one parameter or body field; a number above `maximum` is refused, one above `ceiling` is capped."""

    name: str
    help: str
    kind: Kind = "str"
    default: Any = None
    required: bool = False
    nullable: bool = False
    minimum: float = -math.inf
    maximum: float = math.inf
    ceiling: float = math.inf
    choices: tuple[str | int, ...] = ()
    longest: int = 10_000

    def refuse(self, wanted: str) -> InvalidRequestError:
        """Return the error that tells the caller what this field takes."""
        return InvalidRequestError(f"{self.name} must be {wanted}.")


def limit_field(default: int = 50, ceiling: int = 500) -> Field:
    """Return the `limit` of a list route."""
    return Field(name="limit", kind="int", default=default, minimum=1, ceiling=ceiling, help="How many to return.")


CURSOR = Field(name="cursor", help="next_cursor of the page before.")


def read_query(fields: Sequence[Field], pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Return a value for every field from the query's pairs; parameters that no field names are ignored."""
    given: dict[str, list[str]] = {}
    for name, text in pairs:
        given.setdefault(name, []).append(text)
    return {one.name: _from_texts(one, given.get(one.name, [])) for one in fields}


def read_body(fields: Sequence[Field], data: Any) -> dict[str, Any]:
    """Return the fields that a JSON body sets; raise `InvalidRequestError` for any that no field names."""
    if not isinstance(data, Mapping):
        raise InvalidRequestError("The body must be a JSON object.")
    by_name = {one.name: one for one in fields}
    if unknown := sorted(set(map(str, data)) - set(by_name)):
        raise InvalidRequestError(f"There is no field called {unknown[0][:100]!r}.")
    if missing := [one.name for one in fields if one.required and one.name not in data]:
        raise InvalidRequestError(f"{missing[0]} is needed.")
    return {name: _check(by_name[name], value) for name, value in data.items()}


def schema(field: Field) -> dict[str, Any]:
    """Return the JSON schema of one field."""
    made: dict[str, Any] = dict(_JSON_TYPES[field.kind])
    if field.nullable:
        made["type"] = [made["type"], "null"]
    if field.choices:
        made["enum"] = [*field.choices, *([None] if field.nullable else [])]
    bounds = {"minimum": field.minimum, "maximum": field.maximum}
    made.update({name: bound for name, bound in bounds.items() if math.isfinite(bound)})
    return made


def _from_texts(field: Field, texts: list[str]) -> Any:
    texts = [text for text in texts if text != ""]
    if field.kind == "strings":
        return _check(field, texts)
    if not texts:
        return field.default
    return _check(field, _PARSERS.get(field.kind, _as_text)(field, texts[-1]))


def _as_text(field: Field, text: str) -> str:  # noqa: ARG001 - one shape for all parsers
    return text


def _as_number(field: Field, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise field.refuse("a number") from None
    return int(number) if number.is_integer() else number


def _as_bool(field: Field, text: str) -> bool:
    if text.lower() not in _TRUE + _FALSE:
        raise field.refuse("true or false")
    return text.lower() in _TRUE


_PARSERS: Mapping[str, Callable[[Field, str], Any]] = {"int": _as_number, "float": _as_number, "bool": _as_bool}


def _check(field: Field, value: Any) -> Any:
    if value is None and field.nullable:
        return None
    return _CHECKS[field.kind](field, value)


def _check_text(field: Field, value: Any) -> str:
    if not isinstance(value, str) or "\0" in value:
        raise field.refuse("text")
    if len(value) > field.longest:
        raise field.refuse(f"at most {field.longest} characters long")
    _check_choice(field, value)
    return value


def _check_number(field: Field, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise field.refuse("a number")
    if value < field.minimum:
        raise field.refuse(f"at least {field.minimum:g}")
    if value > field.maximum:
        raise field.refuse(f"at most {field.maximum:g}")
    return min(value, field.ceiling)


def _check_int(field: Field, value: Any) -> int:
    number = _check_number(field, value)
    if number != int(number):
        raise field.refuse("a whole number")
    _check_choice(field, int(number))
    return int(number)


def _check_choice(field: Field, value: str | int) -> None:
    if field.choices and value not in field.choices:
        raise field.refuse("one of " + ", ".join(map(str, field.choices)))


def _check_bool(field: Field, value: Any) -> bool:
    if not isinstance(value, bool):
        raise field.refuse("true or false")
    return value


def _check_strings(field: Field, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise field.refuse("a list of texts")
    return tuple(_check_text(field, one) for one in value)


def _check_object(field: Field, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise field.refuse("a JSON object")
    return value


_CHECKS: Mapping[str, Callable[[Field, Any], Any]] = {
    "str": _check_text,
    "int": _check_int,
    "float": _check_number,
    "bool": _check_bool,
    "strings": _check_strings,
    "object": _check_object,
}
