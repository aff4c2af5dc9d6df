"""The head of an answer is kept for a diagnosis, and nothing in it that could open a door."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from py.net.sample import LIMIT, REMOVED, redacted, sample_of

SECRET = st.text("abcdefABCDEF0123456789", min_size=8, max_size=64)
AROUND = st.text(st.characters(exclude_characters="\"'"), max_size=200)
PLACES = (
    "Authorization: Bearer {}",
    "authorization: {}",
    '{{"Authorization": "Basic {}"}}',
    "Set-Cookie: a={}; Path=/",
    "bearer {}",
    '{{"apiKey": "{}"}}',
    "api_key={}&x=1",
    "'token': '{}'",
    '{{"access_token":"{}","x":1}}',
    '{{"password" : "{} and more"}}',
    "https://civitai.com/api/v1/models?nsfw=true&k={}",
    "https://me:{}@civitai.com/",
)


@pytest.mark.parametrize("place", PLACES)
@given(secret=SECRET, before=AROUND, after=AROUND)
def test_nothing_that_looks_like_a_secret_stays(place, secret, before, after):
    """Wherever in a body a key, token, password or query stands, it is gone."""
    marked = f"zq{secret}qz"
    assert marked not in redacted(f"{before} {place.format(marked)} {after}")


@given(secret=st.text("abcdefABCDEF0123456789_-", min_size=20, max_size=80), before=AROUND, after=AROUND)
def test_long_opaque_words_are_removed_wherever_they_are(secret, before, after):
    """A key that nothing announces is known by its length."""
    assert secret not in redacted(f"{before}{secret}{after}")


@given(st.integers(0, 60), st.sampled_from(["api_key={}", "{}", "Bearer {}", '"token":"{}"']))
def test_no_half_of_a_secret_stays_where_the_head_is_cut(position, place):
    """The word at the cut goes whole."""
    secret = "k9" * 16
    body = "x " * ((LIMIT - position) // 2) + place.format(secret) + " and more" * 30
    assert "k9k9" not in sample_of("https://civitai.com/api/v1/images?token=1", 200, {}, body.encode())


@given(st.binary(max_size=3 * LIMIT))
def test_any_bytes_make_a_short_sample(body):
    """Whatever came, the sample is text of bounded length that says where it came from."""
    sample = sample_of("https://civitai.com/api/v1/images?ids=1&token=abc", 200, {"content-type": "text/html"}, body)
    assert sample.startswith("civitai.com /images status 200, text/html: ")
    assert len(sample) < 6 * LIMIT
    assert "token=abc" not in sample


def test_what_helps_a_diagnosis_stays():
    """Words, tags and plain values are kept."""
    text = '<html><title>Be back in a few minutes</title>{"error": "no items", "id": 7}'
    assert redacted(text) == text
    assert redacted("key: abc") == f"key: {REMOVED}"
