"""Find the system's Chromium and open pages in it that see nothing but this machine."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass, field

from playwright.sync_api import Browser, BrowserContext, Page, Playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
]
# Everything waits for what is on screen; this only ends a wait that has no hope, on a machine that is busy.
PATIENCE = 45_000  # milliseconds
HOW_TO_GET = "no Chromium on PATH; on Debian and Ubuntu: apt install chromium"
# What the front ends themselves say where only this machine can be reached and hardly any route answers.
OURS = re.compile(r"pantry", re.IGNORECASE)


def find_browser() -> str | None:
    """Return the path of a Chromium, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def launch(playwright: Playwright, path: str) -> Browser:
    """Start a headless browser."""
    return playwright.chromium.launch(executable_path=path, headless=True, args=FLAGS)


@dataclass
class Complaints:
    """Collect console errors and uncaught exceptions that mention our files."""

    heard: list[str] = field(default_factory=list)

    def listen(self, page: Page) -> None:
        """Hear everything that the page complains about."""
        page.on("console", lambda message: message.type == "error" and self._take(f"{message.text} {message.location}"))
        page.on("pageerror", lambda error: self._take(f"{error.message} {error.stack}"))

    def _take(self, text: str) -> None:
        if OURS.search(text):
            self.heard.append(text)


def open_page(context: BrowserContext) -> tuple[Page, Complaints]:
    """Open a page whose complaints are heard."""
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    complaints = Complaints()
    complaints.listen(page)
    return page, complaints
