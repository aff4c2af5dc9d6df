"""Write a job's report: one line or object for every image."""

from __future__ import annotations

import csv
import io
import json
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

_FIELDS = ("source", "status", "reason", "detail", "retry_at", "host", "recipe_id")
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def csv_report(items: Iterable[Mapping[str, Any]]) -> str:
    """Return the items as CSV, times in UTC; a cell that a spreadsheet would take for a formula is made plain text."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(_FIELDS)
    for item in items:
        writer.writerow(_row(item))
    return text.getvalue()


def json_report(snapshot: Mapping[str, Any], items: Iterable[Mapping[str, Any]]) -> str:
    """Return the job's snapshot with every item, as JSON."""
    return json.dumps({**snapshot, "items": list(items)}, ensure_ascii=False, indent=1)


def _row(item: Mapping[str, Any]) -> Iterator[Any]:
    for name in _FIELDS:
        value = item[name]
        yield _cell(value if name != "retry_at" or value is None else _moment(value))


def _moment(seconds: float) -> str:
    """Return a time as people and spreadsheets read it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def _cell(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA_STARTS) else value
