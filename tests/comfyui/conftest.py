"""Start the browser once, and each host once per file that needs it."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

import pytest
from aiohttp import web
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import sync_playwright

from .browser import HOW_TO_GET, find_browser, launch, open_page
from .fake_api import FakeApi
from .front_ends import IN_MAKE_TEST, MATRIX, fetch
from .host import READY, MinimalHost
from .page_host import add_page
from .serving import Server
from .sitting import Sitting

BROKEN = Path(__file__).resolve().parents[2] / "artifacts" / "failures"


# Playwright keeps an event loop running on this thread, so it must be gone before other folders' tests begin.
@pytest.fixture(scope="package")
def browser():
    path = find_browser()
    if path is None:
        pytest.skip(HOW_TO_GET)
    with sync_playwright() as playwright:
        browser = launch(playwright, path)
        yield browser
        browser.close()


def pytest_generate_tests(metafunc):
    """Run in the oldest and the newest front end, or in the whole matrix; whole flows in our own page too."""
    versions = MATRIX if metafunc.config.getoption("--matrix") else IN_MAKE_TEST
    if "front_end" in metafunc.fixturenames:
        metafunc.parametrize("front_end", versions, indirect=True, scope="module")
    if "face" in metafunc.fixturenames:
        metafunc.parametrize("face", [None, *versions], indirect=True, ids=["standalone", *versions])
    if {"scheme", "shared"} <= set(metafunc.fixturenames):
        schemes = ["dark", "light"] if metafunc.config.getoption("--matrix") else ["dark"]
        metafunc.parametrize("scheme", schemes, indirect=True)
    if "shared" in metafunc.fixturenames:
        faces = wished(metafunc, [None, *versions])
        metafunc.parametrize(
            "shared", faces, indirect=True, ids=[one or "standalone" for one in faces], scope="package"
        )


def wished(metafunc, faces):
    """Leave out the faces that a test's marks leave out."""
    marks = {mark.name: mark.args for mark in metafunc.definition.iter_markers()}
    if "quick_faces" in marks and not metafunc.config.getoption("--matrix"):
        faces = list(marks["quick_faces"])
    return [one for one in faces if one or "in_comfyui" not in marks]


@pytest.fixture(scope="module")
def front_end(request):
    return wanted(request.param)


@pytest.fixture
def face(request):
    """None for the page of its own, else a version of ComfyUI's front end."""
    return wanted(request.param)


# One for all the flows of a face: a front end takes longer to open than most flows take.
@pytest.fixture(scope="package")
def shared(request, browser, tmp_path_factory):
    sitting = Sitting(browser, tmp_path_factory.mktemp("sitting"), wanted(request.param))
    yield sitting
    sitting.close()


@pytest.fixture
def sitting(shared):
    """A browser before one face, over a real Pantry with eight recipes; other flows may have added some."""
    yield shared
    shared.check()


def wanted(version):
    if version and not fetch(version):
        pytest.skip(f"ComfyUI's front end {version} is not here; get it with: python -m tests.comfyui.front_ends")
    return version


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Keep what was on screen when a flow broke, in artifacts/failures: a race seldom shows itself twice."""
    report = yield
    seen = [one for one in getattr(item, "funcargs", {}).values() if hasattr(one, "page")]
    if report.when == "call" and report.failed and seen:
        name = re.sub(r"[^\w.-]+", "-", item.name)
        BROKEN.mkdir(parents=True, exist_ok=True)
        with suppress(PlaywrightError):  # the page itself may be what broke
            seen[0].page.screenshot(path=BROKEN / f"{name}.png")
            (BROKEN / f"{name}.html").write_text(seen[0].page.content(), encoding="utf-8")
    return report


class Scene:
    """A page with its server, its scripted back end and its complaints."""

    def __init__(self, server, api, page, complaints, host=None):
        self.server, self.api, self.page, self.complaints, self.host = server, api, page, complaints, host

    def push(self, event, data):
        """Send an event as the server would."""
        self.server.call(self.api.push(event, data))

    def run(self, command):
        """Run one of ComfyUI's commands."""
        self.page.evaluate("(id) => window.app.extensionManager.command.execute(id)", command)


@pytest.fixture(scope="module")
def comfy(browser, front_end):
    """ComfyUI's own front end of one version, with Pantry loaded over a scripted back end."""
    api, host = FakeApi(), MinimalHost(front_end)

    async def build():
        app = web.Application()
        api.mount(app)
        host.mount(app)
        api.publish = host.publish
        return app

    server = Server(build)
    context = browser.new_context(viewport={"width": 1280, "height": 860})
    page, complaints = open_page(context)
    page.goto(server.url)
    page.wait_for_function(READY)
    yield Scene(server, api, page, complaints, host)
    context.close()
    server.close()


@pytest.fixture(scope="module")
def own_page(browser):
    """A server of the page over a scripted back end, and a browser that keeps what it has fetched."""
    api = FakeApi()

    async def build():
        app = web.Application()
        api.mount(app)
        add_page(app, api.socket)
        return app

    server = Server(build)
    context = browser.new_context(viewport={"width": 1100, "height": 800})
    yield server, api, context
    context.close()
    server.close()


@pytest.fixture
def standalone(own_page):
    """A fresh page of its own; the back end has forgotten earlier tests."""
    server, api, context = own_page
    api.reset()
    page, complaints = open_page(context)
    yield Scene(server, api, page, complaints)
    for one in context.pages:
        one.close()
