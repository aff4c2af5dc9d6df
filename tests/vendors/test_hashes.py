"""How hashes are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from py.core.outcomes import LookupKey
from py.vendors.hashes import LENGTHS, contradicts, hashes_of, normalised

SHA = "0123456789abcdef" * 4


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("sha256", SHA.upper(), SHA),
        ("sha256", f" 0x{SHA} ", SHA),
        ("sha256", SHA[:10], None),
        ("autov2", SHA[:10], SHA[:10]),
        ("autov3", SHA, SHA[:12]),
        ("crc32", "89ABCDEF", "89abcdef"),
        ("crc32", "89ABCDEG", None),
        ("md5", SHA, None),
        ("sha256", None, None),
        ("autov1", "١٢٣٤٥٦٧٨", None),
    ],
)
def test_a_hash_is_normalised_or_nothing(kind, value, expected):
    """Lower case, right length, hex; anything else is no hash."""
    assert normalised(kind, value) == expected


@given(st.sampled_from(sorted(LENGTHS)), st.text(max_size=70))
def test_normalising_twice_changes_nothing(kind, value):
    """What came out once comes out the same again."""
    once = normalised(kind, value)
    assert once is None or normalised(kind, once) == once


def test_the_autov2_follows_from_the_sha256():
    """CivitAI may leave the AutoV2 out; it is the first ten digits."""
    assert hashes_of({"SHA256": SHA}) == {"sha256": SHA, "autov2": SHA[:10]}
    assert hashes_of([SHA]) == {}


def test_only_a_whole_hash_can_contradict():
    """An answer whose files all have other SHA256s is about another model; short or missing hashes prove nothing."""
    asked = LookupKey("sha256", SHA)
    assert contradicts(asked, [{"sha256": "f" * 64}])
    assert not contradicts(asked, [{"sha256": "f" * 64}, {"sha256": SHA}])
    assert not contradicts(asked, [{"autov2": "f" * 10}])
    assert not contradicts(LookupKey("autov2", SHA[:10]), [{"sha256": "f" * 64}])
