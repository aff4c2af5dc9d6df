"""Share what every node of Pantry has."""

from __future__ import annotations

from typing import Any, ClassVar

from .loras import files_that_matter
from .shelf import Shelf
from .stamp import stamp

MISSING = ("error", "skip")


class PantryNode:
    """Carry the shelf that `bind` puts into a node's class; ComfyUI makes instances without arguments."""

    CATEGORY = "Pantry"
    FUNCTION = "run"
    RETURN_TYPES: ClassVar[tuple[Any, ...]] = ()
    shelf: ClassVar[Shelf]

    @classmethod
    def bind(cls, shelf: Shelf) -> type[PantryNode]:
        """Return this node's class with its shelf, ready for NODE_CLASS_MAPPINGS."""
        return type(cls.__name__, (cls,), {"shelf": shelf, "__module__": cls.__module__, "__doc__": cls.__doc__})


class RecipeNode(PantryNode):
    """Be a node whose first input chooses a recipe."""

    @classmethod
    def IS_CHANGED(cls, recipe: str | None, missing_models: str = "error", **_others: Any) -> str:  # noqa: N802 - ComfyUI's name
        """Run again only when what the recipe says has changed, or when a LoRA that was left out has come.

        `recipe` is None where it comes from another node: ComfyUI looks at that one itself.
        """
        found = None if recipe is None else cls.shelf.recipe_or_none(recipe)
        return stamp(found, files_that_matter(found["loras"] if found else None, missing_models))

    @staticmethod
    def recipe_input() -> tuple[str, dict[str, Any]]:
        """Return the declaration of the input that chooses a recipe."""
        tip = "A recipe's id, or words to search for; the newest recipe that fits is used."
        return ("STRING", {"default": "", "tooltip": tip, "pantry": "recipe"})
