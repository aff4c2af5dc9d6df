"""Describe ComfyUI to Pantry: its folders, its event channel, where it listens."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .core.ports import JsonObject, ProgressSink
from .routes.parts import HostInfo
from .routes.sockets import Sinks

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


def host_of(server: Any, *sinks: ProgressSink) -> HostInfo:
    """Return what Pantry needs to know of ComfyUI; events go to its socket and to `sinks`."""
    import folder_paths

    return HostInfo(
        data_dir=Path(folder_paths.get_user_directory()) / DATA_FOLDER,
        input_folders=(Path(folder_paths.get_input_directory()),),
        output_folders=(Path(folder_paths.get_output_directory()),),
        model_folders=_model_folders,
        sink=Sinks(ComfySink(server), *sinks),
        inside_comfyui=True,
        listens_on=_listens_on(),
    )


def _model_folders() -> Mapping[str, tuple[Path, ...]]:
    """Return ComfyUI's model folders by type, as they are now; other packs may have added some."""
    import folder_paths

    known = [kind for kind in MODEL_TYPES if kind in folder_paths.folder_names_and_paths]
    return {kind: tuple(Path(one) for one in folder_paths.get_folder_paths(kind)) for kind in known}


def _listens_on() -> tuple[str, ...]:
    """Return the addresses that ComfyUI was told to listen on."""
    from comfy.cli_args import args

    return tuple(one.strip() for one in str(args.listen).split(",") if one.strip()) or ("127.0.0.1",)
