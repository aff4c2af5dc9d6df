"""Whatever kept an image from becoming a recipe, its item and both reports say so in words, and what to do next."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile

import pytest

from py.core.errors import (
    GoneError,
    MalformedAnswerError,
    RateLimitError,
    RegionBlockedError,
    TooLargeAnswerError,
    UnauthorisedError,
    UnreachableError,
    VendorNotFoundError,
    VendorRefusedError,
)
from py.core.outcomes import Malformed, RateLimited, Unauthorised, Unreachable
from py.jobs.request import ImportRequest
from py.jobs.states import Reason
from py.recipes.reader import read_image
from tests.doubles.fake_imports import HOST, write_image
from tests.doubles.texts import whole
from tests.services.test_import_addresses import addresses, vendor  # noqa: F401 - a fixture
from tests.standalone.pictures import picture_bytes

URL = "https://image.civitai.com/1.png"
PAGE = "https://civitai.com/images/1"
TEXT = "a dog\nSteps: 20, Sampler: Euler a, Seed: 3, Size: 64x64"
ENDS = 2_000_000_000.0
# A next step is asked for in one of these words.
NEXT_STEP = re.compile(r"\b(import|retry|copy|save|check|name|unpack|pack|see|use|goes on by itself)\b", re.IGNORECASE)

FETCHED = [
    (RateLimitError("Too fast", host=HOST, retry_at=ENDS), "rate_limited", "goes on by itself"),
    (UnreachableError("502", host=HOST, retry_at=ENDS), "unreachable", "retry later"),
    (RegionBlockedError("451", host=HOST), "unreachable", "import the file"),
    (MalformedAnswerError("<html>", host=HOST), "unreachable", "cannot be understood"),
    (UnauthorisedError("Unauthorized", host=HOST), "unauthorised", "check it in the settings"),
    (VendorNotFoundError("404", host=HOST), "not_found", "whether the address is right"),
    (GoneError("410", host=HOST), "not_found", "whether the address is right"),
    (VendorRefusedError("Bad id", host=HOST), "not_allowed", "(Bad id)"),
    (TooLargeAnswerError(), "too_large", "save it"),
]
LOOKED_UP = [
    (RateLimited(HOST, ENDS), "rate_limited", "goes on by itself"),
    (Unreachable(HOST, ENDS, "reset"), "unreachable", "retry later"),
    (Malformed(HOST, "html"), "unreachable", "cannot be understood"),
    (Unauthorised(HOST, "401"), "unauthorised", "check it in the settings"),
]
LOCAL = [
    (b"", "unreadable", "empty"),
    (b"text", "unreadable", "PNG"),
    (picture_bytes("x.png", 1, TEXT)[:20], "unreadable", "damaged"),
    (None, "unreadable", "not there any more"),
    (picture_bytes("x.png", 1, "no parameters"), "no_metadata", "import the original"),
]
NAMED = [
    ("http://civitai.com/images/1", "not_allowed", "https://"),
    ("https://civitai.com:81/images/1", "not_allowed", "port"),
    ("https://evil.example/x.png", "not_allowed", "CivArchive"),
    ("https://civitai.com/articles/1", "not_allowed", "civitai.com/images/"),
    ("https://civitai.com/models/1?modelVersionId=x", "not_allowed", "version"),
    ("\u732b", "not_allowed", "address bar"),
    (PAGE, "not_found", "does not show"),
]


async def said(house, done, reason, words):
    """Check the sentence of the only item, and that both reports carry it."""
    items = (await house.service.items(done["operation_id"]))["items"]
    item = next(one for one in items if one["reason"] == reason)
    sentence = item["detail"]
    assert re.fullmatch(r"([A-Z]|civitai\.|image\.).*\.", sentence), sentence
    assert words in sentence, sentence
    assert NEXT_STEP.search(sentence), sentence
    rows = list(csv.DictReader(io.StringIO(await whole(house.service.report(done["operation_id"], "csv")))))
    assert sentence in [row["detail"] for row in rows]
    told = json.loads(await whole(house.service.report(done["operation_id"], "json")))["items"]
    assert sentence in [one["detail"] for one in told]
    return item, next(row for row in rows if row["detail"] == sentence)


@pytest.mark.parametrize(("error", "reason", "words"), FETCHED, ids=lambda one: type(one).__name__)
async def test_an_image_that_could_not_be_fetched(house, vendor, error, reason, words):  # noqa: F811
    """Each answer of a vendor to a file's address; the report names a time as people do."""
    vendor.files = {URL: error}

    item, row = await said(house, await house.run(addresses(URL)), reason, words)

    assert item["retry_at"] == getattr(error, "retry_at", None)
    assert row["retry_at"] == ("2033-05-18T03:33:20Z" if item["retry_at"] else "")


@pytest.mark.parametrize(("outcome", "reason", "words"), LOOKED_UP, ids=lambda one: type(one).__name__)
async def test_an_image_whose_models_could_not_be_looked_up(house, outcome, reason, words):
    """Each way in which a look-up stays unanswered."""
    write_image(house.images / "a.png", checkpoint="aa")
    house.provider.answers = {"aa": outcome}

    await said(house, await house.run(ImportRequest(directories=(house.images,))), reason, words)


@pytest.mark.parametrize(("data", "reason", "words"), LOCAL, ids=["empty", "foreign", "cut", "gone", "silent"])
async def test_a_file_that_cannot_be_read(house, data, reason, words):
    """Each way in which a file on this machine is no recipe."""
    house.reader = read_image
    path = house.images / "a.png"
    if data is not None:
        path.write_bytes(data)

    await said(house, await house.run(ImportRequest(files=(path,))), reason, words)


@pytest.mark.parametrize(("name", "data"), [("a.recipe.json", b"{}"), ("a.zip", b"PK\x03\x04"), ("b.zip", None)])
async def test_a_zip_or_recipe_that_cannot_be_read(house, name, data):
    """Damaged, foreign, or without images."""
    path = house.images / name
    if data is None:
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("notes.txt", b"x")
    else:
        path.write_bytes(data)

    await said(house, await house.run(ImportRequest(files=(path,))), "unreadable", "")


@pytest.mark.parametrize(("url", "reason", "words"), NAMED)
async def test_an_address_that_cannot_be_imported(house, vendor, url, reason, words):  # noqa: F811
    """Each rule of the addresses, and a page that the vendor does not show."""
    await said(house, await house.run(addresses(url)), reason, words)


@pytest.mark.parametrize(
    ("image", "words"), [({"meta": None}, "gives no file"), ({"url": "https://evil.example/1.png"}, "gives no file")]
)
async def test_a_page_that_tells_nothing(house, vendor, image, words):  # noqa: F811
    """Neither how the image was made nor where it is."""
    vendor.images = {1: image}

    await said(house, await house.run(addresses(PAGE)), "no_metadata", words)


@pytest.mark.parametrize(
    ("shown", "reason"), [([], "no_metadata"), ([{"url": "https://evil.example/1.png"}], "not_allowed")]
)
async def test_a_model_page_that_leads_nowhere(house, vendor, shown, reason):  # noqa: F811
    """No example images, or none that may be fetched."""
    vendor.models = {8: {91: shown}}

    await said(house, await house.run(addresses("https://civitai.com/models/8")), reason, "example images")


async def test_a_known_image(house):
    """The same image twice."""
    write_image(house.images / "a.png")
    write_image(house.images / "b.png")

    item, _ = await said(
        house, await house.run(ImportRequest(directories=(house.images,))), "duplicate", "has a recipe"
    )

    assert item["recipe_id"]


def test_no_reason_is_left_out():
    """Every reason that there is stands in a table above."""
    told = {reason for table in (FETCHED, LOOKED_UP, LOCAL, NAMED) for _, reason, _ in table} | {"duplicate"}
    assert told == {one.value for one in Reason}
