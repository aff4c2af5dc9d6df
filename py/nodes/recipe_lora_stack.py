"""The node *Recipe LoRA Stack*: a recipe's LoRAs as the stack that many packs take."""

from __future__ import annotations

from typing import Any, ClassVar

from .base import MISSING, RecipeNode
from .loras import Stack, stack_of


class RecipeLoraStack(RecipeNode):
    """Give out a recipe's LoRAs as a LORA_STACK, after the stack that comes in."""

    RETURN_TYPES: ClassVar[tuple[Any, ...]] = ("LORA_STACK",)
    RETURN_NAMES = ("lora_stack",)
    DESCRIPTION = "A recipe's LoRAs with both strengths, for any loader that takes a LORA_STACK."

    @classmethod
    def INPUT_TYPES(cls) -> dict[str, Any]:  # noqa: N802 - ComfyUI's name
        """Return the node's inputs."""
        missing = (list(MISSING), {"tooltip": "What to do when a LoRA of the recipe is not here."})
        return {
            "required": {"recipe": cls.recipe_input(), "missing_models": missing},
            "optional": {"lora_stack": ("LORA_STACK",)},
        }

    def run(self, recipe: str, missing_models: str, lora_stack: Stack | None = None) -> tuple[Stack]:
        """Return the stack."""
        return ([*(lora_stack or ()), *stack_of(self.shelf.recipe(recipe)["loras"], missing_models)],)
