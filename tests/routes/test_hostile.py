"""Throw at every endpoint what no page would send, and get an answer each time."""

from __future__ import annotations

import json
import random

import pytest

from py.routes.table import ENDPOINTS, PREFIX

HOSTILE = [
    "",
    " ",
    "\0",
    "../../etc/passwd",
    "..%2f..%2fetc",
    "' OR 1=1 --",
    '" UNION SELECT 1',
    "\u202e\U0001f431",
    "-1",
    "0",
    "1e309",
    "NaN",
    str(2**63),
    str(2**80),
    "true",
    "null",
    "x" * 3000,
    "*",
    'NEAR("a", "b")',
    "%",
    "a:b",
    "\\\\server\\share",
    "[]",
    "\r\nX-Injected: 1",
]
BODIES = [
    None,
    True,
    0,
    -1,
    2**80,
    1.5,
    "",
    "x",
    [],
    ["x"],
    [1],
    [[]],
    {},
    {"a": 1},
    "\0",
    "../..",
    ["\0"],
    ["x"] * 2000,
]
ENDPOINT_IDS = [f"{one.method} {one.path}" for one in ENDPOINTS]


async def answered(response):
    """Hold one answer to the contract: no defect of ours, and errors in the one shape."""
    text = await response.text()
    assert response.status < 500 or response.status in (502, 503), (response.url, text)
    assert "X-Injected" not in response.headers
    if response.status >= 400 and response.headers.get("Content-Type", "").startswith("application/json"):
        assert set(json.loads(text)["error"]) >= {"code", "message"}


def filled(path, rng):
    for name in ("{id}", "{host}"):
        path = path.replace(name, rng.choice(["nope", "1", "..", "a.b", "%00", "9" * 30, "%2e%2e", "' --", "\u732b"]))
    return PREFIX + path


def plain(path):
    return PREFIX + path.replace("{id}", "1").replace("{host}", "civitai.red")


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=ENDPOINT_IDS)
async def test_no_query_breaks_an_endpoint(client, endpoint):
    """Every parameter takes or refuses every text."""
    rng = random.Random(endpoint.path)
    for _ in range(15):
        query = [(one.name, rng.choice(HOSTILE)) for one in endpoint.query] + [("other", rng.choice(HOSTILE))]
        await answered(await client.request(endpoint.method, filled(endpoint.path, rng), params=query))


@pytest.mark.parametrize("endpoint", [one for one in ENDPOINTS if one.method != "GET"], ids=lambda one: one.path)
async def test_no_body_breaks_an_endpoint(client, endpoint):
    """Every field takes or refuses every JSON value."""
    rng = random.Random(endpoint.path)
    names = [one.name for one in endpoint.body or ()] or ["civitai_api_base", "import_folders", "model_folders"]
    for _ in range(15):
        body = {name: rng.choice(BODIES) for name in rng.sample(names, rng.randint(1, len(names)))}
        await answered(await client.request(endpoint.method, filled(endpoint.path, rng), json=body))


async def test_every_endpoint_refuses_another_site(client):
    """No route is forgotten by the guard: writes of a foreign page are refused before anything is read."""
    for endpoint in ENDPOINTS:
        headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors", "Origin": "https://evil.example"}
        answer = await client.request(endpoint.method, plain(endpoint.path), headers=headers)
        assert answer.status == 403, endpoint.path


async def test_every_endpoint_refuses_another_name(client):
    """No route is forgotten: a rebound name reads nothing either."""
    for endpoint in ENDPOINTS:
        headers = {"Host": "evil.example"}
        answer = await client.request(endpoint.method, plain(endpoint.path), headers=headers)
        assert answer.status == 403, endpoint.path


def test_reading_changes_nothing():
    """Every GET is an action whose name says so; whatever starts or changes something is not a GET."""
    reading = {
        "export",
        "log",
        "listing",
        "get",
        "read",
        "hashing",
        "hosts",
        "browse",
        "facets",
        "snapshot",
        "items",
        "report",
    }
    pictures = {"thumbnail", "image", "workflow", "preview"}
    assert {one.action.__name__ for one in ENDPOINTS if one.method == "GET"} <= reading | pictures
