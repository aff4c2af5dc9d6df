"""Images by address: pages through the API in hundreds, files once, and refusals as for any image."""

from __future__ import annotations

import json

import pytest

from py.core.errors import RateLimitError, UnreachableError, VendorNotFoundError, VendorRefusedError
from py.jobs.request import ImportRequest
from py.services.imports.fetching import Fetcher
from tests.doubles.fake_imports import HOST
from tests.standalone.pictures import picture_bytes

BASE = f"https://{HOST}/api/v1"
META = {"prompt": "a cat", "seed": 7, "steps": 20, "sampler": "Euler a"}
TEXT = "a dog\nSteps: 20, Sampler: Euler a, Seed: 3, Size: 64x64"


class FakeVendor:
    """Be CivitAI's image route and its file host; `error` is raised instead of the next answers."""

    def __init__(self):
        self.images = {}
        self.files = {}
        self.error = None
        self.calls = []
        self.fetched = []

    async def get_images(self, ids):
        self.calls.append(list(ids))
        if self.error:
            raise self.error
        return {one: self.images[one] for one in ids if one in self.images}

    async def download_to_memory(self, url, *, max_bytes, permit, trusts):
        assert permit(url)
        assert not trusts(url)
        assert not permit("https://evil.example/x.png")
        self.fetched.append(url)
        answer = self.files.get(url, VendorNotFoundError())
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.fixture
async def vendor(house):
    vendor = FakeVendor()
    fetcher = Fetcher(vendor, vendor, house.folder / "fetched", lambda: [BASE])
    object.__setattr__(house.service._tools, "fetcher", fetcher)
    return vendor


def addresses(*urls, **options):
    return ImportRequest(urls=urls, **options)


async def reason_of(house, done):
    return (await house.service.items(done["operation_id"]))["items"][0]


async def test_image_pages_are_asked_for_together(house, vendor):
    """Fifty pages cost one request, and no file where CivitAI tells how the image was made."""
    vendor.images = {one: {"meta": {**META, "seed": one}} for one in range(1, 51)}

    done = await house.run(addresses(*(f"https://civitai.com/images/{one}" for one in range(1, 51))))

    assert (done["success"], len(vendor.calls), vendor.fetched) == (50, 1, [])
    assert (await house.all_recipes())[0]["source"]["path"].startswith("https://civitai.com/images/")


async def test_the_file_is_fetched_where_the_page_tells_nothing(house, vendor):
    """Without metadata in the answer the image itself is read, and kept as the recipe's picture."""
    url = "https://image.civitai.com/x/original=true/1.png"
    vendor.images = {1: {"meta": None, "url": url}}
    vendor.files = {url: picture_bytes("1.png", 1, TEXT)}

    done = await house.run(addresses("https://civitai.com/images/1"))

    recipe = (await house.all_recipes())[0]
    assert (done["success"], recipe["prompt"]) == (1, "a dog")
    assert (await house.recipes.source_path(recipe["id"])).read_bytes() == vendor.files[url]


async def test_a_second_run_fetches_nothing(house, vendor):
    """An address that has a recipe is known without a request; the same file elsewhere is known by its content."""
    first, second = (f"https://image.civitai.com/{one}.png" for one in "ab")
    vendor.files = {url: picture_bytes("1.png", 1, TEXT) for url in (first, second)}
    await house.run(addresses(first))

    again = await house.run(addresses(first, second))

    assert (again["skipped_reasons"], vendor.fetched) == ({"duplicate": 2}, [first, second])


@pytest.mark.parametrize(
    ("error", "status", "reason"),
    [
        (RateLimitError(host=HOST, retry_at=2_000_000_000.0), "SKIPPED", "rate_limited"),
        (UnreachableError(host=HOST, retry_at=2_000_000_000.0), "SKIPPED", "unreachable"),
        (VendorRefusedError(), "FAILED", "not_allowed"),
        (VendorNotFoundError(), "FAILED", "not_found"),
    ],
)
async def test_a_vendor_that_does_not_answer_puts_off(house, vendor, error, status, reason):
    """A refusal says until when; what can never work fails; retry fetches what was put off."""
    url = "https://image.civitai.com/1.png"
    vendor.files = {url: error}

    done = await house.run(addresses(url))

    item = await reason_of(house, done)
    assert (item["status"], item["reason"]) == (status, reason)
    assert item["retry_at"] == getattr(error, "retry_at", None)
    vendor.files = {url: picture_bytes("1.png", 1, TEXT)}
    await house.service.retry(done["operation_id"])
    assert (await house.service.wait(done["operation_id"]))["success"] == 1


async def test_a_refusal_of_the_pages_puts_them_all_off(house, vendor):
    """One refused request speaks for every page in it."""
    vendor.error = RateLimitError(host=HOST, retry_at=2_000_000_000.0)

    done = await house.run(addresses(*(f"https://civitai.com/images/{one}" for one in range(1, 31))))

    assert (done["skipped_reasons"], len(vendor.calls)) == ({"rate_limited": 30}, 1)


async def test_other_addresses_fail_with_a_sentence(house, vendor):
    """Nothing outside the list is fetched."""
    done = await house.run(addresses("https://evil.example/x.png"))

    item = await reason_of(house, done)
    assert (item["reason"], vendor.fetched) == ("not_allowed", [])
    assert "CivitAI" in item["detail"]


async def test_what_is_fetched_and_no_image_fails(house, vendor):
    """An HTML page under an image's address fails alone and is not kept."""
    url = "https://image.civitai.com/1.png"
    vendor.files = {url: json.dumps({"no": "image"}).encode()}

    done = await house.run(addresses(url))

    assert done["failed_reasons"] == {"unreadable": 1}
    assert not list((house.folder / "fetched").glob("*"))
