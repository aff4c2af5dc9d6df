"""Whoever looks at recipes hears of changes that somebody else makes."""

from __future__ import annotations

from tests.routes.test_api import API, folder, imported, recipes  # noqa: F401 - a fixture


async def next_ids(page):
    while (message := await page.receive_json(timeout=10))["type"] != "pantry.recipes_changed":
        pass
    return message["data"]["ids"]


async def test_a_change_is_told_to_every_open_page(client, pantry, folder):  # noqa: F811 - a fixture
    """Two tabs agree: editing, marking many and removing are events like an import's."""
    await imported(client, pantry, directory=str(folder))
    one, two, _ = (recipe["id"] for recipe in await recipes(client))
    page = await client.ws_connect("/pantry/ws")

    await client.patch(f"{API}/recipes/{one}", json={"rating": 3})
    assert await next_ids(page) == [one]
    await client.post(f"{API}/recipes/bulk", json={"ids": [one, two], "action": "favourite"})
    assert await next_ids(page) == [one, two]
    await client.delete(f"{API}/recipes/{two}")
    assert await next_ids(page) == [two]
    await page.close()


async def test_a_rating_can_be_taken_away(client, pantry, folder):  # noqa: F811 - a fixture
    """Null is no rating, as the reference says."""
    await imported(client, pantry, directory=str(folder))
    one = f"{API}/recipes/{(await recipes(client))[0]['id']}"
    await client.patch(one, json={"rating": 4})
    answer = await client.patch(one, json={"rating": None})
    assert (answer.status, (await answer.json())["rating"]) == (200, 0)
