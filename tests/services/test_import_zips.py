"""A zip of images is imported like a folder, and can do no harm."""

from __future__ import annotations

import zipfile

import pytest

from py.jobs import zips
from py.jobs.request import ImportRequest
from tests.standalone.pictures import picture_bytes

TEXT = "a dog\nSteps: 20, Sampler: Euler a, Seed: 3, Size: 64x64"


@pytest.fixture
def packed(tmp_path):
    """Write a zip with these members."""

    def write(**members):
        path = tmp_path / "Pictures.ZIP"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
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
