"""Walk through the page of its own."""

from __future__ import annotations


def go(page, path):
    """Open a view by its address."""
    page.evaluate("(path) => { location.hash = '#/' + path }", path)
