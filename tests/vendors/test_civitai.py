"""CivitAI's addresses and shapes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from py.core.errors import MalformedAnswerError
from py.vendors.civitai import decode, urls
from py.vendors.model_info import ModelInfo
from tests.samples import sample

BASE = "https://civitai.red/api/v1"
SHA = "00112233445566778899aabbccddeeff" * 2


def link(version_id):
    return urls.download(BASE, version_id)


def test_a_version_is_read_into_the_common_shape():
    """Every documented field that Pantry keeps arrives, hashes in lower case, the download address rebuilt."""
    info = decode.version(sample("civitai/version"), link)
    assert (info.version_id, info.model_id, info.name, info.version_name) == (900001, 800001, "Abc Style", "v1.0")
    assert (info.type, info.base_model, info.nsfw, info.nsfw_level) == ("LORA", "Illustrious", False, 5)
    assert info.trained_words == ("abc style",)
    (file,) = info.files
    assert file.hashes == {
        "sha256": SHA,
        "autov1": "1a2b3c4d",
        "autov2": SHA[:10],
        "autov3": "0123456789ab",
        "crc32": "89abcdef",
        "blake3": SHA[::-1],
    }
    assert (file.primary, file.download_url) == (True, "https://civitai.red/api/download/models/900001")
    assert (info.images[0].width, info.images[0].nsfw_level) == (832, 1)


def test_an_archived_version_has_no_files_and_is_still_a_model():
    """Archived models answer without files; what they are called is no less true."""
    info = decode.version(sample("civitai/archived_version"), link)
    assert (info.name, info.files, info.nsfw) == ("Gone Quiet", (), True)


def test_a_page_of_models_gives_every_version_its_models_facts():
    """Tags, creator and description stand once per model and are true of each version."""
    (versions,) = decode.models(sample("civitai/models_page"), link).values()
    assert [one.version_id for one in versions] == [900009, 900001]
    assert {(one.model_id, one.creator, one.tags) for one in versions} == {(800001, "someone", ("style", "anime"))}


def test_image_metadata_is_unwrapped():
    """Look-ups by image id wrap the metadata once more; callers see it plain, and None where there is none."""
    images = decode.images(sample("civitai/images_page"))
    assert images[5000001]["meta"]["prompt"] == "a prompt"
    assert images[5000002]["meta"] is None


def test_the_common_shape_survives_storage():
    """What is written to the cache reads back as the same value."""
    info = decode.version(sample("civitai/version"), link)
    assert ModelInfo.from_json(info.to_json()) == info


@pytest.mark.parametrize(
    "change",
    [{"id": None}, {"id": 0}, {"id": "x"}, {"id": 2**31}, {"modelId": True}, {"model": None}, {"model": {"name": ""}}],
)
def test_a_version_without_its_required_fields_is_not_believed(change):
    """Ids and the model's name are what a fact needs; without them the answer is malformed."""
    with pytest.raises(MalformedAnswerError):
        decode.version({**sample("civitai/version"), **change}, link)


@pytest.mark.parametrize("body", [None, [], "text", 3, {"error": "x"}, {"items": {}}])
def test_other_shapes_are_malformed_everywhere(body):
    """An error body, a page or nothing is never read as a model."""
    for read in (decode.version, decode.models, decode.model):
        with pytest.raises(MalformedAnswerError):
            read(body, link)
    with pytest.raises(MalformedAnswerError):
        decode.images(body)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
FIELDS = sorted(sample("civitai/version"))


@settings(max_examples=60)
@given(st.dictionaries(st.sampled_from(FIELDS), json_values, max_size=6))
def test_junk_in_any_field_is_either_ignored_or_malformed(junk):
    """Whatever a field holds, reading ends in the common shape or in `MalformedAnswerError`."""
    try:
        info = decode.version({**sample("civitai/version"), **junk}, link)
    except MalformedAnswerError:
        return
    assert isinstance(info.version_id, int)
    assert all(isinstance(one, str) for one in (*info.trained_words, info.name))


def test_addresses():
    """Bulk routes carry what the documentation asks for."""
    assert urls.models_by_ids(BASE, [1, 2]) == f"{BASE}/models?ids=1,2&nsfw=true&limit=100"
    assert urls.images_by_ids(BASE, [3]) == f"{BASE}/images?ids=3&nsfw=X&withMeta=true&limit=100"
    assert urls.version_by_hash(BASE, "a/b") == f"{BASE}/model-versions/by-hash/a%2Fb"
    assert urls.host_of("http://127.0.0.1:81/api/v1") == "127.0.0.1:81"
    assert urls.page(7, 9) == "https://civitai.com/models/7?modelVersionId=9"
