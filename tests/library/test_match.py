"""Which file a recipe means."""

from __future__ import annotations

import pytest

from py.library.library import Library
from py.library.match import family, find_file
from py.storage.database import Database
from tests.doubles.fake_clock import FakeClock

from .files import safetensors


@pytest.fixture
async def find(tmp_path):
    """Scan a library of LoRAs and checkpoints; return how to look for a file."""
    folders = {"loras": tmp_path / "loras", "checkpoints": tmp_path / "checkpoints"}
    hashes = safetensors(folders["loras"] / "unique.safetensors", {"modelspec.architecture": "flux-1-dev/lora"})
    safetensors(folders["loras"] / "a" / "twice.safetensors", weights=b"one")
    safetensors(folders["loras"] / "b" / "twice.safetensors", weights=b"two")
    safetensors(folders["loras"] / "copy.safetensors", weights=b"same")
    safetensors(folders["checkpoints"] / "base.safetensors")
    database = await Database.open(tmp_path / "pantry.sqlite")
    library = Library(database, lambda: {kind: (path,) for kind, path in folders.items()}, FakeClock())
    await library.scan()
    (file,) = await library.store.by_name("unique")
    await library.hashed(file)

    async def find(role, base_model=None, **use):
        found = await database.read(lambda connection: find_file(connection, role, use, base_model))
        return found and found.file_name

    find.hashes = hashes
    yield find
    await library.close()
    await database.close()


async def test_a_hash_names_one_file(find):
    """Any hash that the use gives will do, its aliases too; a hash that is not here is another file."""
    for kind in ("sha256", "autov2", "autov3"):
        assert await find("loras", hash=find.hashes[kind], hash_type=kind) == "unique.safetensors"
    assert await find("loras", name="other", aliases={"autov3": find.hashes["autov3"]}) == "unique.safetensors"
    assert await find("loras", name="unique", hash="0" * 10, hash_type="autov2") is None


async def test_a_name_names_one_file_of_its_role(find):
    """Folder, ending and case do not matter; the role and being the only one do."""
    assert await find("loras", name="styles\\Unique.safetensors") == "unique.safetensors"
    assert await find("loras", name="twice") is None
    assert await find("loras", name="base") is None
    assert await find("checkpoint", name="base.safetensors") == "base.safetensors"


async def test_a_name_of_another_family_is_another_model(find):
    """A LoRA for Flux is not the one of an SDXL picture."""
    assert await find("loras", "SDXL 1.0", name="unique") is None
    assert await find("loras", "Flux.1 D", name="unique") == "unique.safetensors"
    assert await find("loras", "A base nobody knows", name="unique") == "unique.safetensors"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SDXL 1.0", "sdxl"), ("Illustrious", "sdxl"), ("Pony", "sdxl"), ("stable-diffusion-xl-v1-base/lora", "sdxl"),
        ("SD 1.5", "sd1"), ("sd_v1", "sd1"), ("Flux.1 S", "flux"), ("Wan Video 2.2", "wan"), ("Other", None), (None, None),
    ],
)  # fmt: skip
def test_families_are_told_apart(text, expected):
    """Vendors and trainers write the same base model in many ways."""
    assert family(text) == expected
