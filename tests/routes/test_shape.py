"""Check what callers send."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from py.core.errors import InvalidRequestError
from py.routes.shape import Field, limit_field, read_body, read_query, schema

TEXT = Field(name="q", help="", longest=5)
NUMBER = Field(name="n", kind="int", help="", minimum=1)
FLAG = Field(name="on", kind="bool", help="")
MANY = Field(name="tag", kind="strings", help="")
MAYBE = Field(name="rating", kind="int", nullable=True, minimum=0, maximum=5, help="")
FIELDS = (TEXT, NUMBER, FLAG, MANY, MAYBE)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def test_a_query_has_every_field():
    """Handlers find every field, at its default where the caller says nothing."""
    assert read_query(FIELDS, []) == {"q": None, "n": None, "on": None, "tag": (), "rating": None}


def test_a_query_is_turned_into_its_kinds():
    """Text becomes numbers, flags and lists; the last of a repeated single value counts."""
    pairs = [("q", "a"), ("q", "b"), ("n", "3"), ("on", "TRUE"), ("tag", "x"), ("tag", "y"), ("other", "z")]
    assert read_query(FIELDS, pairs) == {"q": "b", "n": 3, "on": True, "tag": ("x", "y"), "rating": None}


def test_a_limit_is_capped_instead_of_refused():
    """Asking for too many gives as many as there may be."""
    assert read_query([limit_field(50, 500)], [("limit", "99999")]) == {"limit": 500}


@pytest.mark.parametrize(
    "pair", [("n", "x"), ("n", "0"), ("n", "1.5"), ("n", "nan"), ("n", "inf"), ("on", "maybe"), ("q", "sixsix")]
)
def test_a_query_that_does_not_fit_is_refused(pair):
    """The caller hears which field and what it takes."""
    with pytest.raises(InvalidRequestError, match=f"^{pair[0]} must be "):
        read_query(FIELDS, [pair])


@pytest.mark.parametrize(
    "body",
    [
        [],
        "x",
        None,
        {"nope": 1},
        {"n": True},
        {"n": "1"},
        {"on": 1},
        {"tag": "x"},
        {"tag": [1]},
        {"q": "\0"},
        {"q": None},
    ],
)
def test_a_body_that_does_not_fit_is_refused(body):
    """JSON types are not guessed at, and a field that nobody knows is a mistake to hear of."""
    with pytest.raises(InvalidRequestError):
        read_body(FIELDS, body)


def test_a_body_keeps_only_what_was_sent():
    """PATCH must tell null from absent."""
    assert read_body(FIELDS, {"rating": None, "tag": ["x"]}) == {"rating": None, "tag": ("x",)}


def test_a_needed_field_is_asked_for():
    """What is required and absent is named."""
    with pytest.raises(InvalidRequestError, match="q is needed"):
        read_body([Field(name="q", help="", required=True)], {})


@given(st.lists(st.tuples(st.sampled_from([one.name for one in FIELDS]), st.text())))
def test_any_query_is_taken_or_refused(pairs):
    """No text makes anything but an answer or an InvalidRequestError."""
    with suppress(InvalidRequestError):
        read_query(FIELDS, pairs)


@given(JSON)
def test_any_body_is_taken_or_refused(data):
    """No JSON makes anything but an answer or an InvalidRequestError."""
    with suppress(InvalidRequestError):
        read_body(FIELDS, data)


def test_the_schema_says_what_the_check_does():
    """OpenAPI gets bounds, choices and null from the same field."""
    assert schema(MAYBE) == {"type": ["integer", "null"], "minimum": 0, "maximum": 5}
    assert schema(Field(name="f", help="", choices=("a", "b"))) == {"type": "string", "enum": ["a", "b"]}
    levels = Field(name="f", help="", kind="int", nullable=True, choices=(1, 2))
    assert schema(levels) == {"type": ["integer", "null"], "enum": [1, 2, None]}
