"""A recipe of a page whose file nobody has fetched shows its picture: asked for when it is looked at, once."""

from __future__ import annotations

import asyncio
import io
import json

import pytest
from PIL import Image

from py.app import Pantry
from py.core.ports import TransportFailure
from tests.doubles.fake_clock import FakeClock
from tests.doubles.scripted_transport import ScriptedTransport
from tests.routes.test_api import API, imported, recipes

META = {"prompt": "a cat", "seed": 7, "steps": 20, "sampler": "Euler a"}
SHOWN = "https://image.civitai.com/x/original=true/1.jpeg"
SMALL = "https://image.civitai.com/x/width=450,optimized=true/1.jpeg"


def jpeg():
    buffer = io.BytesIO()
    Image.new("RGB", (450, 300), (9, 9, 9)).save(buffer, "JPEG")
    return buffer.getvalue()


class Vendor(ScriptedTransport):
    """Be CivitAI's image route and its picture host; `picture` is what the latter answers."""

    def __init__(self, clock):
        super().__init__(clock)
        self.shown = {"id": 1, "url": SHOWN, "meta": META}
        self.picture = (200, jpeg(), {"content-type": "image/jpeg"})
        self.fetched = []

    async def send(self, request):
        if "/images" not in request.url:
            assert request.public_only, "a picture's address must never lead inside"
            self.fetched.append(request.url)
            await asyncio.sleep(0.01)  # real pictures take a moment, in which others may want them too
            self.script = [self.picture]
        else:
            self.script = [(200, {"items": [self.shown], "metadata": {}})]
        return await super().send(request)


@pytest.fixture
async def pantry(host):
    clock = FakeClock()
    made = Pantry(host, clock=clock, transport=Vendor(clock))
    try:
        await made.start()
        made.settings.update({"rate_limit_min_interval_seconds": 0, "rate_limit_adaptive_enabled": False})
        yield made
    finally:
        await made.close()


@pytest.fixture
def vendor(pantry):
    return pantry._transport


@pytest.fixture
async def recipe(client, pantry):
    """The recipe of an image page, and what its picture's route answers."""
    await imported(client, pantry, urls=["https://civitai.com/images/1"])
    (made,) = await recipes(client)

    async def look(part="thumbnail"):
        return await client.get(f"{API}/recipes/{made['id']}/{part}")

    return look


async def test_a_picture_is_fetched_when_it_is_looked_at_and_never_again(recipe, vendor):
    """The import fetches no file; many looks at once, and later ones, cost one request for the small rendition."""
    assert vendor.fetched == []

    answers = await asyncio.gather(*(recipe() for _ in range(6)))
    again = await recipe()

    assert {one.status for one in (*answers, again)} == {200}
    assert again.content_type == "image/webp"
    assert vendor.fetched == [SMALL]


async def test_a_fresh_pantry_sends_no_key(recipe, vendor):
    """Where no key has been set nothing is sent in its place, to the API as little as to the picture host."""
    await recipe()
    assert len(vendor.requests) == 2
    assert not [one for one in vendor.requests if "authorization" in {name.lower() for name in one.headers}]


async def test_the_whole_picture_is_fetched_when_it_is_opened(recipe, vendor):
    """Opening the recipe fetches the file as it was uploaded, once."""
    for _ in range(2):
        answer = await recipe("image")
        assert (answer.status, await answer.read()) == (200, vendor.picture[1])
    assert vendor.fetched == [SHOWN]


@pytest.mark.parametrize(
    ("answer", "status", "requests", "rest"),
    [((404, {}), 404, 1, 3_600), ((500, {}), 502, 3, 60), ((429, {}, {"retry-after": "600"}), 503, 1, 700)],
)
async def test_a_picture_that_cannot_be_had_costs_little_and_comes_later(
    recipe, vendor, pantry, answer, status, requests, rest
):
    """However often it is looked at, nothing is asked again before the rest is over; then it is there."""
    good, vendor.picture = vendor.picture, answer
    first = asyncio.ensure_future(recipe())
    while not first.done():
        await asyncio.sleep(0.01)
        await pantry.clock.advance(2)
    assert (await first).status == status
    for _ in range(5):
        assert (await recipe()).status in {status, 404, 502}
    assert len(vendor.fetched) == requests

    vendor.picture = good
    await pantry.clock.advance(rest)
    assert (await recipe()).status == 200


@pytest.mark.parametrize(
    "told", [{"url": "https://evil.example/1.jpeg"}, {"url": "http://127.0.0.1/1.jpeg"}, {"type": "video"}, {"url": 7}]
)
async def test_no_other_address_is_fetched(client, pantry, vendor, told):
    """What the vendor's answer names beyond its own picture hosts, and a video, is no picture."""
    vendor.shown = {**vendor.shown, **told}
    await imported(client, pantry, urls=["https://civitai.com/images/1"])
    (made,) = await recipes(client)

    assert (await client.get(f"{API}/recipes/{made['id']}/thumbnail")).status == 404
    assert vendor.fetched == []


async def test_a_restored_recipe_cannot_send_us_anywhere(client, pantry, vendor, recipe):
    """The address in a backup is judged like any other; its id is no path."""
    async with pantry.database.transaction() as tx:
        await tx.execute(
            "UPDATE recipes SET body = json_set(body, '$.source.picture', 'https://10.0.0.1/x.png', '$.id', '../../x')"
        )
    assert (await recipe("image")).status == 404
    assert vendor.fetched == []


async def test_a_host_that_is_down_is_asked_by_one_picture_for_all(client, pantry, vendor):
    """A grid of pictures at a host that is down does not ask it for each."""
    await imported(client, pantry, urls=["https://civitai.com/images/1"])
    (made,) = await recipes(client)
    vendor.picture = TransportFailure
    first = asyncio.ensure_future(pantry.pictures.small(made["id"]))
    while not first.done():
        await asyncio.sleep(0.01)
        await pantry.clock.advance(2)
    assert first.exception() is not None
    asked = len(vendor.fetched)
    async with pantry.database.transaction() as tx:
        other = json.dumps("https://image.civitai.com/x/width=450/2.jpeg")
        await tx.execute("UPDATE recipes SET body = json_set(body, '$.source.picture', json(?))", (other,))

    assert (await client.get(f"{API}/recipes/{made['id']}/thumbnail")).status == 502
    assert len(vendor.fetched) == asked
