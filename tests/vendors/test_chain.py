"""Who is asked next."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from py.core.outcomes import AbsentConfirmed, Found, LookupKey, Malformed, RateLimited, Unauthorised, Unreachable
from py.vendors.chain import Answered, Ask, Circumstances, Stop, next_step
from py.vendors.model_info import ModelInfo

SHA = LookupKey("sha256", "a" * 64)
SHORT = LookupKey("autov2", "a" * 10)
INFO = ModelInfo(version_id=1, model_id=2, name="x")
ALL = Circumstances(civarchive_enabled=True, archive_available=True)
REFUSED, DOWN = RateLimited("c", 5.0), Unreachable("c", None, "no route")
NO_KEY, BROKEN = Unauthorised("c", "bad key"), Malformed("c", "html")
MISS, ARCHIVE_MISS = AbsentConfirmed(("civitai",)), AbsentConfirmed(("civarchive",))


def follow(key, answers, now=ALL):
    """Play the chain with each provider's scripted answer; return who was asked and the end."""
    answered = []
    while isinstance(step := next_step(key, answered, now), Ask):
        answered.append(Answered(step.provider, answers[step.provider]))
    return [one.provider for one in answered], step.outcome


@pytest.mark.parametrize("unknown", [REFUSED, DOWN, NO_KEY, BROKEN])
def test_no_other_vendor_is_asked_after_anything_but_a_miss(unknown):
    """A refusal, an outage, a bad key and a broken answer go to the local archive alone, and stay what they are."""
    asked, end = follow(SHA, {"civitai": unknown, "archive_db": AbsentConfirmed(("archive_db",))})
    assert asked == ["civitai", "archive_db"]
    assert end == unknown


def test_a_confirmed_miss_opens_civarchive_then_the_archive():
    """Only CivitAI's "not found" sends the question on."""
    answers = {"civitai": MISS, "civarchive": ARCHIVE_MISS, "archive_db": AbsentConfirmed(("archive_db",))}
    assert follow(SHA, answers) == (["civitai", "civarchive", "archive_db"], AbsentConfirmed(("civitai", "civarchive")))


def test_civarchive_is_asked_for_whole_hashes_only():
    """A short hash can never match there."""
    assert follow(SHORT, {"civitai": MISS, "archive_db": ARCHIVE_MISS})[0] == ["civitai", "archive_db"]


def test_civarchive_helps_out_when_civitai_is_long_out_of_reach():
    """The guard at its cap opens CivArchive; its miss proves nothing about CivitAI."""
    now = Circumstances(civarchive_enabled=True, archive_available=False, civitai_long_down=True)
    assert follow(SHA, {"civitai": DOWN, "civarchive": Found(INFO, "civarchive")}, now)[1].source == "civarchive"
    assert follow(SHA, {"civitai": DOWN, "civarchive": ARCHIVE_MISS}, now)[1] == DOWN
    assert follow(SHA, {"civitai": REFUSED}, now) == (["civitai"], REFUSED)


def test_a_refusing_civarchive_leaves_the_question_open():
    """What CivArchive could still tell is waited for; long silence is not."""
    closed = RateLimited("archive", 9.0)
    now = Circumstances(civarchive_enabled=True, archive_available=False)
    assert follow(SHA, {"civitai": MISS, "civarchive": closed}, now)[1] == closed
    assert follow(SHA, {"civitai": MISS, "civarchive": DOWN}, now)[1] == DOWN
    gone = Circumstances(civarchive_enabled=True, archive_available=False, civarchive_long_down=True)
    assert follow(SHA, {"civitai": MISS, "civarchive": DOWN}, gone)[1] == MISS


outcomes = st.sampled_from([MISS, ARCHIVE_MISS, REFUSED, DOWN, NO_KEY, BROKEN, Found(INFO, "x")])


@given(
    st.sampled_from([SHA, SHORT, LookupKey("version_id", "1")]),
    st.fixed_dictionaries({"civitai": outcomes, "civarchive": outcomes, "archive_db": outcomes}),
    st.builds(
        Circumstances,
        civarchive_enabled=st.booleans(),
        archive_available=st.booleans(),
        civitai_long_down=st.booleans(),
        civarchive_long_down=st.booleans(),
    ),
)
def test_the_laws_of_the_chain(key, answers, now):
    """Nobody is asked twice; absence needs CivitAI's own word; a refusal reaches nobody's network."""
    asked, end = follow(key, answers, now)
    assert len(asked) == len(set(asked)) <= 3
    if isinstance(end, AbsentConfirmed):
        assert isinstance(answers["civitai"], AbsentConfirmed)
    if answers["civitai"] == REFUSED:
        assert "civarchive" not in asked
    if isinstance(end, Found):
        assert any(isinstance(answers[one], Found) for one in asked)


def test_stop_is_final():
    """Once found, nobody else is asked."""
    assert next_step(SHA, [Answered("civitai", Found(INFO, "civitai"))], ALL) == Stop(Found(INFO, "civitai"))
