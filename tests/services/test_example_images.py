"""Model pages against a loopback CivitAI: few requests, and what the pages lead to."""

from __future__ import annotations

import pytest

from py.core.errors import MalformedAnswerError
from py.jobs.addresses import AddressBook, ModelPage
from py.jobs.states import Reason
from py.services.imports.example_images import ExampleImages
from py.services.imports.read_images import ReadImage
from tests.standalone.vendor import VendorModel

from .vendor_parts import parts

META = {"prompt": "a cat", "seed": 7, "steps": 20, "sampler": "Euler a"}
OLD = VendorModel(model_id=700001, version_id=600001, name="Shown", version_name="v1", images=1)
NEW = VendorModel(model_id=700001, version_id=600002, name="Shown", version_name="v2", images=2, metas=(META,))


@pytest.fixture
async def here(tmp_path):
    async with parts(tmp_path) as here:
        here.civitai.catalogue.add(NEW)
        here.civitai.catalogue.add(OLD)
        yield here


def reader(here):
    return ExampleImages(here.client, AddressBook([here.civitai.base]).allows)


async def test_many_pages_cost_one_request(here):
    """Each page leads to the images of its version, the newest where none is named; what is told comes along."""
    newest, first, other = ModelPage(700001), ModelPage(700001, 600001), ModelPage(800001, 900001)

    found = await reader(here).read([newest, first, other])

    assert len(here.civitai.journal.entries) == 1
    assert [len(found[page].parts) for page in (newest, first, other)] == [2, 1, 1]
    told, untold = found[newest].parts
    assert ReadImage.from_json(told[2]).reading.draft.prompt == "a cat"
    assert untold[0].startswith(here.civitai.origin)
    assert untold[2] is None


async def test_an_answer_of_another_shape_carries_a_sample(here, monkeypatch):
    """JSON that is not what is documented is kept for a diagnosis, beside the message and not in it."""
    monkeypatch.setattr(here.civitai.catalogue, "images", {5: {"id": "none", "apiKey": "hidden", "shape": "strange"}})

    with pytest.raises(MalformedAnswerError) as caught:
        await here.client.get_images([5])

    assert caught.value.sample.startswith(f"{here.civitai.host} /images status 200, application/json")
    assert "strange" in caught.value.sample
    assert "hidden" not in caught.value.sample
    assert "strange" not in str(caught.value)


async def test_what_is_missing_is_asked_for_alone(here):
    """A version or a model that the answer for many leaves out ends only after its own answer."""
    missing, gone = ModelPage(700001, 900001), ModelPage(1)

    found = await reader(here).read([missing, gone])

    assert (len(found[missing].parts), found[gone].reason) == (1, Reason.NOT_FOUND)
    assert len(here.civitai.journal.entries) == 3
