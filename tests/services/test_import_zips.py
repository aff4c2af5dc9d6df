"""A zip of images is imported like a folder, and can do no harm."""

from __future__ import annotations

import zipfile
from concurrent.futures import ThreadPoolExecutor

import pytest

from py.jobs import zips
from py.jobs.request import ImportRequest
from tests.standalone.pictures import picture_bytes

TEXT = "a dog\nSteps: 20, Sampler: Euler a, Seed: 3, Size: 64x64"


@pytest.fixture
def packed(tmp_path):
    """Write a zip with these members."""

    def write(method=zipfile.ZIP_DEFLATED, **members):
        path = tmp_path / "Pictures.ZIP"
        with zipfile.ZipFile(path, "w", method) as archive:
            for name, data in members.items():
                archive.writestr(name, data)
        return ImportRequest(files=(path,))

    return write


async def test_images_of_a_zip_become_recipes_with_pictures(house, packed):
    """Each image has its recipe and a copy of its own; other members are left out; twice is once."""
    first, second = (picture_bytes("x.png", number, TEXT) for number in (1, 2))
    request = packed(**{"a.png": first, "in/b.png": second, "notes.txt": b"x", "__MACOSX/._a.png": b"x"})

    done = await house.run(request)
    again = await house.run(request)

    assert (done["total"], done["success"], again["skipped_reasons"]) == (2, 2, {"duplicate": 2})
    recipes = {one["title"]: one for one in await house.all_recipes()}
    assert (await house.recipes.source_path(recipes["b"]["id"])).read_bytes() == second


async def test_names_that_climb_out_write_nowhere_else(house, packed, tmp_path):
    """Nothing is unpacked under a name from the zip."""
    image = picture_bytes("x.png", 1, TEXT)

    done = await house.run(packed(**{"../../evil.png": image, f"{tmp_path}/evil.png": image}))

    assert (done["total"], done["success"]) == (1, 1), "what climbs is left out, what is absolute only read"
    assert not list(tmp_path.rglob("*evil*"))


async def test_a_bomb_and_a_broken_member_fail_alone(house, packed, monkeypatch):
    """A member that unpacks to too much is given up; the rest is imported."""
    monkeypatch.setattr(zips, "MAX_BYTES", 100_000)
    good = picture_bytes("x.png", 1, TEXT)

    done = await house.run(packed(**{"bomb.png": b"\0" * 10_000_000, "broken.png": b"no image", "good.png": good}))

    assert (done["success"], done["failed_reasons"]) == (1, {"unreadable": 2})


async def test_what_is_called_zip_and_is_none_fails_with_a_sentence(house, tmp_path):
    """A broken zip is one failed item."""
    (tmp_path / "x.zip").write_bytes(b"no zip")

    done = await house.run(ImportRequest(files=(tmp_path / "x.zip",)))

    assert done["failed_reasons"] == {"unreadable": 1}


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
async def test_what_python_cannot_unpack_in_bounds_is_not_unpacked(house, packed, method):
    """A few kilobytes of bzip2 or LZMA could become gigabytes in memory."""
    done = await house.run(packed(method, **{"a.png": picture_bytes("x.png", 1, TEXT)}))

    items = (await house.service.items(done["operation_id"]))["items"]
    assert (done["failed_reasons"], "Unpack the zip" in items[0]["detail"]) == ({"unreadable": 1}, True)


@pytest.mark.parametrize(
    ("bound", "value", "says"),
    [("FREE_BYTES", 100_000, "far more than images do"), ("MAX_CONTENTS_BYTES", 100, "too large to be opened")],
)
async def test_a_bomb_of_many_images_fails_as_a_whole(house, packed, monkeypatch, bound, value, says):
    """Images that together unpack to too much, or too long a table of contents: one failed item, nothing kept."""
    monkeypatch.setattr(zips, bound, value)
    image = picture_bytes("x.png", 1, TEXT)
    request = packed(**{f"{number}.png": image + b"\0" * 100_000 for number in range(50)})

    done = await house.run(request)

    item = (await house.service.items(done["operation_id"]))["items"][0]
    assert (done["total"], done["failed_reasons"]) == (1, {"unreadable": 1})
    assert says in item["detail"]
    assert not list(house.folder.glob("images/*.png"))


async def test_a_zip_without_images_says_so(house, packed):
    """One failed item with a sentence."""
    done = await house.run(packed(**{"notes.txt": b"x"}))

    item = (await house.service.items(done["operation_id"]))["items"][0]
    assert (item["status"], item["detail"]) == (
        "FAILED",
        "There are no images in this zip; name another, or the folder that the images are in.",
    )


async def test_a_zip_is_opened_once_for_many_images(house, packed, monkeypatch):
    """Its table of contents is not listed anew for every image, or a large zip would take hours."""
    opened = []
    whole = zips.zipfile.ZipFile
    monkeypatch.setattr(zips.zipfile, "ZipFile", lambda *args: opened.append(1) or whole(*args))
    request = packed(**{f"{number}.png": picture_bytes("x.png", number, TEXT) for number in range(150)})
    opened.clear()

    done = await house.run(request)

    assert (done["success"], len(opened)) == (150, 2), "once to list and once to read"


async def test_zips_are_read_by_two_threads_at_once(tmp_path, packed):
    """Threads that read from one zip, or from two by turns, do not get in each other's way."""
    images = {f"{number}.png": bytes([number]) * 50_000 for number in range(40)}
    first = packed(**images).files[0]
    second = first.with_name("other.zip")
    second.write_bytes(first.read_bytes())
    reader = zips.ZipReader()
    wanted = [(f"{one}!/{name}", data) for name, data in images.items() for one in (first, second)]

    with ThreadPoolExecutor(4) as threads:
        read = list(threads.map(lambda one: reader.read(one[0]), wanted))
    reader.close()

    assert read == [data for _, data in wanted]
