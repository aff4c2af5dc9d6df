"""Which files are hashed next, and what recipes gain by it."""

from __future__ import annotations

import asyncio
import hashlib
import sys
import zlib
from types import SimpleNamespace

import pytest

from py.library.hash_queue import HashJob, next_jobs
from py.library.library import Library
from py.recipes import store_rows
from py.services.recipe_healer import RecipeHealer
from py.storage.database import Database
from tests.doubles.fake_clock import FakeClock

from .files import safetensors


class Silent:
    def publish(self, _kind, _data):
        """Drop the event."""


class Shelf:
    """A library of LoRAs and the recipes that name them."""

    def __init__(self, database, folder):
        self.database, self.folder = database, folder
        clock = FakeClock()
        self.library = Library(database, lambda: {"loras": (folder,)}, clock, changed=self._changed)
        self.healer = RecipeHealer(database, clock=clock, sink=Silent(), looked=self.library.hasher.look_again)

    def _changed(self, numbers):
        self.healer.models_changed(numbers)

    async def have(self, **weights):
        """Put files in place and scan them; return their bytes by name."""
        for name, content in weights.items():
            safetensors(self.folder / f"{name}.safetensors", weights=content)
        await self.library.scan()
        return {name: (self.folder / f"{name}.safetensors").read_bytes() for name in weights}

    async def recipe_names(self, name, hash_type=None, hash_=None, **aliases):
        """Store a recipe that uses one LoRA nobody knows."""
        use = {"name": name, "hash": hash_, "hash_type": hash_type, "aliases": aliases, "state": "absent"}
        use |= dict.fromkeys(("base_model", "vendor_name", "model_version_id"))
        nothing = {"prompt": "", "negative_prompt": "", "checkpoint": None, "embeddings": [], "vae": None, "source": {}}
        body = {**nothing, "loras": [use], "other_models": [], "base_model": None}
        recipe = store_rows.NewRecipe(id=f"r{name}", title="", created_at=1.0, body=body)
        async with self.database.transaction() as tx:
            await tx.run(lambda connection: store_rows.insert(connection, recipe))
        self.healer.recipes_added([recipe.id])

    async def jobs(self):
        """Return the queue's names and kinds."""
        jobs = await self.database.read(next_jobs)
        files = {one.number: one for one in await self.library.store.files([job.number for job in jobs])}
        return [(files[job.number].name, set(job.kinds)) for job in jobs]

    async def hash_all(self):
        """Hash in the background to the end, and heal."""
        self.library.start_hashing()
        await self.library.hasher._background.settled()
        await self.healer.settled()

    async def come_to_rest(self):
        """Let what recipes set going in the background end."""
        await self.healer.settled()
        await self.library.hasher._background.settled()

    async def absent(self):
        """Return how many models of recipes nobody has."""
        return (await self.database.fetch_one("SELECT SUM(absent) FROM recipes"))[0]


@pytest.fixture
async def shelf(tmp_path):
    database = await Database.open(tmp_path / "pantry.sqlite")
    (tmp_path / "loras").mkdir()
    shelf = Shelf(database, tmp_path / "loras")
    yield shelf
    await shelf.library.close()
    await shelf.healer.close()
    await database.close()


async def test_small_files_come_first(shelf):
    """Without recipes the size decides."""
    await shelf.have(a=b"x" * 30, b=b"x" * 10, c=b"x" * 20)
    assert await shelf.jobs() == [("b", set()), ("c", set()), ("a", set())]


async def test_what_a_recipe_names_by_its_only_name_comes_first(shelf):
    """A name that two files have says nothing, and neither does a recipe whose model is known."""
    await shelf.have(a=b"x" * 30, b=b"x" * 10, c=b"x" * 20)
    safetensors(shelf.folder / "other" / "c.safetensors", weights=b"y" * 40)
    await shelf.library.scan()
    await shelf.recipe_names("a.safetensors")
    await shelf.recipe_names("c.safetensors")
    assert [name for name, _ in await shelf.jobs()] == ["a", "b", "c", "c"]


async def test_a_file_found_by_its_crc32_completes_the_recipe(shelf):
    """The file was hashed before the recipe came; its CRC32 is made now, once."""
    files = await shelf.have(a=b"one", b=b"two")
    await shelf.hash_all()
    crc = f"{zlib.crc32(files['a']):08x}"
    shelf.library.hasher.pause()  # or it may be done before we look
    await shelf.recipe_names("a.safetensors", "crc32", crc)
    assert await shelf.jobs() == [("a", {"crc32"})]
    shelf.library.hasher.resume()
    await shelf.healer.settled()
    await shelf.hash_all()
    assert await shelf.absent() == 0
    found = {one.name: one.hashes.get("crc32") for one in await shelf.library.store.files([1, 2])}
    assert found == {"a": crc, "b": None}


async def test_a_new_recipe_wakes_the_hashing(shelf):
    """Nobody has to ask for it: the recipe's coming is enough."""
    files = await shelf.have(a=b"one")
    await shelf.hash_all()
    await shelf.recipe_names("a.safetensors", "crc32", f"{zlib.crc32(files['a']):08x}")

    async def complete():
        while await shelf.absent():
            await asyncio.sleep(0.005)

    await asyncio.wait_for(complete(), 10)


async def test_a_renamed_file_is_found_while_it_is_hashed_anyway(shelf):
    """A first reading makes every kind that recipes need; a file that has been read is not read again on a guess."""
    await shelf.have(old=b"old")
    await shelf.hash_all()
    await shelf.recipe_names("a.safetensors", "crc32", "00000000")
    await shelf.come_to_rest()
    files = await shelf.have(renamed=b"one")
    assert await shelf.jobs() == [("renamed", {"crc32"})]
    await shelf.recipe_names("b.safetensors", "crc32", f"{zlib.crc32(files['renamed']):08x}")
    await shelf.hash_all()
    assert await shelf.absent() == 1


async def test_a_hash_without_a_name_may_be_any_files_of_the_role(shelf):
    """Where the image tells no name, every LoRA is looked at."""
    await shelf.have(a=b"one", b=b"three")
    await shelf.hash_all()
    shelf.library.hasher.pause()
    await shelf.recipe_names(None, "crc32", "00000000")
    assert await shelf.jobs() == [("a", {"crc32"}), ("b", {"crc32"})]
    shelf.library.hasher.resume()
    await shelf.hash_all()


async def test_a_better_hash_makes_a_crc32_needless(shelf):
    """By its SHA256 a model is known not to be here."""
    await shelf.have(a=b"one")
    await shelf.hash_all()
    await shelf.recipe_names("a.safetensors", "sha256", "0" * 64, crc32="00000000")
    assert await shelf.jobs() == []


async def test_a_blake3_is_wanted_only_where_it_can_be_made(shelf, monkeypatch):
    """Without the package the model stays unknown, and nothing tries for ever."""
    await shelf.have(a=b"one")
    await shelf.recipe_names("a.safetensors", "blake3", "0" * 64)
    monkeypatch.setitem(sys.modules, "blake3", None)
    assert await shelf.jobs() == [("a", set())]
    await shelf.hash_all()
    assert await shelf.absent() == 1


async def test_a_file_found_by_its_blake3_completes_the_recipe(shelf, monkeypatch):
    """Where the package is there, as in newer ComfyUIs; a hash of the same length stands in for it."""
    monkeypatch.setitem(sys.modules, "blake3", SimpleNamespace(blake3=hashlib.blake2s))
    files = await shelf.have(a=b"one")
    await shelf.recipe_names("a.safetensors", "blake3", hashlib.blake2s(files["a"]).hexdigest())
    await shelf.hash_all()
    assert await shelf.absent() == 0


async def test_what_could_not_be_read_from_an_unplugged_drive_is_read_when_it_is_back(shelf):
    """The drive went away before anybody noticed; its files are no lost ones."""
    await shelf.have(a=b"one")
    shelf.folder.rename(shelf.folder.with_name("elsewhere"))
    await shelf.hash_all()
    await shelf.library.scan()
    shelf.folder.with_name("elsewhere").rename(shelf.folder)
    await shelf.library.scan()
    assert await shelf.jobs() == [("a", set())]


async def test_a_file_that_was_hashed_meanwhile_is_not_read_again(shelf, monkeypatch):
    """The queue's word is old by the time that a file's turn comes."""
    await shelf.have(a=b"one")
    await shelf.hash_all()
    read = []
    monkeypatch.setattr("py.library.hasher._hash_unchanged", lambda *_: read.append(1))
    await shelf.library.hasher._hash_some([HashJob(1, frozenset())])
    assert read == []
