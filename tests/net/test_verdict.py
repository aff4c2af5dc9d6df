"""What an answer means."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from py.core.ports import Response
from py.net.verdict import Kind, judge


def answer(status, body=b"", **headers):
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(
        status=status, headers=names, body=raw, url="https://x/", received_monotonic=0.0, received_wall=1_800_000_000.0
    )


def meaning(status, body=b"", wants="json", **headers):
    return judge(answer(status, body, **headers), ceiling=86_400, wants=wants)


@pytest.mark.parametrize(
    ("status", "body", "headers", "kind"),
    [
        (200, {"id": 1}, {}, Kind.OK),
        (200, [], {}, Kind.OK),
        (200, {"files": [], "models": []}, {}, Kind.OK),
        (200, b"<html>", {}, Kind.MALFORMED),
        (200, b"", {}, Kind.MALFORMED),
        (200, b'{"id": 90', {}, Kind.MALFORMED),
        (200, b"\xff\xfe", {}, Kind.MALFORMED),
        (200, {"error": "something"}, {}, Kind.MALFORMED),
        (200, {"error": "rate limit", "retry_after": 20}, {}, Kind.RATE_LIMITED),
        (302, b"", {"location": "/x"}, Kind.REDIRECT),
        (400, {"error": "bad"}, {}, Kind.REFUSED),
        (401, {"error": "Unauthorized"}, {}, Kind.UNAUTHORISED),
        (401, b"<html>login</html>", {}, Kind.UNAUTHORISED),
        (403, {"error": "Early Access"}, {}, Kind.UNAUTHORISED),
        (403, b"<html>Just a moment</html>", {}, Kind.CHALLENGE),
        (403, b"error code: 1020", {}, Kind.CHALLENGE),
        (403, {"error": "x"}, {"cf_mitigated": "challenge"}, Kind.CHALLENGE),
        (404, {"error": "Model not found"}, {}, Kind.NOT_FOUND),
        (404, b"<html>nginx</html>", {}, Kind.MALFORMED),
        (404, b"", {}, Kind.MALFORMED),
        (410, {"error": "Model archived"}, {}, Kind.GONE),
        (451, {"code": "REGION_BLOCKED"}, {}, Kind.REGION_BLOCKED),
        (418, b"", {}, Kind.REFUSED),
        (429, {"error": "slow down"}, {}, Kind.RATE_LIMITED),
        (429, b"", {}, Kind.RATE_LIMITED),
        (429, {"error": "You've requested too many pages, please use cursors instead"}, {}, Kind.REFUSED),
        (429, {"error": "We've noticed an unusual amount of downloading from your account."}, {}, Kind.QUOTA),
        (500, {"error": {}}, {}, Kind.TRANSIENT),
        (503, b"<html>", {}, Kind.TRANSIENT),
        (503, {"error": "busy"}, {"retry_after": "2"}, Kind.PAUSED),
        (502, b"", {"retry_after": "2"}, Kind.TRANSIENT),
        (524, b"<html>", {}, Kind.TRANSIENT),
        (599, b"", {}, Kind.TRANSIENT),
    ],
)
def test_each_answer_means_one_thing(status, body, headers, kind):
    """Status first, then the body: the whole table of docs/rate-limits.md."""
    assert meaning(status, body, **headers).kind is kind


@pytest.mark.parametrize(
    ("body", "seconds"),
    [
        ({"error": "You've hit our hourly API limit. Try again in about 42 minutes."}, 2520),
        ({"message": "try again in 1 hour"}, 3600),
        ({"detail": "Retry after 30 seconds"}, 30),
        ({"retry_after": 77}, 77),
        ({"retryAfterSeconds": 5}, 5),
        ({"retry_after": True}, None),
        ({"retry_after": -4}, None),
        ({"retry_after": 1e12}, None),
        (b"<table>in about 42 minutes</table>", 2520),
        ({"error": "slow down"}, None),
    ],
)
def test_a_wait_named_in_the_body_is_read_where_no_header_names_one(body, seconds):
    """CivArchive says it in words."""
    assert meaning(429, body).delay == seconds
    assert meaning(429, body, retry_after="9").delay == 9


def test_a_page_is_no_file():
    """A login page is not stored as a model; any other bytes are."""
    assert meaning(200, b"<html>login</html>", wants="bytes").kind is Kind.MALFORMED
    assert meaning(206, b"\x00\x01", wants="bytes").kind is Kind.OK
    assert meaning(200, b"", wants="headers", content_type="text/html").kind is Kind.OK


@given(st.integers(100, 599), st.binary(max_size=80), st.text(max_size=20))
def test_no_answer_raises(status, body, value):
    """Whatever comes over the wire has a meaning."""
    found = meaning(status, body, retry_after=value, content_type=value)

    assert isinstance(found.kind, Kind)
    assert len(found.detail) <= 200
