"""Write a job's report: one line or object for every image."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping
from typing import Any

_FIELDS = ("source", "status", "reason", "detail", "retry_at", "host", "recipe_id")
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def csv_report(items: Iterable[Mapping[str, Any]]) -> str:
    """Return the items as CSV; a cell that a spreadsheet would take for a formula is made plain text."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(_FIELDS)
    for item in items:
        writer.writerow([_cell(item[name]) for name in _FIELDS])
    return text.getvalue()


def json_report(snapshot: Mapping[str, Any], items: Iterable[Mapping[str, Any]]) -> str:
    """Return the job's snapshot with every item, as JSON."""
    return json.dumps({**snapshot, "items": list(items)}, ensure_ascii=False, indent=1)


def _cell(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA_STARTS) else value
