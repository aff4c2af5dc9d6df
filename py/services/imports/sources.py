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
    for url in dict.fromkeys(request.urls):
        yield storable(url), storable(url.split("?")[0].rstrip("/").rsplit("/", 1)[-1])
    yield from files_and_members(request)


def files_and_members(request: ImportRequest) -> Iterator[tuple[str, str]]:
    """Yield source and name of every file and image in a zip; blocks on the disk."""
    for path in list_files(request):
        is_zip = path.lower().endswith(ENDING)
        inside = members(Path(path)) if is_zip else ((path, os.path.basename(path)),)  # noqa: PTH119 - text is enough
        yield from ((storable(source), storable(name)) for source, name in inside)
