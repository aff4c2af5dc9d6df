"""Sit down before one face of Pantry - its own page, or ComfyUI with the tab open - over a real Pantry."""

from __future__ import annotations

from contextlib import contextmanager
from itertools import count

from aiohttp import web

from py.jobs.request import ImportRequest
from tests.standalone.pictures import make, model
from tests.standalone.vendor import Open

from .browser import open_page
from .host import READY
from .real_pantry import RealPantry
from .serving import Server
from .telling import write

SIZE = {"width": 1280, "height": 860}
TOGGLE = "Workspace.ToggleSidebarTab.pantry"
PADDING = 5  # seconds; more than the gate adds to a wait
FIRST = 8  # recipes that are there from the start


class Tab:
    """One browser tab with Pantry open in it."""

    def __init__(self, context, url, inside_comfyui):
        self.page, self.complaints = open_page(context)
        self.url, self.inside_comfyui = url, inside_comfyui
        self.show()

    def show(self):
        """Open Pantry where it lives in this host."""
        self.page.goto(self.url if self.inside_comfyui else f"{self.url}/pantry")
        self._enter()

    def reload(self):
        """Load the page again, and open Pantry in it."""
        self.page.reload()
        self._enter()

    def _enter(self):
        if self.inside_comfyui:
            self.page.wait_for_function(READY)
            self.page.evaluate("(id) => window.app.extensionManager.command.execute(id)", TOGGLE)
        self.page.locator(".pantry-root").wait_for()

    def go(self, name):
        """Open a view by its tab, and return what holds it."""
        self.page.locator(".pantry-tabs").get_by_role("button", name=name, exact=True).click()
        return self.page.locator(".pantry-outlet")

    def find(self, word):
        """Search the recipes for a word of their titles, and return their cards."""
        self.go("Recipes")
        self.page.get_by_label("Search prompts, models, tags").fill(word)
        return self.page.locator(".pantry-recipe", has_text=word)


class Sitting:
    """A browser before one face, and what is behind it; `tab` is the one that is always open."""

    def __init__(self, browser, folder, face):
        self.face = face
        self._numbers = count(1000)
        self.pictures = make(folder / "first", FIRST, checkpoints=2, loras=4)
        self.real = RealPantry(folder, self.pictures, face)
        self.server = Server(self._build)
        self.context = browser.new_context(viewport=SIZE, accept_downloads=True)
        self.load(self.pictures.folder)
        self.tab = self.open()

    async def _build(self):
        app = web.Application(client_max_size=2**30)
        await self.real.mount(app)
        return app

    @property
    def page(self):
        return self.tab.page

    @property
    def folder(self):
        """A place of the server's for more pictures."""
        return self.real.folder

    def unheard_of(self, count):
        """Make a folder of pictures, each with a LoRA that CivitAI knows and Pantry has never asked for."""
        folder = self.folder / f"asks{next(self._numbers)}"
        for _ in range(count):
            number = next(self._numbers)
            style = self.real.civitai.catalogue.add(model("LORA", number))
            write(folder, f"ask_{number}.png", f"question {number}", loras=[style], seed=number)
        return folder

    def open(self):
        """Open Pantry in one more tab."""
        return Tab(self.context, self.server.url, self.face is not None)

    def wait_for_imports(self):
        """Wait until no import is under way, whatever the page knows of it."""
        self.call(self._all_ended())

    async def _all_ended(self):
        imports = self.real.pantry.imports
        for job in (await imports.list())["items"]:
            await imports.wait(job["operation_id"])

    def call(self, work):
        """Run a coroutine where Pantry runs."""
        return self.server.call(work)

    def load(self, folder):
        """Import a folder without the page; return the last snapshot."""
        return self.call(self._load(folder))

    async def _load(self, folder):
        imports = self.real.pantry.imports
        return await imports.wait(await imports.start(ImportRequest(directories=(folder,))))

    @contextmanager
    def vendor(self, policy, refusal):
        """Let CivitAI refuse for a while; afterwards its window is over, which takes no time."""
        civitai = self.real.civitai
        civitai.policy, civitai.refusal = policy, refusal
        yield civitai
        assert civitai.journal.inside_windows == 0
        civitai.policy = Open()
        self.real.clock.forward(refusal.seconds + PADDING)

    def mend(self):
        """Give the sockets back; what the browser itself said about their loss is no complaint of ours."""
        self.call(self.real.lines.mend())
        heard = self.tab.complaints.heard
        heard[:] = [one for one in heard if "WebSocket connection to" not in one]

    def check(self):
        """Close every other tab, and see that none had anything to complain about."""
        for page in self.context.pages:
            if page is not self.page:
                page.close()
        heard, self.tab.complaints.heard = self.tab.complaints.heard, []
        assert heard == []

    def close(self):
        self.context.close()
        self.server.close()
