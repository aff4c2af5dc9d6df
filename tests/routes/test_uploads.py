"""Take files from browsers without trusting a byte of their names."""

from __future__ import annotations

import json
import zipfile
from io import BytesIO

import pytest
from aiohttp import FormData
from PIL import Image

from py.routes.uploads import safe_name
from tests.routes.conftest import FROM_ELSEWHERE
from tests.routes.test_api import API, imported, picture, recipes

OURS = {"X-Pantry": "1"}


def form(*files):
    made = FormData(quote_fields=False)  # as browsers do
    for name, data in files:
        made.add_field("file", data, filename=name, content_type="application/octet-stream")
    return made


async def test_dropped_files_become_recipes(client, pantry, tmp_path):
    """Upload, then import what the upload returned; also from another machine."""
    data = [(f"cat {n}.png", picture(tmp_path / f"{n}.png", seed=n).read_bytes()) for n in range(2)]
    answer = await client.post(f"{API}/uploads", data=form(*data), headers={**OURS, **FROM_ELSEWHERE})
    files = (await answer.json())["files"]
    assert len(files) == 2
    started = await client.post(f"{API}/batch-imports", json={"files": files}, headers=FROM_ELSEWHERE)
    done = await pantry.imports.wait((await started.json())["operation_id"])
    assert done["success"] == 2


async def test_an_uploaded_image_keeps_its_name(client, pantry, tmp_path):
    """The recipe's title, the item and the report show what the person called it; equal names do not collide."""
    name = "A cat (2), 100% [final].png"
    data = [(folder + name, picture(tmp_path / f"{n}.png", seed=n).read_bytes()) for n, folder in enumerate(("", "b/"))]
    files = (await (await client.post(f"{API}/uploads", data=form(*data), headers=OURS)).json())["files"]

    operation = await imported(client, pantry, files=files)

    assert [one["title"] for one in await recipes(client)] == [name.removesuffix(".png")] * 2
    items = (await (await client.get(f"{API}/batch-imports/{operation}/items")).json())["items"]
    assert [one["name"] for one in items] == [name, name]
    report = await (await client.get(f"{API}/batch-imports/{operation}/report")).text()
    assert report.count(f"/{name}") + report.count(f"\\{name}") == 2


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("multipart/form-data", b""),
        ("multipart/form-data; boundary=x", b"nothing"),
        ("multipart/form-data; boundary=" + "x" * 80, b"--x--"),
        ("multipart/form-data; boundary=x", b"--x\r\nno header\r\n\r\nbody"),
        ("multipart/form-data; boundary=x", b'--x\r\nContent-Disposition: form-data; filename="a"\r\n\r\n\x89PNG'),
    ],
)
@pytest.mark.parametrize("path", ["/uploads", "/recipes", "/recipes/import"])
async def test_an_upload_that_cannot_be_taken_apart_is_the_senders_error(client, path, kind, body):
    """No boundary, a wrong one, or an end in the middle."""
    answer = await client.post(API + path, data=body, headers={**OURS, "Content-Type": kind})

    assert answer.status in (400, 422), await answer.text()


async def test_one_image_is_a_recipe_at_once(client, tmp_path):
    """201 the first time, 200 with the same recipe the second."""
    data = picture(tmp_path / "a.png").read_bytes()
    first = await client.post(f"{API}/recipes", data=form(("a.png", data)), headers=OURS)
    assert first.status == 201, await first.text()
    again = await client.post(f"{API}/recipes", data=form(("b.png", data)), headers=OURS)
    assert (again.status, (await again.json())["id"]) == (200, (await first.json())["id"])


async def test_an_image_that_says_nothing_is_no_recipe(client):
    """The answer says why."""
    buffer = BytesIO()
    Image.new("RGB", (9, 9)).save(buffer, "PNG")
    answer = await client.post(f"{API}/recipes", data=form(("a.png", buffer.getvalue())), headers=OURS)
    assert answer.status == 422


@pytest.mark.parametrize("name", ["a.png", "a.zip", "a.recipe.json"])
@pytest.mark.parametrize("data", [b"", b"<svg onload=alert(1)>", b"#!/bin/sh\n", b"PK\x05\x06"])
async def test_what_is_no_picture_is_refused(client, pantry, name, data):
    """Decided by the first bytes, whatever the name says; nothing is left behind."""
    answer = await client.post(f"{API}/uploads", data=form((name, data)), headers=OURS)
    assert answer.status == 422
    assert not list((pantry.host.data_dir / "uploads").iterdir())


async def uploaded(client, *files, **headers):
    answer = await client.post(f"{API}/uploads", data=form(*files), headers={**OURS, **headers})
    assert answer.status == 200, await answer.text()
    return (await answer.json())["files"]


def packed(**members):
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


@pytest.mark.parametrize("name", ["My pictures.zip", "My pictures"])
async def test_a_dropped_zip_becomes_recipes(client, pantry, tmp_path, name):
    """Its images get recipes with pictures, also from another machine; what climbs out of it is read nowhere."""
    images = {f"{n}.png": picture(tmp_path / f"{n}.png", seed=n).read_bytes() for n in range(2)}
    data = packed(**images, **{"../../evil.png": images["0.png"], "notes.txt": b"x"})
    files = await uploaded(client, (name, data), **FROM_ELSEWHERE)

    told = await client.post(f"{API}/batch-imports/preview", json={"files": files})
    operation = await imported(client, pantry, files=files)

    done = await pantry.imports.snapshot(operation)
    assert ((await told.json())["images"], done["total"], done["success"]) == (2, 2, 2)
    shown = await recipes(client)
    assert sorted(one["title"] for one in shown) == ["0", "1"]
    assert (await client.get(f"{API}/recipes/{shown[0]['id']}/image")).status == 200
    assert not list(tmp_path.rglob("*evil*"))


async def test_one_image_is_no_zip(client, pantry):
    """The route for one image takes one image."""
    answer = await client.post(f"{API}/recipes", data=form(("a.zip", packed(x=b"1"))), headers=OURS)
    assert answer.status == 422
    assert not list((pantry.host.data_dir / "uploads").iterdir())


async def test_a_dropped_recipe_of_lora_manager_brings_its_picture_and_no_other(client, pantry, tmp_path):
    """The picture of the same upload is its picture; one that the file names elsewhere on this machine is not shown."""
    told = {"title": "Harbour", "loras": [], "gen_params": {"prompt": "a harbour"}}
    outside = picture(tmp_path / "private.png")
    thief = {**told, "title": "Thief", "gen_params": {"prompt": "x"}, "file_path": str(outside)}
    files = await uploaded(
        client,
        ("one.RECIPE.JSON", b"\xef\xbb\xbf " + json.dumps({**told, "file_path": "D:\\old\\one.webp"}).encode()),
        ("one.webp", picture(tmp_path / "a.png", seed=2).read_bytes()),
        ("two.recipe.json", json.dumps(thief).encode()),
    )

    operation = await imported(client, pantry, files=files)

    assert (await pantry.imports.snapshot(operation))["success"] == 2
    pictures = {}
    for one in await recipes(client):
        pictures[one["title"]] = (await client.get(f"{API}/recipes/{one['id']}/image")).status
    assert pictures == {"Harbour": 200, "Thief": 422}


async def test_one_bad_file_takes_the_others_back(client, pantry, tmp_path):
    """An upload is whole or not at all."""
    good = picture(tmp_path / "a.png").read_bytes()
    answer = await client.post(f"{API}/uploads", data=form(("a.png", good), ("b.png", b"no")), headers=OURS)
    assert answer.status == 422
    assert not list((pantry.host.data_dir / "uploads").iterdir())


async def test_a_form_of_another_site_uploads_nothing(client, tmp_path):
    """Without the header that only our own scripts can set, the body is not read."""
    data = form(("a.png", picture(tmp_path / "a.png").read_bytes()))
    assert (await client.post(f"{API}/uploads", data=data)).status == 403


async def test_an_upload_of_nothing_is_said_so(client):
    """A form without a file."""
    body = FormData()
    body.add_field("note", "no file", content_type="text/plain")
    assert (await client.post(f"{API}/uploads", data=body, headers=OURS)).status == 400


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\ada\\cat.png", "cat.png"),
        ("a\0b\n.png", "a_b_.png"),
        ("..", "image"),
        ("cat.png:stream", "cat.png_stream"),
        ("\u732b.png", "\u732b.png"),
        ("x" * 300 + ".png", "x" * 116 + ".png"),
        ("\u732b" * 300 + ".recipe.json", "\u732b" * 36 + ".recipe.json"),
        ("A cat (2), 100% [final].png", "A cat (2), 100% [final].png"),
        ("cat\u202egnp.exe", "cat_gnp.exe"),
        ("NUL.png", "_NUL.png"),
        ("\udcff.png", "_.png"),
        ("." * 400, "image"),
    ],
)
def test_a_name_loses_what_could_be_a_path(name, kept):
    """Folders, streams, devices and control characters go; everything else of it stays."""
    assert safe_name(name) == kept
