"""The node *Apply LoRA Stack*: a LORA_STACK onto a model, with ComfyUI's own loader."""

from __future__ import annotations

from typing import Any, ClassVar

from .base import PantryNode
from .loras import LoraShelf, Stack


class ApplyLoraStack(PantryNode):
    """Apply every LoRA of a stack in order."""

    RETURN_TYPES: ClassVar[tuple[Any, ...]] = ("MODEL", "CLIP")
    DESCRIPTION = "Applies a LORA_STACK of Pantry or of another pack."

    def __init__(self) -> None:
        self._loras = LoraShelf()

    @classmethod
    def INPUT_TYPES(cls) -> dict[str, Any]:  # noqa: N802 - ComfyUI's name
        """Return the node's inputs."""
        return {"required": {"model": ("MODEL",), "lora_stack": ("LORA_STACK",)}, "optional": {"clip": ("CLIP",)}}

    def run(self, model: Any, lora_stack: Stack, clip: Any = None) -> tuple[Any, Any]:
        """Return model and clip with the stack applied."""
        return self._loras.apply(model, clip, [tuple(one[:3]) for one in lora_stack])  # type: ignore[misc]
