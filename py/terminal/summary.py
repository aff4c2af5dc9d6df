"""Say in words how a job stands and how it ended, and as which exit code."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

DONE, FAILED, WAITING, INTERRUPTED = 0, 1, 3, 130

# Reasons that mean "nothing left to do"; every other skipped item waits for somebody.
_SETTLED_REASONS = frozenset({"duplicate", "no_metadata"})
_WORDS: Mapping[str, str] = {
    "duplicate": "already has a recipe",
    "no_metadata": "says nothing about how it was made",
    "rate_limited": "a vendor asked us to wait",
    "unreachable": "a vendor could not be reached",
    "unauthorised": "the API key was refused",
    "unreadable": "the file could not be read",
}


def exit_code(snapshot: Mapping[str, Any]) -> int:
    """Return 0 when every item is settled, else 3 when some wait for a vendor, else 1 when some failed.

    Waiting comes before failed: running the command again does something then, and ends in 1 where it must.
    """
    if snapshot["status"] == "failed":
        return FAILED
    if snapshot["status"] == "waiting" or waiting_items(snapshot):
        return WAITING
    if snapshot["failed"]:
        return FAILED
    return DONE if snapshot["status"] == "completed" else INTERRUPTED


def waiting_items(snapshot: Mapping[str, Any]) -> int:
    """Return how many items are put off until a vendor can be asked."""
    reasons: Mapping[str, int] = snapshot["skipped_reasons"]
    return sum(count for reason, count in reasons.items() if reason not in _SETTLED_REASONS)


def clock_time(at: float) -> str:
    """Return an epoch time as this machine's hours and minutes."""
    return time.strftime("%H:%M", time.localtime(at))


def waiting_line(limits: Iterable[Mapping[str, Any]]) -> str | None:
    """Return one calm line that names the hosts that asked us to wait, or None where none did."""
    hosts = [f"{one['host']} until {clock_time(one['retry_at'])}" for one in limits if one.get("retry_at")]
    return f"waiting for {', '.join(hosts)}" if hosts else None


def summary(snapshot: Mapping[str, Any], *, things: str = "images", success: str = "recipes saved") -> str:
    """Return how a job ended, a line for every state and reason that occurred."""
    lines = [f"{snapshot['total']} {things}, {snapshot['completed']} done", f"  {snapshot['success']:>7} {success}"]
    lines += _reason_lines("skipped", snapshot["skipped"], snapshot["skipped_reasons"])
    lines += _reason_lines("failed", snapshot["failed"], snapshot.get("failed_reasons", {}))
    if snapshot.get("message"):
        lines.append(str(snapshot["message"]))
    if waits := waiting_items(snapshot):
        lines.append(f"{waits} wait for a vendor; run the same command again later and exactly those are finished.")
    return "\n".join(lines)


def _reason_lines(word: str, count: int, reasons: Mapping[str, int]) -> list[str]:
    if not count:
        return []
    lines = [f"  {count:>7} {word}"]
    lines += [f"  {one:>9} {_WORDS.get(reason, reason.replace('_', ' '))}" for reason, one in sorted(reasons.items())]
    return lines
