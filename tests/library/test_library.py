"""The library over real folders and a real database."""

from __future__ import annotations

import asyncio
import json
import shutil

import pytest

from py.core.errors import InvalidRequestError, NotFoundError
from py.core.outcomes import Found, LookupKey
from py.library import hasher as hasher_module
from py.library.library import LOOK_SECONDS, Library
from py.library.states import Knowledge, learned
from py.storage.database import Database
from py.vendors.model_info import ModelInfo
from tests.doubles.fake_clock import FakeClock

from .files import safetensors


@pytest.fixture
async def database(tmp_path):
    database = await Database.open(tmp_path / "pantry.sqlite")
    yield database
    await database.close()


@pytest.fixture
async def library(tmp_path, database):
    loras = tmp_path / "loras"
    loras.mkdir()
    changed = []
    library = Library(database, lambda: {"loras": (loras,)}, FakeClock(), changed=changed.extend)
    library.loras, library.told = loras, changed
    yield library
    await library.close()


async def only(library, name="a"):
    (file,) = await library.store.by_name(name)
    return file


async def hash_everything(library):
    library.start_hashing()
    while await library.store.unhashed(1):
        await asyncio.sleep(0.005)


async def test_a_scan_reads_and_the_background_hashes(library):
    """After a scan headers are known; hashes come in the background and are told."""
    hashes = safetensors(library.loras / "sub" / "a.safetensors", {"modelspec.title": "Title"})
    assert await library.scan() == {"added": 1, "changed": 0, "moved": 0, "gone": 0}
    file = await only(library)
    assert (file.hashes, file.facts["title"], file.to_json()["title"]) == ({}, "Title", "Title")
    await hash_everything(library)
    assert (await only(library)).hashes == hashes
    assert library.told == [file.number, file.number]


async def test_a_second_scan_of_the_same_folder_changes_nothing(library):
    """What has not changed is neither read nor hashed again."""
    safetensors(library.loras / "a.safetensors")
    await library.scan()
    await hash_everything(library)
    assert set((await library.scan()).values()) == {0}
    assert await library.store.unhashed(1) == []


async def test_only_a_folder_that_held_models_is_missed_aloud(library, caplog):
    """ComfyUI names a dozen folders that may never exist; one with models in it that goes is told once, and its return."""
    library.loras.rmdir()
    await library.scan()
    assert caplog.messages == []
    safetensors(library.loras / "a.safetensors")
    await library.scan()
    for place in (library.loras.with_name("away"), library.loras):
        (library.loras if library.loras.exists() else library.loras.with_name("away")).rename(place)
        with caplog.at_level("INFO"):
            await library.scan()
            await library.scan()
    assert [message.split(") ")[1] for message in caplog.messages] == [
        "cannot be found; its models are kept.",
        "can be found again.",
    ]


async def test_a_moved_file_keeps_its_hashes_and_a_changed_one_loses_them(library):
    """Moving costs nothing; new content is a new file."""
    safetensors(library.loras / "a.safetensors")
    await library.scan()
    await hash_everything(library)
    (library.loras / "b").mkdir()
    shutil.move(library.loras / "a.safetensors", library.loras / "b" / "a.safetensors")
    assert (await library.scan())["moved"] == 1
    assert "sha256" in (await only(library)).hashes
    safetensors(library.loras / "b" / "a.safetensors", weights=b"other weights")
    assert (await library.scan())["changed"] == 1
    assert (await only(library)).hashes == {}


async def test_an_unplugged_root_keeps_its_models(library):
    """Offline is shown; back again, everything is as before, unhashed nothing."""
    safetensors(library.loras / "a.safetensors")
    await library.scan()
    await hash_everything(library)
    library.loras.rename(library.loras.with_name("away"))
    await library.scan()
    file = await only(library)
    assert (file.to_json()["state"], "sha256" in file.hashes) == ("offline", True)
    library.loras.with_name("away").rename(library.loras)
    await library.scan()
    file = await only(library)
    assert (file.to_json()["state"], "sha256" in file.hashes) == ("unknown", True)


async def test_a_deleted_file_is_gone(library):
    """Where the root is there and the file is not, the file is forgotten."""
    safetensors(library.loras / "a.safetensors")
    safetensors(library.loras / "b.safetensors")
    await library.scan()
    number = (await only(library)).number
    (library.loras / "a.safetensors").unlink()
    assert (await library.scan())["gone"] == 1
    with pytest.raises(NotFoundError):
        await library.store.get(number)


async def test_a_sidecar_spares_hashing_and_asking(library):
    """A model that another tool knows is described at once, by name and by hash."""
    sha, path = "ab" * 32, library.loras / "a.safetensors"
    safetensors(path)
    told = {"ModelId": 5, "ModelName": "Known", "VersionId": 6, "Hashes": {"SHA256": sha}}
    path.with_suffix(".cm-info.json").write_text(json.dumps(told), encoding="utf-8")
    await library.scan()
    file = await only(library)
    assert (file.knowledge.state.value, file.knowledge.metadata_source) == ("synced", "sidecar")
    assert await library.store.unhashed(1) == []
    keys = [LookupKey("sha256", sha), LookupKey("autov2", sha[:10]), LookupKey("version_id", "6")]
    assert {one.name for one in (await library.answers(keys)).values()} == {"Known"}


async def test_only_described_models_answer(library):
    """A file that nobody has described may still be known to a vendor."""
    hashes = safetensors(library.loras / "a.safetensors")
    await library.scan()
    await hash_everything(library)
    key = LookupKey("sha256", hashes["sha256"])
    assert await library.answers([key]) == {}
    info = ModelInfo(version_id=1, model_id=2, name="Told")
    file = await only(library)
    await library.store.save_knowledge({file.number: learned(Knowledge(), Found(info, "civitai"), 5.0)})
    assert (await library.answers([key]))[key] == info


async def test_hashing_pauses_and_goes_on(library):
    """Paused, nothing is hashed; resumed, everything is."""
    safetensors(library.loras / "a.safetensors")
    await library.scan()
    library.hasher.pause()
    library.start_hashing()
    await asyncio.sleep(0.05)
    assert await library.hashing() == {"paused": True, "left": 1}
    library.hasher.resume()
    await hash_everything(library)
    assert await library.hashing() == {"paused": False, "left": 0}


async def test_a_file_under_way_when_hashing_pauses_is_begun_anew(library, monkeypatch):
    """It stops between two blocks, keeps nothing half done, and has its hash after resuming."""
    expected = safetensors(library.loras / "a.safetensors", weights=b"x" * 3_000_000)
    await library.scan()
    whole, begun = hasher_module.hash_file, []

    def paused_on_the_way(path, *, stopped, **options):
        begun.append(path)
        if len(begun) == 1:
            library.hasher.pause()
        return whole(path, stopped=stopped, **options)

    monkeypatch.setattr(hasher_module, "hash_file", paused_on_the_way)
    library.start_hashing()
    while not library.hasher.paused:
        await asyncio.sleep(0.005)
    await asyncio.sleep(0.05)
    assert (await only(library)).hashes == {}
    library.hasher.resume()
    await hash_everything(library)
    assert ((await only(library)).hashes, len(begun)) == (expected, 2)


async def test_a_file_that_cannot_be_read_is_passed_over(library):
    """A hash that fails is noted and not tried again before the file changes."""
    path = library.loras / "a.safetensors"
    safetensors(path)
    await library.scan()
    path.unlink()
    await hash_everything(library)
    assert (await only(library)).hash_problem
    assert await library.store.unhashed(1) == []


async def test_models_are_listed_filtered_and_paged(library):
    """By words, type and state, in every order, page after page."""
    for name in ("b", "a", "c"):
        safetensors(library.loras / f"{name}.safetensors", {"modelspec.title": f"Title {name}"}, weights=name.encode())
    await library.scan()
    first = await library.page(limit=2)
    assert [one["file_name"] for one in first["items"]] == ["a.safetensors", "b.safetensors"]
    assert first["total"] == 3
    rest = await library.page(limit=2, cursor=first["next_cursor"])
    assert ([one["file_name"] for one in rest["items"]], rest["next_cursor"]) == (["c.safetensors"], None)
    assert (await library.page(q="title B"))["items"][0]["title"] == "Title b"
    assert (await library.page(state="synced"))["total"] == 0
    assert (await library.page(type="loras", sort="newest", offset=1))["total"] == 3
    for wrong in ({"sort": "luck"}, {"cursor": "x"}, {"state": "bogus"}):
        with pytest.raises(InvalidRequestError):
            await library.page(**wrong)


async def settled(library):
    """Let the background come to rest."""
    for _ in range(400):
        await asyncio.sleep(0.005)
        if library._clock.sleeping and not await library.store.unhashed(1):
            return


async def test_a_change_is_seen_without_being_told(library):
    """A file that is put into a folder is there after the next look, hashed; an unplugged root comes back."""
    library.start()
    await settled(library)
    safetensors(library.loras / "new" / "a.safetensors")
    await library._clock.advance(LOOK_SECONDS)
    await settled(library)
    assert "sha256" in (await only(library)).hashes
    library.loras.rename(library.loras.with_name("away"))
    await library._clock.advance(LOOK_SECONDS)
    await settled(library)
    assert (await only(library)).offline
    library.loras.with_name("away").rename(library.loras)
    await library._clock.advance(LOOK_SECONDS)
    await settled(library)
    assert not (await only(library)).offline


async def test_a_file_is_hashed_once_however_many_ask(library, monkeypatch):
    """The background, a sync and a click share one reading of the file."""
    readings = []
    hash_file = hasher_module.hash_file
    monkeypatch.setattr(
        hasher_module, "hash_file", lambda *args, **kw: (readings.append(args), hash_file(*args, **kw))[1]
    )
    safetensors(library.loras / "a.safetensors")
    await library.scan()
    file = await only(library)
    library.start_hashing()
    asked = await asyncio.gather(*(library.hashed(file) for _ in range(3)))
    assert len({one.hashes["sha256"] for one in asked}) == 1
    assert len(readings) == 1


async def test_folders_within_folders_and_folders_taken_out(tmp_path, database):
    """A root inside another keeps its own type; one that is no longer configured is out of reach, not forgotten."""
    outer, inner = tmp_path / "models", tmp_path / "models" / "vae"
    safetensors(outer / "a.safetensors")
    safetensors(inner / "b.safetensors", weights=b"b")
    folders = {"loras": (outer,), "vae": (inner,)}
    library = Library(database, lambda: folders, FakeClock())
    assert (await library.scan())["added"] == 2
    assert set((await library.scan()).values()) == {0}
    assert (await only(library, "b")).type == "vae"
    del folders["vae"]
    folders["loras"] = ()
    await library.scan()
    assert [(await only(library, name)).offline for name in "ab"] == [True, True]
    await library.close()
