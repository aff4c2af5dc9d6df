"""What has to be looked up, and how models are told apart by hash and name."""

from __future__ import annotations

import pytest

from py.core.outcomes import LookupKey
from py.recipes.draft import Draft, LoraUse, ModelUse, OtherUse
from py.recipes.references import reference_key, references
from py.recipes.values import Hash, normalised_name, to_air, to_float, to_hash, to_int, to_name, to_seed, to_size


def test_references_come_in_the_order_of_the_contract():
    """Checkpoint, LoRAs, embeddings, other models, VAE, each with its place."""
    use = {"hash": "0123456789", "hash_type": "autov2"}
    draft = Draft(
        checkpoint=ModelUse(**use),
        loras=(LoraUse(name="no hash"), LoraUse(**use)),
        embeddings=(ModelUse(**use),),
        other_models=(OtherUse(**use),),
        vae=ModelUse(**use),
    )
    assert [(one.role, one.index) for one in references(draft)] == [
        ("checkpoint", 0), ("loras", 1), ("embeddings", 0), ("other_models", 0), ("vae", 0)]  # fmt: skip


@pytest.mark.parametrize(
    ("use", "key"),
    [
        (ModelUse(name="a"), None),
        (ModelUse(model_version_id=5), LookupKey("version_id", "5")),
        (ModelUse(name="a", model_version_id=5), None),
        (ModelUse(name="urn:air:sdxl:lora:civitai:1@5", model_version_id=5), LookupKey("version_id", "5")),
        (ModelUse(model_version_id=5, hash="0" * 64, hash_type="sha256"), LookupKey("version_id", "5")),
        (ModelUse(hash="0" * 64, hash_type="sha256"), LookupKey("sha256", "0" * 64)),
        (ModelUse(hash="0" * 12, hash_type="autov3", aliases={"autov2": "1" * 10}), LookupKey("autov2", "1" * 10)),
        (ModelUse(hash="0" * 8, hash_type="autov1", aliases={"blake3": "1" * 64}), LookupKey("blake3", "1" * 64)),
        (ModelUse(hash="0" * 8, hash_type=None), None),
    ],
)
def test_a_version_id_is_asked_first_and_then_the_best_hash(use, key):
    """A model that the image names fully needs no question, and a hash of unknown kind allows none."""
    assert reference_key(use) == key


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ABCDEF01", Hash("abcdef01", "autov1")),
        ("45A21EA00A", Hash("45a21ea00a", "autov2")),
        ("0123456789ab", Hash("0123456789ab", "autov3")),
        ("f" * 64, Hash("f" * 64, "sha256")),
        ("blake3:" + "E" * 64, Hash("e" * 64, "blake3")),
        ("0x" + "ab" * 32, Hash("ab" * 6, "autov3")),
        ("sha256:" + "a" * 64, Hash("a" * 64, "sha256")),
        ("0123456789abcdef", Hash("0123456789abcdef", None)),
        ("xyz", None),
        ("1234567", None),
        ("", None),
        (None, None),
        (12345678, None),
    ],
)
def test_hashes_are_told_by_prefix_and_length(text, found):
    """Anything else is no hash."""
    assert to_hash(text) == found


def test_airs_give_type_and_ids():
    """With and without urn, with a format behind it; ids only where CivitAI is the source."""
    air = to_air("urn:air:sdxl:lora:civitai:1@22?format=SafeTensor")
    assert (air.ecosystem, air.type, air.model_id, air.version_id) == ("sdxl", "lora", 1, 22)
    assert to_air("sdxl:lora:civitai:1@22").version_id == 22
    assert to_air("urn:air:flux1:checkpoint:huggingface:org/name@main").version_id is None
    assert to_air("urn:air:other") is None


@pytest.mark.parametrize("name", ["a/b\\My Model.safetensors", "MY MODEL.ckpt", "my model", " My Model.GGUF "])
def test_names_are_matched_without_folder_extension_and_case(name):
    """Either slash, and only extensions of model files."""
    assert normalised_name(name) == "my model"
    assert normalised_name("mk0.2") == "mk0.2"


def test_numbers_are_numbers_or_unknown():
    """Never a default."""
    assert [to_int(one) for one in (5, "5", "5.0", 5.0, "", "x", None, True, 5.5, "1e400", "-3")] == [
        5, 5, 5, 5, None, None, None, None, None, None, -3]  # fmt: skip
    assert [to_float(one) for one in (5, ".5", "x", None, True, float("nan"), float("inf"), "1e999", [])] == [
        5.0, 0.5, None, None, None, None, None, None, None]  # fmt: skip
    assert [to_seed(one) for one in (-1, 2**64, 2**64 - 1, "0")] == [None, None, 2**64 - 1, 0]
    assert [to_size(one) for one in ("512x768", "(512, 768)", "1024 x 1024 (square)", "x", 5)] == [
        (512, 768), (512, 768), (1024, 1024), None, None]  # fmt: skip
    assert [to_name(one) for one in (" a ", "None", "", "null", 3)] == ["a", None, None, None, None]
