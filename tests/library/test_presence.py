"""Which models of a recipe are on this machine: counted, filtered, told, and right after every change."""

from __future__ import annotations

import pytest

from py.library.library import Library
from py.library.states import Knowledge, ModelState
from py.recipes import store_rows
from py.recipes.store import RecipeFilter, RecipeStore
from py.services.recipe_healer import RecipeHealer
from py.storage.database import Database
from py.vendors.model_info import ModelInfo
from tests.doubles.fake_clock import FakeClock

from .files import safetensors

NOTHING = {"prompt": "", "negative_prompt": "", "vae": None, "embeddings": [], "other_models": [], "source": {}}


class Shelf:
    """A library of LoRAs and checkpoints, recipes that name them, and what open pages were told."""

    def __init__(self, database, folder):
        self.database, self.folder, self.told = database, folder, []
        clock = FakeClock()
        folders = {"loras": (folder / "loras",), "checkpoints": (folder / "checkpoints",)}
        self.healer = RecipeHealer(database, clock=clock, sink=self)
        self.library = Library(database, lambda: folders, clock, changed=self.healer.models_changed)
        self.store = RecipeStore(database, clock)

    def publish(self, _kind, data):
        """Note what pages are told."""
        self.told.append(set(data["ids"]))

    async def add(self, recipe_id, *loras, checkpoint=None):
        """Store a recipe that names these models; those with a state of their own keep it."""
        body = {**NOTHING, "loras": list(loras), "checkpoint": checkpoint, "base_model": None}
        recipe = store_rows.NewRecipe(id=recipe_id, title=recipe_id, created_at=1.0, body=body)
        async with self.database.transaction() as tx:
            await tx.run(lambda connection: store_rows.insert(connection, recipe))
        self.healer.recipes_added([recipe_id])
        await self.healer.settled()

    async def put(self, path, weights=b"weights"):
        """Put a file in place and scan; return its hashes."""
        hashes = safetensors(self.folder / path, weights=weights)
        await self.scan()
        return hashes

    async def scan(self):
        """Look at the folders, and let recipes hear of it."""
        await self.library.scan()
        await self.healer.settled()

    async def hash_all(self):
        """Hash to the end."""
        self.library.start_hashing()
        await self.library.hasher._background.settled()
        await self.healer.settled()

    async def missing(self):
        """Return how many models each recipe misses, by id."""
        listed = await self.store.list(RecipeFilter(sort="title"))
        return {one["id"]: one["missing"] for one in listed["items"]}

    async def here(self, recipe_id):
        """Return whether each LoRA of a recipe is here."""
        return [one["here"] for one in (await self.store.get(recipe_id))["loras"]]


def use(name=None, hash_=None, hash_type=None, version=None):
    known = {"model_version_id": version, "aliases": {}, "state": "stated", "source": "image"}
    blank = dict.fromkeys(("model_id", "vendor_name", "version_name", "base_model"))
    return {**blank, "name": name, "hash": hash_, "hash_type": hash_type, **known}


@pytest.fixture
async def shelf(tmp_path):
    database = await Database.open(tmp_path / "pantry.sqlite")
    for name in ("loras", "checkpoints"):
        (tmp_path / name).mkdir()
    shelf = Shelf(database, tmp_path)
    yield shelf
    await shelf.library.close()
    await shelf.healer.close()
    await database.close()


async def test_without_a_library_nothing_is_called_missing(shelf):
    """Who has told Pantry of no model folder is not told that everything is missing."""
    await shelf.add("r", use("a.safetensors"))

    assert await shelf.missing() == {"r": 0}
    assert await shelf.here("r") == [None]


async def test_the_first_scan_tells_what_is_here(shelf):
    """A name is enough where the image gives no hash; what is not here can be filtered, counted and sorted by."""
    await shelf.add("both", use("styles/a.safetensors"), use("b.safetensors"))
    await shelf.add("none", use("a"))
    await shelf.put("loras/deep/a.safetensors")

    assert await shelf.missing() == {"both": 1, "none": 0}
    assert await shelf.here("both") == [True, False]
    assert shelf.told == [{"both"}]
    filtered = await shelf.store.list(RecipeFilter(missing=True, sort="missing"))
    assert [one["id"] for one in filtered["items"]] == ["both"]
    assert (await shelf.store.facets(RecipeFilter()))["missing"] == 1


async def test_a_new_recipe_knows_at_once(shelf):
    """What the library knows already is counted when a recipe comes."""
    await shelf.put("loras/a.safetensors")
    await shelf.add("r", use("a.safetensors"), use("b.safetensors"))
    await shelf.add("s", use("a.safetensors"), use("b.safetensors"))

    assert await shelf.missing() == {"r": 1, "s": 1}


@pytest.mark.parametrize("kind", ["sha256", "autov2", "autov3"])
async def test_a_hash_finds_a_renamed_file(shelf, kind):
    """Under another name it is still that model, once it has been hashed."""
    hashes = await shelf.put("loras/renamed.safetensors")
    await shelf.add("r", use("a.safetensors", hashes[kind], kind))
    assert await shelf.missing() == {"r": 1}

    await shelf.hash_all()
    assert await shelf.missing() == {"r": 0}


@pytest.mark.parametrize("kind", ["sha256", "autov2", "autov3"])
async def test_another_file_of_the_name_will_not_do(shelf, kind):
    """Until it is hashed the name counts; then its hash says that it is another model."""
    length = {"sha256": 64, "autov2": 10, "autov3": 12}[kind]
    await shelf.put("loras/a.safetensors")
    await shelf.add("r", use("a.safetensors", "0" * length, kind))
    assert await shelf.missing() == {"r": 0}

    await shelf.hash_all()
    assert await shelf.missing() == {"r": 1}


async def test_a_kind_of_hash_that_nobody_makes_leaves_the_name(shelf):
    """An old A1111 hash says nothing against the file of that name."""
    await shelf.put("loras/a.safetensors")
    await shelf.hash_all()
    await shelf.add("r", use("a.safetensors", "0" * 8, "autov1"))

    assert await shelf.missing() == {"r": 0}


async def test_the_folder_must_fit_the_role(shelf):
    """A checkpoint of the LoRA's name is not the LoRA."""
    await shelf.put("checkpoints/a.safetensors")
    await shelf.add("r", use("a.safetensors"), checkpoint=use("a.safetensors"))

    assert await shelf.missing() == {"r": 1}


async def test_a_version_is_known_by_its_number(shelf):
    """A file that a vendor has described is here for every recipe that names its version, and no other's."""
    await shelf.add("by number", use(version=7))
    await shelf.add("by name", use("a.safetensors", version=8))
    await shelf.put("loras/a.safetensors")
    assert await shelf.missing() == {"by name": 0, "by number": 1}

    info = ModelInfo(version_id=7, model_id=1, name="A", source="civitai")
    [file] = await shelf.library.store.by_name("a")
    await shelf.library.store.save_knowledge({file.number: Knowledge(state=ModelState.SYNCED, metadata=info)})
    shelf.healer.models_changed([file.number])
    await shelf.healer.settled()
    assert await shelf.missing() == {"by name": 1, "by number": 0}


async def test_a_file_that_goes_is_missed_and_one_that_comes_back_is_not(shelf):
    """Deleting a model file is noticed by the next scan, and so is its return; open pages hear of both."""
    await shelf.put("loras/b.safetensors", b"other")
    await shelf.put("loras/a.safetensors")
    await shelf.add("r", use("a.safetensors"))
    (shelf.folder / "loras" / "a.safetensors").unlink()
    await shelf.scan()
    assert await shelf.missing() == {"r": 1}

    await shelf.put("loras/a.safetensors")
    assert await shelf.missing() == {"r": 0}
    assert shelf.told == [{"r"}, {"r"}]


async def test_an_unplugged_drive_is_nothing_missed(shelf):
    """Its models are kept; nobody has to get them again."""
    await shelf.put("loras/a.safetensors")
    await shelf.add("r", use("a.safetensors"))
    (shelf.folder / "loras").rename(shelf.folder / "unplugged")
    await shelf.scan()

    assert await shelf.missing() == {"r": 0}


async def test_the_last_file_gone_nobody_can_tell(shelf):
    """An empty library says nothing about any recipe."""
    await shelf.put("loras/a.safetensors")
    await shelf.add("r", use("a.safetensors"), use("b"))
    async with shelf.database.transaction() as tx:
        await tx.execute("DELETE FROM model_files")
    shelf.healer.look_again()
    await shelf.healer.settled()

    assert await shelf.missing() == {"r": 0}
    assert await shelf.here("r") == [None, None]


async def test_what_changed_unseen_is_noticed_at_the_next_start(shelf):
    """A look at everything puts right what another program or an older Pantry has left."""
    await shelf.put("loras/a.safetensors")
    await shelf.add("r", use("b"))
    async with shelf.database.transaction() as tx:
        await tx.execute("UPDATE recipe_models SET here = NULL")
        await tx.execute("UPDATE recipes SET missing = 0")
    shelf.healer.look_again()
    await shelf.healer.settled()

    assert await shelf.missing() == {"r": 1}
