"""Reach Pantry from ComfyUI's worker thread; Pantry itself lives on the server's event loop."""

from __future__ import annotations

import asyncio
import concurrent.futures
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from ..core.errors import ConflictError, NotFoundError

if TYPE_CHECKING:
    from ..library.library import Library
    from ..library.models import ModelFile
    from ..recipes.store import RecipeStore
    from ..services.batch_import_service import BatchImportService

T = TypeVar("T")

_PATIENCE_SECONDS = 30.0


class Parts(Protocol):
    """Name the parts that nodes need; the composition root has them."""

    problem: str | None
    recipes: RecipeStore
    library: Library
    imports: BatchImportService


class Shelf:
    """Hand out recipes and take pictures; every method blocks its caller, so none is for the event loop."""

    def __init__(self, parts_of: Callable[[], Parts | None], loop: asyncio.AbstractEventLoop) -> None:
        self._parts_of = parts_of
        self._loop = loop

    def recipe(self, wanted: str) -> dict[str, Any]:
        """Return the recipe with the id `wanted`, else the newest that fits the words in it."""
        return self._wait(self._find(wanted.strip()))

    def recipe_or_none(self, wanted: str) -> dict[str, Any] | None:
        """Return what `recipe` does, or None where there is no such recipe."""
        try:
            return self.recipe(wanted)
        except NotFoundError:
            return None

    def hashes_of(self, names: Sequence[str]) -> dict[str, str]:
        """Return the SHA256 of the models of these names that the library has hashed; none is hashed for this."""
        return self._wait(self._hashes(names))

    def store(self, picture: Path, tags: tuple[str, ...]) -> str:
        """Import one picture as any other is imported, through the same gate; return the operation's id."""
        from ..jobs.request import ImportRequest

        request = ImportRequest(files=(picture,), tags=tags, skip_duplicates=False)
        return self._wait(self._parts.imports.start(request))

    async def _hashes(self, names: Sequence[str]) -> dict[str, str]:
        found = {name: await self._parts.library.store.by_name(name) for name in dict.fromkeys(names)}
        return {name: files[0].hashes["sha256"] for name, files in found.items() if _is_one_hashed(files)}

    async def _find(self, wanted: str) -> dict[str, Any]:
        from ..recipes.store import RecipeFilter

        if not wanted:
            raise NotFoundError("Choose a recipe: its id, or words to search for.")
        recipes = self._parts.recipes
        found = await recipes.get(wanted)
        if found is None:
            page = await recipes.list(RecipeFilter(q=wanted, limit=1))
            found = await recipes.get(page["items"][0]["id"]) if page["items"] else None
        if found is None:
            raise NotFoundError(f"There is no recipe for {wanted!r}.")
        return found

    @property
    def _parts(self) -> Parts:
        """The running Pantry; raise `ConflictError` where it does not run."""
        parts = self._parts_of()
        if parts is None or parts.problem is not None:
            raise ConflictError(parts.problem if parts else "Pantry is not running; the log says why.")
        return parts

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        try:
            return asyncio.run_coroutine_threadsafe(work, self._loop).result(_PATIENCE_SECONDS)
        except (TimeoutError, concurrent.futures.TimeoutError):  # two classes before Python 3.11
            raise ConflictError("Pantry did not answer in time.") from None


def _is_one_hashed(files: Sequence[ModelFile]) -> bool:
    return len(files) == 1 and "sha256" in files[0].hashes
