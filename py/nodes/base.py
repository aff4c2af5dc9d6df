"""Share what every node of Pantry has."""

from __future__ import annotations

from typing import Any, ClassVar

from .shelf import Shelf

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
    def IS_CHANGED(cls, recipe: str, **_others: Any) -> str:  # noqa: N802 - ComfyUI's name
        """Run again only when the recipe itself has changed."""
        return cls.shelf.stamp(recipe)

    @staticmethod
    def recipe_input() -> tuple[str, dict[str, Any]]:
        """Return the declaration of the input that chooses a recipe."""
        tip = "A recipe's id, or words to search for; the newest recipe that fits is used."
        return ("STRING", {"default": "", "tooltip": tip, "pantry": "recipe"})
