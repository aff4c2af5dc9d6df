"""What model files say about themselves."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from py.library.headers import HeaderFacts, read_header

from .files import gguf, safetensors


def test_a_safetensors_header_tells_name_base_words_and_hash(tmp_path):
    """The author's own words first; the trainer's AutoV3 is taken over."""
    told = {
        "modelspec.title": "My Style",
        "modelspec.architecture": "stable-diffusion-xl-v1-base/lora",
        "modelspec.trigger_phrase": "mystyle, painting",
        "ss_network_dim": "32",
        "sshs_model_hash": "AB" * 32,
    }
    safetensors(tmp_path / "a.safetensors", told)
    facts = read_header(tmp_path / "a.safetensors")
    assert (facts.title, facts.base_model, facts.trained_words) == (
        "My Style",
        "stable-diffusion-xl-v1-base/lora",
        ("mystyle", "painting"),
    )
    assert (facts.training, facts.autov3) == ({"network_dim": "32"}, "ab" * 6)


def test_the_most_frequent_tags_stand_in_for_trigger_words(tmp_path):
    """Where the author names none, the training's own counts do."""
    tags = {"10_style": {"blue": 3, "cat": 9}, "5_more": {"blue": 7, "dog": 1}}
    safetensors(tmp_path / "a.safetensors", {"ss_tag_frequency": json.dumps(tags)})
    assert read_header(tmp_path / "a.safetensors").trained_words == ("blue", "cat", "dog")


def test_the_hash_of_nothing_is_no_hash(tmp_path):
    """Some trainers write the SHA256 of an empty string."""
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    safetensors(tmp_path / "a.safetensors", {"sshs_model_hash": empty, "modelspec.hash_sha256": "0x" + "cd" * 32})
    assert read_header(tmp_path / "a.safetensors").autov3 == "cd" * 6


def test_a_gguf_head_tells_name_and_architecture(tmp_path):
    """Text values are read, others passed over."""
    gguf(tmp_path / "a.gguf", general__architecture="flux", general__name="Flux Dev")
    facts = read_header(tmp_path / "a.gguf")
    assert (facts.title, facts.base_model, facts.format) == ("Flux Dev", "flux", "gguf")


@pytest.mark.parametrize(
    "content", [b"", b"short", b"PK\x03\x04" * 50, b"\xff" * 64, b"\x02\0\0\0\0\0\0\0[]", b"GGUF" + b"\xff" * 40]
)
def test_a_file_of_another_kind_says_nothing(tmp_path, content):
    """Pickles, broken and empty files are no error."""
    (tmp_path / "x.ckpt").write_bytes(content)
    facts = read_header(tmp_path / "x.ckpt")
    assert (facts.title, facts.base_model, facts.trained_words, facts.autov3) == (None, None, (), None)
    assert read_header(tmp_path / "missing.ckpt") == HeaderFacts()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.one_of(st.binary(max_size=200), st.binary(max_size=80).map(lambda tail: b"GGUF\x03\0\0\0" + tail)))
def test_no_bytes_raise(tmp_path, content):
    """Whatever a file holds, reading its header ends."""
    (tmp_path / "x.gguf").write_bytes(content)
    assert isinstance(read_header(tmp_path / "x.gguf"), HeaderFacts)
