"""Show Pantry to ComfyUI: its folders, its routes, its event channel, its start.

ComfyUI imports this while it starts, so nothing heavy is imported and nothing is read here; the parts are built when
the server starts. ComfyUI calls no shutdown hook on Ctrl-C, so nothing may depend on one.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .app import WEB_FOLDER, HostInfo, Pantry
from .core.errors import PantryError
from .core.ports import JsonObject, ProgressSink
from .nodes.base import PantryNode
from .nodes.catalogue import node_classes
from .nodes.shelf import Shelf
from .routes.page import page_routes
from .routes.sockets import Sinks, Sockets
from .routes.table import door_of, routes

log = logging.getLogger(__name__)

DATA_FOLDER = "__pantry"  # ComfyUI serves no file from a user folder that starts with two underscores
MODEL_TYPES = (
    "checkpoints",
    "loras",
    "diffusion_models",
    "embeddings",
    "vae",
    "controlnet",
    "upscale_models",
    "text_encoders",
)


class ComfySink:
    """Send events through ComfyUI's own socket to every open page (a `ProgressSink`)."""

    def __init__(self, server: Any) -> None:
        self._server = server

    def publish(self, event: str, data: JsonObject) -> None:
        """Hand an event over; `send_sync` may be called from any thread."""
        try:
            self._server.send_sync(event, data)
        except RuntimeError:  # the loop is closed: ComfyUI is ending, and nobody watches any more
            log.debug("event not sent, ComfyUI is closing")


def mount(server: Any) -> Mapping[str, type[PantryNode]]:
    """Add Pantry's routes to ComfyUI's server, to be filled with parts when it starts; return its nodes by name."""
    sockets = Sockets()  # for Pantry's own page, which does not speak ComfyUI's socket
    pantry = Pantry(_host(Sinks(ComfySink(server), sockets)))
    server.routes.get("/pantry/ws")(sockets.handler(door_of(pantry)))
    for route in routes(pantry):
        server.routes.route(route.method, route.path)(route.handler)
    for path, handler in page_routes(WEB_FOLDER, door_of(pantry)):
        server.routes.get(path)(handler)

    async def start(_app: Any) -> None:
        await _start(pantry)

    server.app.on_startup.append(start)
    return node_classes(Shelf(pantry, server.loop))


async def _start(pantry: Pantry) -> None:
    """Start Pantry; whatever fails must not keep ComfyUI from starting."""
    try:
        await pantry.start()
        await pantry.imports.resume_unfinished()
    except (PantryError, OSError) as error:
        pantry.problem = f"Pantry could not start: {error}"
        log.error("Pantry could not start: %s", error)  # noqa: TRY400 - the sentence says it all
    except Exception:  # a defect of ours must not take ComfyUI down with it
        pantry.problem = "Pantry could not start; the log says why."
        log.exception("Pantry could not start")


def _host(sink: ProgressSink) -> HostInfo:
    import folder_paths

    return HostInfo(
        data_dir=Path(folder_paths.get_user_directory()) / DATA_FOLDER,
        input_folders=(Path(folder_paths.get_input_directory()),),
        output_folders=(Path(folder_paths.get_output_directory()),),
        model_folders=_model_folders,
        sink=sink,
        inside_comfyui=True,
        listens_on=_listens_on(),
    )


def _model_folders() -> Mapping[str, tuple[Path, ...]]:
    """Return ComfyUI's model folders by type, as they are now; other packs may have added some."""
    import folder_paths

    known = folder_paths.folder_names_and_paths
    return {
        kind: tuple(Path(one) for one in folder_paths.get_folder_paths(kind)) for kind in MODEL_TYPES if kind in known
    }


def _listens_on() -> tuple[str, ...]:
    """Return the addresses that ComfyUI was told to listen on."""
    from comfy.cli_args import args

    return tuple(one.strip() for one in str(args.listen).split(",") if one.strip()) or ("127.0.0.1",)
