"""Name every image that a request asks for, one at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from ...core.paths import storable
from ...jobs.listing import list_files
from ...jobs.request import ImportRequest
from ...jobs.zips import ENDING, members


def list_sources(request: ImportRequest) -> Iterator[tuple[str, str]]:
    """Yield source and name of every address, file and image in a zip; blocks on the disk."""
    for url in addresses_of(request):
        yield url, url.split("?")[0].rstrip("/").rsplit("/", 1)[-1]
    yield from files_and_members(request)


def addresses_of(request: ImportRequest) -> list[str]:
    """Return the addresses, each once, as text that no reader of items can take for a path on this machine."""
    return list(dict.fromkeys(storable(_with_scheme(url.strip())) for url in request.urls))


def _with_scheme(url: str) -> str:
    scheme, mark, rest = url.partition("://")
    known = mark and scheme.lower() in {"http", "https"}
    return f"{scheme.lower()}://{rest}" if known else f"https://{url}"


def files_and_members(request: ImportRequest) -> Iterator[tuple[str, str]]:
    """Yield source and name of every file and image in a zip; blocks on the disk."""
    for path in list_files(request):
        is_zip = path.lower().endswith(ENDING)
        inside = members(Path(path)) if is_zip else ((path, os.path.basename(path)),)  # noqa: PTH119 - text is enough
        yield from ((storable(source), storable(name)) for source, name in inside)
