"""Keep the head of an answer that cannot be understood, without anything that looks like a secret. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

from .destination import family_of, host_of

LIMIT = 2048  # bytes of the body
REMOVED = "[removed]"

# Each takes more than it must: what is lost here is only of use for a diagnosis, what stays is for ever in a file.
_HEADER = re.compile(r"((?:authorization|cookie)\b[\"']?\s*[:=]).*", re.IGNORECASE)
_SCHEME = re.compile(r"\b(bearer|basic|token)\s+[^\s\"'<>]+", re.IGNORECASE)
_NAMED = re.compile(
    r"([\w-]*(?:key|token|secret|passw|signature|credential|session)[\w-]*[\"']?\s*[:=]\s*)"
    r"(?:\"[^\"]*(?:\"|$)|'[^']*(?:'|$)|[^\s\"'&<>,;}\]]+)",
    re.IGNORECASE,
)
_QUERY = re.compile(r"\?[^\s\"'<>]+")
_CREDENTIALS = re.compile(r"//[^\s/\"'<>]*@")
_OPAQUE = re.compile(r"[A-Za-z0-9_-]{20,}")
_LAST_WORD = re.compile(r"[^\s\"'<>,;]+\Z")


def redacted(text: str) -> str:
    """Return a text without headers that authorise, named secrets, queries, credentials, and long opaque words."""
    text = _HEADER.sub(rf"\1 {REMOVED}", text)
    text = _SCHEME.sub(rf"\1 {REMOVED}", text)
    text = _NAMED.sub(rf"\1{REMOVED}", text)
    text = _QUERY.sub(f"?{REMOVED}", text)
    text = _CREDENTIALS.sub(f"//{REMOVED}@", text)
    return _OPAQUE.sub(REMOVED, text)


def sample_of(url: str, status: int, headers: Mapping[str, str], body: bytes) -> str:
    """Return host, route family (never the query), status, content type and the redacted head of the body.

    `headers` have lower-case names. The word in which the head is cut is left out: it may be the half of a secret.
    """
    head = body[:LIMIT].decode("utf-8", "replace")
    whole = head if len(body) <= LIMIT else _LAST_WORD.sub("", head)
    kind = headers.get("content-type", "no content type")[:100]
    return redacted(f"{host_of(url)} /{family_of(url)} status {status}, {kind}: ") + redacted(whole)
