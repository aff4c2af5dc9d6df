"""Build Pantry: the only place where parts are made and given to each other.

Parts are imported when they are built, so that ComfyUI's start pays for nothing but this module.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .core.clock import SystemClock
from .core.ports import Clock, Transport
from .net.destination import host_of
from .routes.parts import HostInfo

if TYPE_CHECKING:
    from .library.library import Library
    from .library.news import ModelNews
    from .recipes.draft import Reading
    from .recipes.store import RecipeStore
    from .recipes.thumbnails import Thumbnails
    from .services.batch_import_service import BatchImportService
    from .services.civitai_client import CivitaiClient
    from .services.connectivity_guard import ConnectivityGuard
    from .services.downloader import Downloader
    from .services.housekeeping_service import HousekeepingService
    from .services.metadata_sync_service import MetadataSyncService
    from .services.model_metadata_provider import FallbackMetadataProvider
    from .services.model_previews import ModelPreviews
    from .services.picture_fetcher import PictureFetcher
    from .services.rate_limit_coordinator import RateLimitCoordinator
    from .services.recipe_backup_service import RecipeBackupService
    from .services.recipe_healer import RecipeHealer
    from .services.recipe_pictures import RecipePictures
    from .services.settings_manager import SettingsManager
    from .services.watch_service import WatchService
    from .storage.database import Database
    from .vendors.archive_db.reader import ArchiveDatabase

__all__ = ["HostInfo", "Pantry"]

log = logging.getLogger(__name__)

ROOT = Path(__file__).resolve().parent.parent
WEB_FOLDER = ROOT / "web"
DATABASE_NAME = "pantry.sqlite"


class Pantry:
    """Hold the parts of one running Pantry; they exist once `start` has returned.

    `problem` is a sentence for people where it cannot work at all, which routes answer with; else None.
    """

    settings: SettingsManager
    database: Database
    coordinator: RateLimitCoordinator
    guard: ConnectivityGuard
    downloader: Downloader
    provider: FallbackMetadataProvider
    imports: BatchImportService
    library: Library
    news: ModelNews
    healer: RecipeHealer
    civitai: CivitaiClient
    archive: ArchiveDatabase
    picture_fetcher: PictureFetcher
    previews: ModelPreviews
    pictures: RecipePictures
    syncs: MetadataSyncService
    recipes: RecipeStore
    thumbnails: Thumbnails
    watch: WatchService
    backup: RecipeBackupService
    housekeeping: HousekeepingService

    def __init__(self, host: HostInfo, clock: Clock | None = None, transport: Transport | None = None) -> None:
        self.host = host
        self.clock = clock or SystemClock()
        self.problem: str | None = "Pantry is starting; try again in a moment."
        self._transport = transport

    async def start(self) -> None:
        """Read the settings, open the database, and build every part, lowest first."""
        from .services.settings_manager import SettingsManager
        from .storage.database import Database

        self.host.data_dir.mkdir(parents=True, exist_ok=True)
        self.settings = SettingsManager(self.host.data_dir / "settings.json")
        self._reads_sidecars = bool(self.settings.get("read_sidecar_texts"))
        self.settings.subscribe(self._note_settings)
        self.database = await Database.open(self.host.data_dir / DATABASE_NAME)
        self._build_network()
        await self.coordinator.load()
        self._build_library()
        self._build_lookups()
        self._build_syncs()
        self._build_recipes()
        self.problem = None
        log.info("Pantry keeps its data in %s", self.host.data_dir)

    async def carry_on(self) -> None:
        """Go on with what earlier runs left, watch folders, and look for new models; for servers, not for commands."""
        await self.imports.resume_unfinished()
        await self.syncs.resume_unfinished()
        self.watch.start()
        self.library.start()
        self.healer.look_again()
        self.housekeeping.start()

    async def close(self) -> None:
        """Stop what runs, lose nothing, and release files and sockets; safe to call after a failed start."""
        self.problem = "Pantry has been closed."
        for name in (
            "watch",
            "housekeeping",
            "imports",
            "syncs",
            "library",
            "healer",
            "news",
            "archive",
            "downloader",
            "coordinator",
            "database",
        ):
            part = getattr(self, name, None)
            if part is not None:
                await part.close()

    def _build_network(self) -> None:
        from .net.aiohttp_transport import AiohttpTransport
        from .net.policy import GatePolicy
        from .services.connectivity_guard import ConnectivityGuard
        from .services.downloader import Downloader
        from .services.rate_limit_coordinator import RateLimitCoordinator
        from .storage.window_store import WindowStore

        def policy() -> GatePolicy:
            return GatePolicy.from_settings(self.settings.all().__getitem__)

        self.guard = ConnectivityGuard(self.clock)
        self.coordinator = RateLimitCoordinator(self.clock, policy, memory=WindowStore(self.database))
        self.downloader = Downloader(
            self._transport or AiohttpTransport(self.clock),
            self.guard,
            self.coordinator,
            self.clock,
            policy=policy,
            auth=self._auth,
        )

    def _auth(self, host: str) -> Mapping[str, str]:
        """Return the headers that carry our key, for CivitAI's own host and no other."""
        key = self.settings.get("civitai_api_key")
        if not key or host != host_of(self.settings.get("civitai_api_base")):
            return {}
        return {"Authorization": f"Bearer {key}"}

    def _build_library(self) -> None:
        from .library.library import Library
        from .library.news import ModelNews
        from .services.recipe_healer import RecipeHealer

        self.news = ModelNews(self.clock, self.host.sink)
        self.library = Library(self.database, self._model_folders, self.clock, changed=self._tell_models)
        look_again = self.library.hasher.look_again
        self.healer = RecipeHealer(self.database, clock=self.clock, sink=self.host.sink, looked=look_again)

    def _model_folders(self) -> Mapping[str, tuple[Path, ...]]:
        """Return the model folders by type: the host's own inside ComfyUI, else those of the settings."""
        if self.host.inside_comfyui:
            return self.host.model_folders()
        named: Mapping[str, tuple[str, ...]] = self.settings.get("model_folders")
        return {kind: tuple(Path(one).expanduser() for one in folders) for kind, folders in named.items()}

    def _tell_models(self, numbers: Sequence[int]) -> None:
        self.healer.models_changed(numbers)
        self.news.add(numbers)

    def _build_lookups(self) -> None:
        from .net.policy import GatePolicy
        from .services.civarchive_client import CivArchiveClient
        from .services.civitai_client import CivitaiClient
        from .services.model_metadata_provider import FallbackMetadataProvider
        from .vendors.archive_db.reader import ArchiveDatabase
        from .vendors.cache_store import LookupCache

        get = self.settings.get
        self.archive = ArchiveDatabase(lambda: str(get("archive_db_path")), self.host.data_dir / "archive-index.sqlite")
        self.civitai = CivitaiClient(
            self.downloader, lambda: get("civitai_api_base"), has_key=lambda: bool(get("civitai_api_key"))
        )
        self.provider = FallbackMetadataProvider(
            civitai=self.civitai,
            civarchive=CivArchiveClient(self.downloader, lambda: get("civarchive_api_base")),
            cache=LookupCache(self.database),
            clock=self.clock,
            at_cap=self.guard.at_cap,
            civarchive_enabled=lambda: get("civarchive_enabled"),
            library=self.library,
            archive=self.archive,
            note_saved=self.coordinator.note_saved,
            max_wait=lambda lane: GatePolicy.from_settings(get).max_wait(lane),
            retry_at=self.coordinator.retry_at,
        )

    def _build_syncs(self) -> None:
        from .services.metadata_sync_service import MetadataSyncService
        from .services.model_previews import ModelPreviews
        from .services.picture_fetcher import PictureFetcher

        self.picture_fetcher = PictureFetcher(self.downloader, self.clock, self._vendor_bases)
        self.previews = ModelPreviews(self.library, self.picture_fetcher, self.host.data_dir / "previews")
        self.syncs = MetadataSyncService(
            self.database,
            library=self.library,
            provider=self.provider,
            civitai=self.civitai,
            models_changed=self._tell_models,
            recheck_recipes=lambda: self.healer.recheck(self.provider),
            sink=self.host.sink,
            clock=self.clock,
            settings=self.settings.get,
            coordinator=self.coordinator,
            locks=self.host.data_dir / "locks",
        )

    def _read_image(self, path: Path) -> Reading:
        """Read one image, on whatever thread asks; the settings belong to the event loop's."""
        from .recipes.reader import read_image

        return read_image(path, sidecars=self._reads_sidecars)

    def _note_settings(self, changed: set[str]) -> None:
        if "read_sidecar_texts" in changed:
            self._reads_sidecars = bool(self.settings.get("read_sidecar_texts"))

    def _build_recipes(self) -> None:
        from .recipes.store import RecipeStore
        from .recipes.thumbnails import Thumbnails
        from .services.batch_import_service import BatchImportService
        from .services.imports.fetching import Fetcher
        from .services.recipe_pictures import RecipePictures
        from .services.watch_service import WatchService

        self.recipes = RecipeStore(self.database, self.clock)
        self.pictures = RecipePictures(self.recipes, self.picture_fetcher, self.host.data_dir / "pictures")
        self.thumbnails = Thumbnails(self.host.data_dir / "thumbnails")
        self.imports = BatchImportService(
            self.database,
            reader=self._read_image,
            provider=self.provider,
            recipes=self.recipes,
            sink=self.host.sink,
            clock=self.clock,
            settings=self.settings.get,
            coordinator=self.coordinator,
            locks=self.host.data_dir / "locks",
            recipes_added=self.healer.recipes_added,
            fetcher=Fetcher(self.downloader, self.civitai, self.host.data_dir / "images", self._vendor_bases),
        )
        self.watch = WatchService(self.database, imports=self.imports, clock=self.clock, settings=self.settings.get)
        self._build_upkeep()

    def _vendor_bases(self) -> tuple[str, ...]:
        """Return the vendors' addresses, whose own hosts may be imported from."""
        return self.settings.get("civitai_api_base"), self.settings.get("civarchive_api_base")

    def _build_upkeep(self) -> None:
        from .jobs.history import History
        from .jobs.uploaded_zips import UploadedZips
        from .services.housekeeping_service import HousekeepingService
        from .services.recipe_backup_service import RecipeBackupService
        from .storage.backups import Backups

        data = self.host.data_dir
        self.backup = RecipeBackupService(self.database, images_folder=data / "images", restored=self.healer.look_again)
        self.housekeeping = HousekeepingService(
            backups=Backups(self.database, self.clock),
            recipes=self.recipes,
            history=History(self.database, data / "locks", data / "logs"),
            zips=UploadedZips(self.database, data / "uploads"),
            clock=self.clock,
        )
