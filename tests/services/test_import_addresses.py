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
        self.models = {}
        self.alone = {}
        self.asked = []

    async def get_example_images(self, model_ids):
        self.asked.append(list(model_ids))
        if self.error:
            raise self.error
        return {one: self.models[one] for one in model_ids if one in self.models}

    async def get_example_images_of(self, model_id, version_id):
        self.asked.append((model_id, version_id))
        if (model_id, version_id) not in self.alone:
            raise VendorNotFoundError("CivitAI does not know this model.")
        return self.alone[model_id, version_id]

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


async def test_the_page_says_how_mature_an_image_is(house, vendor):
    """CivitAI's level comes with the recipe, whether the page or the file said how the image was made."""
    url = "https://image.civitai.com/x/original=true/2.png"
    vendor.images = {1: {"meta": META, "browsingLevel": 4}, 2: {"url": url, "nsfwLevel": "X"}, 3: {"meta": META}}
    vendor.files = {url: picture_bytes("2.png", 1, TEXT)}

    await house.run(addresses(*(f"https://civitai.com/images/{one}" for one in (1, 2, 3))))

    levels = {one["source"]["path"][-1]: one["nsfw_level"] for one in await house.all_recipes()}
    assert levels == {"1": 4, "2": 8, "3": None}


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


@pytest.mark.parametrize("prefix", ["", "file://", "HTTPS://", "zip!/"])
async def test_an_address_is_never_taken_for_a_path(house, vendor, prefix):
    """Who may name addresses may not thereby name files: a path among them fails and is not read."""
    path = house.images / "private.png"
    path.write_bytes(picture_bytes("private.png", 1, TEXT))
    house.reader = None

    done = await house.run(addresses(f"{prefix}{path}", f"{path}.zip!/a.png"))

    assert (done["failed_reasons"], vendor.fetched) == ({"not_allowed": 2}, [])
    assert (await house.service.preview(addresses(str(path))))["images"] == 0


async def test_an_address_may_be_typed_without_its_beginning(house, vendor):
    """As browsers show it, in any case and with blanks around it, it is the same image."""
    vendor.images = {1: {"meta": META}}

    done = await house.run(addresses("civitai.com/images/1", " HTTPS://civitai.com/images/1 "))

    assert (done["total"], done["success"]) == (1, 1)


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


def example(number=None, **fields):
    """Spell an example image of a version as CivitAI does; newer answers give its id."""
    url = f"https://image.civitai.com/x/width=450/{number or fields.get('seed')}.jpeg"
    shown = {"url": url, "type": "image", **fields}
    return {**shown, "id": number} if number else shown


async def test_model_pages_become_their_example_images(house, vendor):
    """Pages of models cost one request together; what it tells is used, images with an id are asked for together."""
    url = "https://image.civitai.com/x/original=true/None.jpeg"
    vendor.models = {
        8: {91: [example(1), example(2), example(3, meta=META)], 90: [example(9)]},
        7: {80: [example(4)], 70: [example(), example(type="video")]},
    }
    vendor.images = {one: {"meta": {**META, "seed": one}} for one in (1, 2, 4)}
    vendor.files = {url: picture_bytes("1.png", 1, TEXT)}

    done = await house.run(
        addresses("https://civitai.com/models/8/a-style", "https://civitai.red/models/7?modelVersionId=70")
    )

    assert (done["total"], done["success"], vendor.asked) == (4, 4, [[7, 8]])
    assert (vendor.calls, vendor.fetched) == ([[1, 2]], [url])
    again = await house.run(addresses("https://civitai.com/models/8", "https://civitai.com/images/3"))
    assert (again["skipped_reasons"], len(vendor.calls)) == ({"duplicate": 3}, 1)


async def test_an_example_image_keeps_its_level_of_maturity(house, vendor):
    """What a model page tells of an image includes how mature it is."""
    vendor.models = {8: {91: [example(3, meta=META, nsfwLevel=4)]}}

    await house.run(addresses("https://civitai.com/models/8"))

    assert [one["nsfw_level"] for one in await house.all_recipes()] == [4]


async def test_a_model_that_many_leave_out_is_asked_for_alone(house, vendor):
    """A miss among many is no proof; the single answer is."""
    vendor.alone = {(5, 51): {51: [example(1, meta=META)]}}

    done = await house.run(
        addresses("https://civitai.com/models/5?modelVersionId=51", "https://civitai.com/models/6/gone")
    )

    assert (done["success"], done["failed_reasons"], len(vendor.asked)) == (1, {"not_found": 1}, 3)


@pytest.mark.parametrize(
    ("shown", "status", "reason"),
    [
        ([], "SKIPPED", "no_metadata"),
        ([example(type="video")], "SKIPPED", "no_metadata"),
        ([{"url": "https://evil.example/1.png", "type": "image"}, {"url": 7}], "FAILED", "not_allowed"),
    ],
)
async def test_a_model_page_that_leads_to_no_image_says_so(house, vendor, shown, status, reason):
    """The page itself ends, with a sentence; nothing outside the list is fetched."""
    vendor.models = {8: {91: shown}}

    item = await reason_of(house, await house.run(addresses("https://civitai.com/models/8")))

    assert (item["status"], item["reason"], vendor.fetched) == (status, reason, [])
    assert item["detail"].endswith(".")


async def test_a_refused_model_page_is_finished_by_retry(house, vendor):
    """A page that the vendor puts off stays one item, and becomes its images when it is retried."""
    vendor.error = RateLimitError(host=HOST, retry_at=2_000_000_000.0)
    done = await house.run(addresses("https://civitai.com/models/8"))
    assert (done["total"], done["skipped_reasons"]) == (1, {"rate_limited": 1})

    vendor.error, vendor.models = None, {8: {91: [example(1, meta=META), example(2, meta={**META, "seed": 2})]}}
    await house.service.retry(done["operation_id"])

    done = await house.service.wait(done["operation_id"])
    assert (done["total"], done["success"]) == (2, 2)


async def test_a_preview_counts_addresses_and_asks_nobody(house, vendor):
    """Images by address and pages of models are counted with the requests that they need at least."""
    vendor.images = {1: {"meta": META}}
    await house.run(addresses("https://civitai.com/images/1"))
    vendor.calls.clear()

    told = await house.service.preview(
        addresses(
            *(f"https://civitai.com/images/{one}" for one in range(1, 103)),
            *(f"https://civitai.com/models/8?modelVersionId={one}" for one in (90, 91)),
            "https://evil.example/x.png",
        )
    )

    assert (told["images"], told["known"], told["model_pages"]) == (102, 1, 2)
    assert (told["requests"], told["exact"], vendor.calls, vendor.asked) == (3, False, [], [])
