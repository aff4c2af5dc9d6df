"""Drive the HTTP API as a browser would, on a real Pantry with a real database."""

from __future__ import annotations

import asyncio
import csv
import io

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from tests.routes.conftest import FROM_ELSEWHERE

TEXT = "a cat, {name}\nNegative prompt: blurry\nSteps: 20, Sampler: Euler a, CFG scale: 7, Seed: {seed}, Size: 512x768"
API = "/pantry/api"


def picture(path, seed=1, **texts):
    info = PngInfo()
    for key, text in {"parameters": TEXT.format(name=path.stem, seed=seed), **texts}.items():
        info.add_text(key, text)
    Image.new("RGB", (600, 400), (seed % 255, 0, 0)).save(path, pnginfo=info)
    return path


@pytest.fixture
def folder(host):
    """Three images in ComfyUI's output folder; none needs a look-up."""
    for number in range(3):
        picture(host.output_folders[0] / f"cat{number}.png", seed=number)
    return host.output_folders[0]


async def imported(client, pantry, **body):
    answer = await client.post(f"{API}/batch-imports", json=body)
    assert answer.status == 202, await answer.text()
    operation = (await answer.json())["operation_id"]
    await asyncio.wait_for(pantry.imports.wait(operation), 20)
    return operation


async def recipes(client, **query):
    return (await (await client.get(f"{API}/recipes", params=query)).json())["items"]


async def test_a_folder_becomes_recipes(client, pantry, folder):
    """POST answers at once with an id; the snapshot says how it ended."""
    operation = await imported(client, pantry, directory=str(folder), tags=["spring"])
    done = await (await client.get(f"{API}/batch-imports/{operation}")).json()
    assert (done["status"], done["total"], done["success"], done["rate_limited"]) == ("completed", 3, 3, False)
    assert {one["tags"][0] for one in await recipes(client)} == {"spring"}
    listed = await (await client.get(f"{API}/batch-imports")).json()
    assert [one["operation_id"] for one in listed["items"]] == [operation]


async def test_items_and_report_tell_every_file(client, pantry, folder):
    """Items filter by state in any case and name their recipes; the report is a file to keep."""
    operation = await imported(client, pantry, directory=str(folder))
    items = await (await client.get(f"{API}/batch-imports/{operation}/items?status=success")).json()
    assert sorted(one["name"] for one in items["items"]) == ["cat0.png", "cat1.png", "cat2.png"]
    made = {one["id"]: f"{one['title']}.png" for one in await recipes(client)}
    assert {one["recipe_id"]: one["name"] for one in items["items"]} == made, "each item leads to its recipe"
    report = await client.get(f"{API}/batch-imports/{operation}/report?format=csv")
    assert "attachment" in report.headers["Content-Disposition"]
    assert len(list(csv.DictReader(io.StringIO(await report.text())))) == 3


async def test_a_recipe_can_be_read_changed_and_removed(client, pantry, folder):
    """GET, PATCH and DELETE; a removed recipe's image stays where it is."""
    await imported(client, pantry, directory=str(folder))
    identity = (await recipes(client))[0]["id"]
    shown = await (await client.get(f"{API}/recipes/{identity}")).json()
    assert (shown["steps"], shown["negative_prompt"], shown["vae"]) == (20, "blurry", None)
    changed = await client.patch(f"{API}/recipes/{identity}", json={"title": "A cat", "favourite": True, "rating": 4})
    assert (await changed.json())["title"] == "A cat"
    assert [one["id"] for one in await recipes(client, favourite="true")] == [identity]
    assert (await client.delete(f"{API}/recipes/{identity}")).status == 204
    assert (await client.get(f"{API}/recipes/{identity}")).status == 404
    assert len(list(folder.glob("*.png"))) == 3


async def test_a_recipes_pictures_are_pictures(client, pantry, folder):
    """The thumbnail is a small WebP, the image is the file itself; both say their type and allow no guessing."""
    await imported(client, pantry, directory=str(folder))
    identity = (await recipes(client))[0]["id"]
    thumbnail = await client.get(f"{API}/recipes/{identity}/thumbnail")
    with Image.open(io.BytesIO(await thumbnail.read())) as small:
        assert (small.format, max(small.size)) == ("WEBP", 384)
    image = await client.get(f"{API}/recipes/{identity}/image")
    assert (image.content_type, image.headers["X-Content-Type-Options"]) == ("image/png", "nosniff")
    assert (await image.read())[:4] == b"\x89PNG"


async def test_a_picture_that_became_something_else_is_not_served(client, pantry, folder):
    """The file behind a row may have changed since; only pictures leave this machine."""
    await imported(client, pantry, directory=str(folder))
    identity = (await recipes(client))[0]["id"]
    (await pantry.recipes.source_path(identity)).write_text("<script>alert(1)</script>", encoding="utf-8")
    assert (await client.get(f"{API}/recipes/{identity}/image")).status in (404, 422)
    assert (await client.get(f"{API}/recipes/{identity}/thumbnail")).status == 422


async def test_a_workflow_comes_back_as_it_is_in_the_image(client, pantry, host):
    """What the canvas loads is what the image carries; an image without one is a 404."""
    picture(host.output_folders[0] / "a.png", workflow='{"nodes": [], "links": []}')
    picture(host.output_folders[0] / "b.png", seed=2)
    await imported(client, pantry, directory=str(host.output_folders[0]))
    answers = {}
    for one in await recipes(client):
        answer = await client.get(f"{API}/recipes/{one['id']}/workflow")
        answers[answer.status] = await answer.json()
    assert answers[200] == {"nodes": [], "links": []}
    assert answers[404]["error"]["code"] == "not_found"


async def test_what_is_not_there_is_not_found(client):
    """Every route with an id says so in the same shape."""
    for method, path in (
        ("get", "/recipes/nope"),
        ("patch", "/recipes/nope"),
        ("delete", "/recipes/nope"),
        ("get", "/recipes/nope/image"),
        ("get", "/recipes/nope/thumbnail"),
        ("get", "/batch-imports/nope"),
        ("get", "/batch-imports/nope/items"),
        ("get", "/batch-imports/nope/report"),
        ("post", "/batch-imports/nope/pause"),
        ("post", "/batch-imports/nope/retry"),
        ("get", "/no-such-route"),
    ):
        body = {"json": {"title": "x"}} if method == "patch" else {}
        answer = await getattr(client, method)(API + path, **body)
        assert (answer.status, (await answer.json())["error"]["code"]) == (404, "not_found"), path


async def test_a_wrong_verb_is_told_which_are_right(client):
    """A path that exists answers 405 with Allow; one that does not, 404."""
    for method in ("PUT", "DELETE", "POST"):
        answer = await client.request(method, f"{API}/network")
        assert (answer.status, answer.headers["Allow"]) == (405, "GET")
    for path in ("nothing", "batch-imports/a%0Ab/pause", "%0A"):
        answer = await client.request("POST", f"{API}/{path}")
        assert (answer.status, answer.content_type) == (404, "application/json")


async def test_recipes_are_sorted_as_asked(client, pantry, folder):
    """Every order that the reference names is taken; others are refused."""
    await imported(client, pantry, directory=str(folder))
    for sort in ("newest", "oldest", "title", "-title", "rating", "updated", "missing"):
        assert len(await recipes(client, sort=sort)) == 3
    assert (await client.get(f"{API}/recipes?sort=luck")).status == 400
    identity = (await recipes(client))[0]["id"]
    assert (await client.patch(f"{API}/recipes/{identity}", json={"rating": 9})).status == 400
    assert (await client.patch(f"{API}/recipes/{identity}", json={"nsfw_level": 3})).status == 400
    assert (await client.patch(f"{API}/recipes/{identity}", json={"nsfw_level": 4})).status == 200
    assert len(await recipes(client, nsfw="2")) == 2
    assert (await client.get(f"{API}/recipes?nsfw=3")).status == 400


async def test_a_filter_that_nothing_can_fit_is_refused(client, pantry, folder):
    """A word that is no state or reason is the caller's error, and the answer names those that there are."""
    operation = await imported(client, pantry, directory=str(folder))
    sync = (await (await client.post(f"{API}/metadata-syncs", json={})).json())["operation_id"]
    for path, there_is in (
        ("models?state=bogus", "synced"),
        (f"batch-imports/{operation}/items?status=bogus", "SKIPPED"),
        (f"batch-imports/{operation}/items?reason=bogus", "rate_limited"),
        (f"metadata-syncs/{sync}/items?status=bogus", "SKIPPED"),
    ):
        answer = await client.get(f"{API}/{path}")
        error = (await answer.json())["error"]
        assert (answer.status, error["code"]) == (400, "invalid_request"), path
        assert "bogus" in error["message"]
        assert there_is in error["message"]
    assert (await client.get(f"{API}/metadata-syncs/{sync}/items?status=skipped&reason=Rate_Limited")).status == 200
    assert (await client.get(f"{API}/models?state=offline&type=no-such-folder")).status == 200


@pytest.mark.parametrize(
    "path", ["recipes?offset=", "models?offset=", "models?cursor=", "batch-imports?cursor=", "metadata-syncs?cursor="]
)
async def test_a_number_beyond_all_counting_is_the_callers_error(client, path):
    """What SQLite cannot hold is refused as a request, not as a defect of ours."""
    answer = await client.get(f"{API}/{path}{10**20}")
    assert (answer.status, (await answer.json())["error"]["code"]) == (400, "invalid_request")


async def test_a_chosen_folder_is_remembered(client, pantry, tmp_path):
    """Whoever sits at this machine may import any folder, which anybody may then import again."""
    chosen = tmp_path / "pictures"
    chosen.mkdir()
    picture(chosen / "a.png")
    await imported(client, pantry, directory=str(chosen))
    assert pantry.settings.get("import_folders") == (str(chosen),)
    answer = await client.post(f"{API}/batch-imports", json={"directory": str(chosen)}, headers=FROM_ELSEWHERE)
    assert answer.status == 202


async def test_a_remote_peer_imports_only_what_it_may(client, folder, tmp_path):
    """From another machine: ComfyUI's folders yes, anything else no, and nothing is remembered."""
    for path, status in ((folder, 202), (tmp_path, 403), (tmp_path / "data", 403), ("/etc", 403)):
        body = {"directory": str(path)}
        answer = await client.post(f"{API}/batch-imports", json=body, headers=FROM_ELSEWHERE)
        assert answer.status == status, path
    answer = await client.post(f"{API}/batch-imports", json={"files": ["/etc/passwd"]}, headers=FROM_ELSEWHERE)
    assert answer.status == 403


@pytest.mark.parametrize(
    "body", [{}, {"directory": ""}, {"directory": "/no/such/folder"}, {"directory": "x"}, {"files": [1]}]
)
async def test_an_import_of_nothing_is_refused(client, body):
    """Nothing is started where there is nothing to import."""
    answer = await client.post(f"{API}/batch-imports", json=body)
    assert answer.status in (400, 404)
    assert not (await (await client.get(f"{API}/batch-imports")).json())["items"]


async def test_settings_change_at_once_and_keep_secrets(client, pantry):
    """PATCH writes the file; the key goes in and never comes out."""
    body = {"rate_limit_min_interval_seconds": 2, "civitai_api_key": "s3cret-key-9876"}
    changed = await client.patch(f"{API}/settings", json=body)
    shown = await changed.json()
    assert shown["rate_limit_min_interval_seconds"] == 2.0
    assert shown["civitai_api_key"]["set"] is True
    assert shown["civitai_api_key"]["hint"].endswith("9876")
    assert "s3cret" not in await (await client.get(f"{API}/settings")).text()
    assert pantry.settings.get("civitai_api_key") == "s3cret-key-9876"


async def test_settings_are_changed_all_or_none(client, pantry):
    """One bad value, and nothing is written."""
    body = {"rate_limit_min_interval_seconds": 3, "batch_import_concurrency": 99}
    answer = await client.patch(f"{API}/settings", json=body)
    assert answer.status == 400
    assert pantry.settings.get("rate_limit_min_interval_seconds") == 0.75
    assert (await client.patch(f"{API}/settings", json={"no_such": 1})).status == 400


async def test_a_remote_peer_turns_no_key_and_no_address(client):
    """Whoever could set civitai_api_base from elsewhere would be sent the key."""
    for body in (
        {"civitai_api_base": "https://evil.example"},
        {"import_folders": ["/"]},
        {"allow_remote_changes": True},
    ):
        assert (await client.patch(f"{API}/settings", json=body, headers=FROM_ELSEWHERE)).status == 403
    answer = await client.patch(f"{API}/settings", json={"skip_duplicates": False}, headers=FROM_ELSEWHERE)
    assert answer.status == 200


async def test_the_network_is_a_list_of_hosts(client):
    """Nobody has been asked yet, so nobody waits."""
    answer = await (await client.get(f"{API}/network")).json()
    assert all(not one["waiting"] for one in answer["items"])


async def test_folders_can_be_browsed(client, host, tmp_path):
    """Only folders and a count of images; hidden folders are left out."""
    for name in ("b", "A", ".hidden"):
        (tmp_path / "output" / name).mkdir(parents=True)
    picture(host.output_folders[0] / "x.png")
    answer = await (await client.get(f"{API}/folders", params={"path": str(host.output_folders[0])})).json()
    assert ([one["name"] for one in answer["folders"]], answer["images"]) == (["A", "b"], 1)
    remote = await client.get(f"{API}/folders", params={"path": str(host.output_folders[0])}, headers=FROM_ELSEWHERE)
    assert (await remote.json())["parent"] is None
    outside = await client.get(f"{API}/folders", params={"path": str(tmp_path)}, headers=FROM_ELSEWHERE)
    assert outside.status == 403
    roots = await (await client.get(f"{API}/folders", headers=FROM_ELSEWHERE)).json()
    assert [one["path"] for one in roots["roots"]] == [str(host.output_folders[0])]


async def test_the_same_routes_answer_below_api(client):
    """ComfyUI's front end puts /api before every path, so standalone does as well."""
    assert (await client.get(f"/api{API}/settings")).status == 200


async def test_events_reach_the_page(client, pantry, folder):
    """The last message of an import says completed."""
    page = await client.ws_connect("/pantry/ws")
    await imported(client, pantry, directory=str(folder))
    last = None
    while last is None or last["type"] != "pantry.batch_import" or last["data"]["status"] != "completed":
        last = await asyncio.wait_for(page.receive_json(), 5)
    assert str(folder) not in str({**last["data"], "source": ""})
    await page.close()


async def test_many_recipes_change_together(client, pantry, folder):
    """Tags, favourites, delete and undo; a remote peer deletes nothing."""
    await imported(client, pantry, directory=str(folder))
    ids = [one["id"] for one in await recipes(client)]

    async def bulk(action, headers=None, **more):
        answer = await client.post(f"{API}/recipes/bulk", json={"ids": ids, "action": action, **more}, headers=headers)
        return answer.status, (await answer.json()).get("changed")

    assert await bulk("add_tags", tags=["x"]) == (200, 3)
    assert len(await recipes(client, tag="x")) == 3
    assert (await bulk("delete", headers=FROM_ELSEWHERE))[0] == 403
    assert await bulk("delete") == (200, 3)
    assert await recipes(client) == []
    assert await bulk("restore") == (200, 3)
    assert len(await recipes(client)) == 3
    assert (await bulk("burn"))[0] == 400


async def test_facets_count_what_fits(client, pantry, folder):
    """The values to filter by, and how many recipes have each."""
    await imported(client, pantry, directory=str(folder), tags=["spring"])
    facets = await (await client.get(f"{API}/recipes/facets")).json()
    assert facets["tags"] == [{"value": "spring", "count": 3}]


async def test_hashing_is_paused_and_resumed(client):
    """Both answer with the state that holds from then on, which can also be read; twice does no harm."""
    for _ in range(2):
        paused = await client.post(f"{API}/models/hashing/pause")
        assert await paused.json() == {"paused": True, "left": 0}
    assert (await (await client.get(f"{API}/models/hashing")).json())["paused"] is True
    resumed = await client.post(f"{API}/models/hashing/resume")
    assert await resumed.json() == {"paused": False, "left": 0}


async def test_a_model_without_hash_is_not_refreshed_while_hashing_is_paused(client, pantry, tmp_path):
    """The answer says what to do instead of hanging."""
    (tmp_path / "loras").mkdir()
    (tmp_path / "loras" / "a.safetensors").write_bytes(b"weights")
    pantry.settings.update({"model_folders": {"loras": [str(tmp_path / "loras")]}})
    await client.post(f"{API}/models/hashing/pause")
    await pantry.library.scan()
    (model,) = (await (await client.get(f"{API}/models")).json())["items"]
    answer = await client.post(f"{API}/models/{model['id']}/refresh")
    assert (answer.status, "paused" in (await answer.json())["error"]["message"]) == (409, True)
