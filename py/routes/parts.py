"""Name the parts that handlers call; the composition root has them, tests may bring others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # ComfyUI mounts the routes long before the services are needed
    from ..core.ports import Clock, ProgressSink
    from ..library.library import Library
    from ..recipes.store import RecipeStore
    from ..recipes.thumbnails import Thumbnails
    from ..services.batch_import_service import BatchImportService
    from ..services.rate_limit_coordinator import RateLimitCoordinator
    from ..services.settings_manager import SettingsManager


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


class Parts(Protocol):
    """Everything that a handler may reach; attributes exist once `start` has returned."""

    host: HostInfo
    clock: Clock
    problem: str | None
    settings: SettingsManager
    coordinator: RateLimitCoordinator
    imports: BatchImportService
    library: Library
    recipes: RecipeStore
    thumbnails: Thumbnails
