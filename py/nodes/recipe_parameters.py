"""The node *Recipe Parameters*: what a recipe says, as values, without loading anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from .base import PantryNode, RecipeNode
from .sampling import comfy_sampler, comfy_scheduler
from .shelf import Shelf

NAMES = ("positive", "negative", "seed", "steps", "cfg", "sampler_name", "scheduler", "width", "height", "name")

# Where an image says nothing, ComfyUI's own defaults stand.
_STEPS, _CFG, _SIDE = 20, 8.0, 512
_MOST_SEED = 2**64 - 1


def parameter_types() -> tuple[Any, ...]:
    """Return the types of the values; samplers and schedulers are this ComfyUI's own lists."""
    from comfy.samplers import KSampler

    return ("STRING", "STRING", "INT", "INT", "FLOAT", KSampler.SAMPLERS, KSampler.SCHEDULERS, "INT", "INT", "STRING")


def parameters(recipe: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the values of a recipe in the order of `NAMES`; LoRA tags are taken out of the prompts."""
    from comfy.samplers import KSampler

    from ..recipes.parsers.tags import without_tags

    sampler = recipe["sampler"]
    return (
        without_tags(recipe["prompt"] or "").strip(),
        without_tags(recipe["negative_prompt"] or "").strip(),
        min(max(recipe["seed"] or 0, 0), _MOST_SEED),
        recipe["steps"] or _STEPS,
        float(_CFG if recipe["cfg_scale"] is None else recipe["cfg_scale"]),
        comfy_sampler(sampler, KSampler.SAMPLERS),
        comfy_scheduler(recipe["scheduler"], sampler, KSampler.SCHEDULERS),
        recipe["width"] or _SIDE,
        recipe["height"] or _SIDE,
        recipe.get("title") or "",
    )


class RecipeParameters(RecipeNode):
    """Give out what a recipe says: prompts, seed, steps, cfg, sampler, scheduler and size."""

    RETURN_NAMES = NAMES
    DESCRIPTION = "Prompts and settings of a recipe, without loading a model."
    SEARCH_ALIASES: ClassVar[list[str]] = ["pantry", "prompt from image", "generation data"]

    @classmethod
    def bind(cls, shelf: Shelf) -> type[PantryNode]:
        """Return the class with its shelf and with this ComfyUI's samplers as types."""
        bound = super().bind(shelf)
        bound.RETURN_TYPES = parameter_types()
        return bound

    @classmethod
    def INPUT_TYPES(cls) -> dict[str, Any]:  # noqa: N802 - ComfyUI's name
        """Return the node's inputs."""
        return {"required": {"recipe": cls.recipe_input()}}

    def run(self, recipe: str) -> tuple[Any, ...]:
        """Return the recipe's values."""
        return parameters(self.shelf.recipe(recipe))
