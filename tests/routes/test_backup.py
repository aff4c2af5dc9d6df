"""Give recipes away and take them back over HTTP."""

from __future__ import annotations

import io
import json
import zipfile

import pytest

from tests.routes.conftest import FROM_ELSEWHERE
from tests.routes.test_api import API, folder, imported, recipes
from tests.routes.test_uploads import OURS, form

__all__ = ["folder"]


async def bring(client, data, headers=None):
    answer = await client.post(f"{API}/recipes/import", data=form(("x", data)), headers={**OURS, **(headers or {})})
    return answer.status, await answer.json()


async def forget_all(client, pantry):
    await pantry.recipes.bulk([one["id"] for one in await recipes(client)], "delete")
    async with pantry.database.transaction() as tx:
        for table in ("recipe_trash", "recipes"):
            await tx.execute(f"DELETE FROM {table}")


async def test_what_was_exported_can_be_taken_back(client, pantry, folder):
    """JSON Lines, one a recipe; twice is as good as once."""
    await imported(client, pantry, directory=str(folder), tags=["spring"])
    answer = await client.get(f"{API}/recipes/export")
    assert "pantry-recipes.jsonl" in answer.headers["Content-Disposition"]
    lines = await answer.read()
    assert len([json.loads(line) for line in lines.splitlines()]) == 4  # a header and three recipes
    assert (await bring(client, lines))[1] == {"added": 0, "known": 3, "broken": 0}
    await forget_all(client, pantry)
    assert (await bring(client, lines))[1]["added"] == 3
    assert {one["tags"][0] for one in await recipes(client)} == {"spring"}
    assert not list(pantry.host.data_dir.glob("incoming-*"))


async def test_a_zip_carries_the_images(client, pantry, folder):
    """On another machine the images lie in our own folder and are shown from there."""
    await imported(client, pantry, directory=str(folder))
    data = await (await client.get(f"{API}/recipes/export", params={"images": "true"})).read()
    assert len(zipfile.ZipFile(io.BytesIO(data)).namelist()) == 4
    await forget_all(client, pantry)
    for one in folder.glob("*.png"):
        one.unlink()
    assert (await bring(client, data))[1]["added"] == 3
    identity = (await recipes(client))[0]["id"]
    assert (await client.get(f"{API}/recipes/{identity}/image")).status == 200
    assert not list(pantry.host.data_dir.glob("*going-*"))


async def test_a_file_from_elsewhere_points_to_no_private_image(client, pantry, folder, tmp_path):
    """A recipe's image is served, so a remote peer may not bring a recipe that names any file."""
    await imported(client, pantry, directory=str(folder))
    lines = (await (await client.get(f"{API}/recipes/export")).text()).replace(str(folder), str(tmp_path / "private"))
    await forget_all(client, pantry)
    assert (await bring(client, lines.encode(), FROM_ELSEWHERE))[1]["added"] == 3
    for one in await recipes(client):
        assert await pantry.recipes.source_path(one["id"]) is None


@pytest.mark.parametrize("data", [b"", b"{}", b"no json", b"PK\x03\x04 broken", b"\xff" * 100])
async def test_a_foreign_file_is_refused(client, pantry, data):
    """The answer says so, and nothing is left behind."""
    status, body = await bring(client, data)
    assert (status, body["error"]["code"]) == (400, "invalid_request")
    assert not list(pantry.host.data_dir.glob("incoming-*"))


async def test_a_job_has_a_log(client, pantry, folder):
    """Text, by the id of the job alone."""
    operation = await imported(client, pantry, directory=str(folder))
    answer = await client.get(f"{API}/batch-imports/{operation}/log")
    assert (answer.status, answer.content_type) == (200, "text/plain")
    assert (await client.get(f"{API}/batch-imports/..%2f..%2fsettings/log")).status == 404
