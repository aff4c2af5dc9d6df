"""What an outcome makes of what is known."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from py.core.outcomes import AbsentConfirmed, Found, Malformed, RateLimited, Unauthorised, Unreachable
from py.library.states import Knowledge, ModelState, learned, quality
from py.vendors.model_info import ModelInfo

INFO = ModelInfo(version_id=1, model_id=2, name="From CivitAI", source="civitai")
COPY = replace(INFO, name="From an archive", source="civarchive")
MISS = AbsentConfirmed(("civitai", "civarchive"))
UNKNOWN = [RateLimited("h", 9.0), Unreachable("h", None, "x"), Unauthorised("h", "x"), Malformed("h", "x")]
ALL = [Found(INFO, "civitai"), Found(COPY, "civarchive", ("civitai",)), Found(COPY, "civarchive"), MISS, *UNKNOWN]


def after(*outcomes, known=None):
    known = known or Knowledge()
    for outcome in outcomes:
        known = learned(known, outcome, 100.0)
    return known


def test_a_hit_describes_and_a_miss_marks():
    """CivitAI's hit is synced, an archive's is a copy, a miss is absent."""
    assert after(ALL[0]).state is ModelState.SYNCED
    copy = after(ALL[1])
    assert (copy.state, copy.civitai_deleted, copy.metadata.name) == (ModelState.ARCHIVED_COPY, True, "From an archive")
    gone = after(MISS)
    assert (gone.state, gone.civitai_deleted, gone.metadata) == (ModelState.ABSENT, True, None)


def test_a_later_hit_heals_the_mark():
    """CivitAI's own word takes the deletion back."""
    assert after(MISS, ALL[0]).civitai_deleted is False


def test_what_is_lost_at_civitai_keeps_its_description():
    """A miss after a hit marks the model and keeps what is known of it."""
    known = after(ALL[0], MISS)
    assert (known.state, known.civitai_deleted, known.metadata) == (ModelState.ARCHIVED_COPY, True, INFO)


def test_being_put_off_says_who_and_when():
    """A model that nobody has described waits; one that is described stays what it is."""
    assert after(UNKNOWN[0]) == Knowledge(state=ModelState.WAITING, host="h", retry_at=9.0)
    assert after(ALL[0], UNKNOWN[0]).state is ModelState.SYNCED


@given(st.lists(st.sampled_from(ALL), max_size=8))
def test_the_laws_hold_whatever_happens(outcomes):
    """Quality never falls; only a confirmed miss marks; no trouble changes a fact."""
    known = Knowledge()
    for outcome in outcomes:
        before, known = known, learned(known, outcome, 100.0)
        assert quality(known.metadata_source) >= quality(before.metadata_source)
        if known.civitai_deleted and not before.civitai_deleted:
            assert "civitai" in getattr(outcome, "absent_from", ()) + getattr(outcome, "sources", ())
        if outcome in UNKNOWN:
            assert (known.metadata, known.civitai_deleted, known.checked_at) == (
                before.metadata, before.civitai_deleted, before.checked_at,
            )  # fmt: skip
