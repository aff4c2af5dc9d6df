"""Write a sync's items as a table or as JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

from ...core.errors import InvalidRequestError

COLUMNS = ("model_id", "name", "status", "reason", "detail", "host", "retry_at")


def report_of(snapshot: dict[str, Any], rows: Sequence[dict[str, Any]], kind: str) -> str:
    """Return the report; raise `InvalidRequestError` for another kind than csv or json."""
    if kind == "json":
        return json.dumps({**snapshot, "items": list(rows)}, indent=2)
    if kind != "csv":
        raise InvalidRequestError("A report is csv or json.")
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _safe(value) for name, value in row.items()} for row in rows)
    return out.getvalue()


def _safe(value: Any) -> Any:
    """Keep a spreadsheet from taking a file's name for a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@") else value
