"""The settings table accepts what it describes, and nothing else."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from py.core.errors import InvalidRequestError
from py.core.settings_table import BY_NAME, DEFAULTS, SETTINGS, validate

ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


def test_every_default_is_valid():
    """A default that its own check refuses would make the first save fail."""
    for setting in SETTINGS:
        validate(setting.name, setting.default)


def test_the_contract_names_these_settings():
    """Other programs rely on these names and defaults."""
    assert DEFAULTS["civitai_api_base"] == "https://civitai.red/api/v1"
    assert DEFAULTS["civarchive_api_base"] == "https://civarchive.com/api"
    assert DEFAULTS["rate_limit_max_wait_seconds"] == 300
    assert DEFAULTS["rate_limit_min_interval_seconds"] == 0.75
    assert DEFAULTS["rate_limit_interactive_max_wait_seconds"] is None
    assert DEFAULTS["batch_import_concurrency"] == 3


@given(name=st.sampled_from(sorted(BY_NAME)), value=ANY_JSON)
def test_any_value_is_accepted_or_refused_with_a_typed_error(name, value):
    """A settings file may hold anything; validation never raises anything but its own error, and is stable."""
    try:
        accepted = validate(name, value)
    except InvalidRequestError:
        return
    assert validate(name, accepted) == accepted


@pytest.mark.parametrize("value", [True, "1", None, math.nan, math.inf, -1, 86_401])
def test_numbers_are_finite_and_in_range(value):
    """True is not 1, and a wait is neither negative nor endless."""
    with pytest.raises(InvalidRequestError):
        validate("rate_limit_max_wait_seconds", value)


@pytest.mark.parametrize("value", [0, 6, 2.5, "3"])
def test_concurrency_is_a_whole_number_from_one_to_five(value):
    """More would only queue at the gate."""
    with pytest.raises(InvalidRequestError):
        validate("batch_import_concurrency", value)


@pytest.mark.parametrize(
    "value",
    [
        "http://civitai.red/api/v1",
        "http://127.0.0.1.evil.example/api",
        "http://localhost@evil.example/",
        "https://user:secret@civitai.red/api",
        "https://civitai.red/api?token=1",
        "ftp://127.0.0.1/",
        "",
    ],
)
def test_a_vendor_address_is_https_or_this_machine(value):
    """A key never travels in the clear, nor to a host that only looks like this machine."""
    with pytest.raises(InvalidRequestError):
        validate("civitai_api_base", value)


@pytest.mark.parametrize(
    "value", ["http://127.0.0.1:8080/api/v1", "http://localhost:1", "http://[::1]:9/x", "https://a.b/c"]
)
def test_a_loopback_vendor_may_be_plain_http(value):
    """Tests and tunnels point Pantry at this machine."""
    assert validate("civitai_api_base", f"{value}/") == value


def test_an_unknown_setting_is_refused_by_name():
    """A typing mistake is told, not swallowed."""
    with pytest.raises(InvalidRequestError, match="rate_limit_gate_enable"):
        validate("rate_limit_gate_enable", True)


def test_one_folder_may_be_written_without_a_list():
    """People write `"loras": "/models/loras"`."""
    assert dict(validate("model_folders", {"loras": "/models/loras"})) == {"loras": ("/models/loras",)}
