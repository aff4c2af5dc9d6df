"""The node *Recipe Loader*: a recipe's models, ready to sample, and all its values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from ..core.errors import NotFoundError
from .base import MISSING, PantryNode, RecipeNode
from .loras import LoraShelf, stack_of
from .model_files import required
from .recipe_parameters import NAMES, parameter_types, parameters
from .shelf import Shelf


class RecipeLoader(RecipeNode):
    """Load a recipe's checkpoint, apply its LoRAs at both strengths, and give out all it says."""

    RETURN_NAMES = ("MODEL", "CLIP", "VAE", *NAMES)
    DESCRIPTION = (
        "Loads the checkpoint of a recipe and applies its LoRAs. Connect model, clip or vae to use your own instead."
    )
    SEARCH_ALIASES: ClassVar[list[str]] = ["pantry", "load recipe", "checkpoint and loras"]

    def __init__(self) -> None:
        self._loras = LoraShelf()

    @classmethod
    def bind(cls, shelf: Shelf) -> type[PantryNode]:
        """Return the class with its shelf and with this ComfyUI's samplers as types."""
        bound = super().bind(shelf)
        bound.RETURN_TYPES = ("MODEL", "CLIP", "VAE", *parameter_types())
        return bound

    @classmethod
    def INPUT_TYPES(cls) -> dict[str, Any]:  # noqa: N802 - ComfyUI's name
        """Return the node's inputs."""
        missing = (list(MISSING), {"tooltip": "What to do when a model of the recipe is not here."})
        own = {name: (name.upper(), {"tooltip": f"Used instead of the recipe's own {name}."}) for name in _OWN}
        return {"required": {"recipe": cls.recipe_input(), "missing_models": missing}, "optional": own}

    def run(self, recipe: str, missing_models: str, **own: Any) -> tuple[Any, ...]:
        """Return model, clip and vae with the LoRAs applied, and the recipe's values."""
        found = self.shelf.recipe(recipe)
        stack = stack_of(found["loras"], missing_models)
        model, clip, vae = _base(found, own)
        model, clip = self._loras.apply(model, clip, stack)
        return (model, clip, vae, *parameters(found))


_OWN = ("model", "clip", "vae")


def _base(recipe: Mapping[str, Any], own: Mapping[str, Any]) -> tuple[Any, Any, Any]:
    """Return model, clip and vae: the connected ones, and the recipe's where one is not connected."""
    given = tuple(own.get(name) for name in _OWN)
    if given[0] is not None and given[1] is not None:
        return given  # type: ignore[return-value]  # three names, three values
    loaded = _load(recipe)
    model, clip, vae = (mine if mine is not None else theirs for mine, theirs in zip(given, loaded, strict=True))
    return model, clip, vae


def _load(recipe: Mapping[str, Any]) -> tuple[Any, Any, Any]:
    """Load the recipe's checkpoint with ComfyUI's loader; a bare diffusion model comes without clip and vae."""
    from nodes import CheckpointLoaderSimple, UNETLoader

    if recipe["checkpoint"] is None:
        raise NotFoundError("This recipe names no checkpoint; connect a model and a clip.")
    kind, name = required(recipe["checkpoint"], ("checkpoints", "diffusion_models"))
    if kind == "checkpoints":
        model, clip, vae = CheckpointLoaderSimple().load_checkpoint(name)[:3]
        return model, clip, vae
    return UNETLoader().load_unet(name, "default")[0], None, None
