"""List Pantry's nodes under the names that workflows know them by; a name once published is kept."""

from __future__ import annotations

from collections.abc import Mapping

from .apply_lora_stack import ApplyLoraStack
from .base import PantryNode
from .lora_from_text import LoraFromText
from .recipe_loader import RecipeLoader
from .recipe_lora_stack import RecipeLoraStack
from .recipe_parameters import RecipeParameters
from .save_recipe import SaveRecipe
from .shelf import Shelf

NODES: Mapping[str, tuple[type[PantryNode], str]] = {
    "PantryRecipeLoader": (RecipeLoader, "Recipe Loader (Pantry)"),
    "PantryRecipeParameters": (RecipeParameters, "Recipe Parameters (Pantry)"),
    "PantryRecipeLoraStack": (RecipeLoraStack, "Recipe LoRA Stack (Pantry)"),
    "PantryApplyLoraStack": (ApplyLoraStack, "Apply LoRA Stack (Pantry)"),
    "PantrySaveRecipe": (SaveRecipe, "Save Recipe (Pantry)"),
    "PantryLoraFromText": (LoraFromText, "LoRA from Text (Pantry)"),
}


def node_classes(shelf: Shelf) -> dict[str, type[PantryNode]]:
    """Return NODE_CLASS_MAPPINGS, every node bound to the running Pantry."""
    return {name: node.bind(shelf) for name, (node, _) in NODES.items()}


def node_titles() -> dict[str, str]:
    """Return NODE_DISPLAY_NAME_MAPPINGS."""
    return {name: title for name, (_, title) in NODES.items()}
