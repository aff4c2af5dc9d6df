"""How long a vendor asks us to wait, in every spelling, and in none."""

from __future__ import annotations

import math
from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from py.net.retry_after import requested_delay

NOW = 1_800_000_000.0  # Fri, 15 Jan 2027 08:00:00 GMT
DATE = {"date": "Fri, 15 Jan 2027 08:00:00 GMT"}


def delay(ceiling=86_400.0, now=NOW, **headers):
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return requested_delay(names, received_wall=now, ceiling=ceiling)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120),
        (" 120 ", 120),
        ("\t7", 7),
        ("007", 7),
        ("0.493", 1),
        ("30.0", 30),
        ("30.2", 31),
        (".5", 1),
        ("86399", 86_399),
        ("30, 30", 30),
        ("30, 90", 90),
        ("30, soon", 30),
        ("Fri, 15 Jan 2027 08:01:00 GMT", 60),
        ("Friday, 15-Jan-27 08:01:00 GMT", 60),
        ("Fri Jan 15 08:01:00 2027", 60),
        ("Fri, 15 Jan 2027 08:01:00 -0000", 60),
        ("Fri, 15 Jan 2027 08:01:00", 60),
        ("Fri, 15 Jan 2027 09:01:00 +0100", 60),
        ("Fri, 15 Jan 2027 08:01:00 GMT, Fri, 15 Jan 2027 08:02:00 GMT", 120),
    ],
)
def test_every_spelling_of_retry_after(value, seconds):
    """Seconds, decimals rounded up, the three date forms of RFC 9110 §5.6.7, repeats: the longest counts."""
    assert delay(retry_after=value) == seconds


@pytest.mark.parametrize(
    "value",
    [
        "", "0", "0.0", "-1", "-0", "+120", "nan", "inf", "Infinity", "1e9", "1_000", "١٢", "²", "1m0s", "soon", "0x10",
        "86400", "9999999999", "9" * 5000, "120 seconds", "Fri, 15 Jan 2027 07:59:00 GMT", "Fri, 15 Jan 2027 08:00:00 GMT",
        "Fri, 31 Feb 2027 08:00:00 GMT", "Fri, 15 Jan 99999 08:00:00 GMT", "Sat, 16 Jan 2027 08:00:00 GMT", "\x00", "30;31",
    ],
)  # fmt: skip
def test_what_cannot_be_believed_counts_as_not_said(value):
    """Zero, negative, junk, the past, and anything at or above the ceiling leave it to the ladder."""
    assert delay(retry_after=value) is None


def test_a_date_is_measured_against_the_answers_own_date():
    """A local clock that is two hours off changes nothing."""
    value = "Fri, 15 Jan 2027 08:01:00 GMT"

    assert delay(retry_after=value, now=NOW - 7200, **DATE) == 60
    assert delay(retry_after=value, now=NOW + 7200, **DATE) == 60
    assert delay(retry_after=value, now=NOW - 30) == 90


def test_milliseconds_come_first():
    """`retry-after-ms` is more exact than Retry-After."""
    assert delay(retry_after_ms="1500", retry_after="2") == 1.5
    assert delay(retry_after_ms="junk", retry_after="2") == 2


@pytest.mark.parametrize(
    ("header", "value", "seconds"),
    [
        ("ratelimit", '"api";r=0;t=55', 55),
        ("ratelimit", '"burst";r=3;t=5, "daily";r=0;t=900', 900),
        ("ratelimit", '"a";r=1;t=5, "b";r=2;t=9', 9),
        ("ratelimit", "limit=100, remaining=0, reset=50", 50),
        ("ratelimit-reset", "30", 30),
        ("ratelimit-policy", '"fixed window";"api";q=500;w=300', 300),
        ("ratelimit-policy", '"b";q=5;w=10, "d";q=900;w=3600', 10),
        ("x-ratelimit-reset", "30", 30),
        ("x-ratelimit-reset", str(int(NOW + 42)), 42),
        ("x-ratelimit-reset", str(int((NOW + 42) * 1000)), 42),
        ("x-rate-limit-reset", str(int(NOW + 42)), 42),
        ("x-ratelimit-reset", str(int(NOW - 42)), None),
        ("x-ratelimit-reset", "junk", None),
        ("ratelimit", '"api";r=0;t=junk', None),
    ],
)
def test_the_other_fields(header, value, seconds):
    """IETF drafts of both generations, and resets as epoch, milliseconds or delta; a past epoch is not 57 years."""
    assert requested_delay({header: value, **DATE}, received_wall=NOW, ceiling=86_400) == seconds


def test_retry_after_wins_over_the_other_fields():
    """The standard field is the vendor's word."""
    assert delay(retry_after="5", ratelimit='"a";r=0;t=55', x_ratelimit_reset="99") == 5


def test_the_ceiling_is_a_setting():
    """At it a wait is absurd, just below it is a wait."""
    assert delay(ceiling=60, retry_after="60") is None
    assert delay(ceiling=60, retry_after="59") == 59


@given(st.dictionaries(
    st.sampled_from(["retry-after", "retry-after-ms", "ratelimit", "ratelimit-policy", "x-ratelimit-reset", "date"]),
    st.text(max_size=60) | st.from_regex(r"[-+0-9.,;=a-zT: ]{0,40}", fullmatch=True),
))  # fmt: skip
def test_no_header_raises_or_yields_nonsense(headers):
    """Whatever a vendor sends, the answer is None or a wait between 0 and the ceiling."""
    found = requested_delay(headers, received_wall=NOW, ceiling=86_400)

    assert found is None or (math.isfinite(found) and 0 < found < 86_400)


@given(st.integers(1, 86_399))
def test_seconds_and_dates_say_the_same(seconds):
    """The two forms of one wait are one wait."""
    as_date = formatdate(NOW + seconds, usegmt=True)

    assert delay(retry_after=str(seconds)) == seconds == delay(retry_after=as_date, **DATE)


@given(st.floats(0.001, 80_000))
def test_a_named_wait_is_never_shortened(seconds):
    """Decimals round up."""
    assert delay(retry_after=f"{seconds:.3f}") >= float(f"{seconds:.3f}")
