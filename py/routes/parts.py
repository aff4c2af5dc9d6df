"""Name the parts that handlers call; the composition root has them, tests may bring others."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:  # ComfyUI mounts the routes long before the services are needed
    from ..core.ports import Clock, JsonObject, ProgressSink
    from ..library.library import Library
    from ..recipes.store import RecipeStore
    from ..recipes.thumbnails import Thumbnails
    from ..services.batch_import_service import BatchImportService
    from ..services.downloader import Downloader
    from ..services.metadata_sync_service import MetadataSyncService
    from ..services.model_previews import ModelPreviews
    from ..services.rate_limit_coordinator import RateLimitCoordinator
    from ..services.recipe_backup_service import RecipeBackupService
    from ..services.recipe_pictures import RecipePictures
    from ..services.settings_manager import SettingsManager
    from ..storage.database import Database
    from ..vendors.archive_db.reader import ArchiveDatabase


@dataclass(frozen=True, slots=True, kw_only=True)
class HostInfo:
    """Describe where Pantry runs: its data folder, the host's folders, who takes events, and where it listens."""

    data_dir: Path
    sink: ProgressSink
    input_folders: tuple[Path, ...] = ()
    output_folders: tuple[Path, ...] = ()
    model_folders: Callable[[], Mapping[str, tuple[Path, ...]]] = field(default=dict)
    inside_comfyui: bool = False
    listens_on: tuple[str, ...] = ("127.0.0.1",)


class JobService(Protocol):
    """Name the verbs that every kind of long job answers to; each raises `NotFoundError` for an unknown id."""

    async def list(self, limit: int = 20, cursor: str | None = None) -> JsonObject:
        """Return a page of snapshots, newest first."""
        ...

    async def snapshot(self, job_id: str, /) -> JsonObject:
        """Return one job as its progress event carries it."""
        ...

    async def items(
        self,
        job_id: str,
        /,
        *,
        status: str | None = None,
        reason: str | None = None,
        limit: int = 100,
        cursor: str | None = None,
    ) -> JsonObject:
        """Return a page of a job's items."""
        ...

    async def pause(self, job_id: str, /) -> Any:
        """Pause once what is under way is finished."""
        ...

    async def resume(self, job_id: str, /) -> Any:
        """Go on."""
        ...

    async def cancel(self, job_id: str, /) -> Any:
        """Stop for good."""
        ...

    async def retry(self, job_id: str, /, reason: str | None = None) -> Any:
        """Run again what waited or failed, for one reason or any."""
        ...

    async def report(self, job_id: str, form: str, /) -> AsyncIterator[str]:
        """Return the parts of a text with one line per item, as ``csv`` or ``json``."""
        ...


class Parts(Protocol):
    """Everything that a handler may reach; attributes exist once `start` has returned."""

    host: HostInfo
    clock: Clock
    problem: str | None
    settings: SettingsManager
    coordinator: RateLimitCoordinator
    downloader: Downloader
    imports: BatchImportService
    library: Library
    syncs: MetadataSyncService
    previews: ModelPreviews
    pictures: RecipePictures
    backup: RecipeBackupService
    database: Database
    archive: ArchiveDatabase
    recipes: RecipeStore
    thumbnails: Thumbnails
