"""The node *LoRA from Text*: the ``<lora:name:strength>`` tags of a prompt, applied and taken out."""

from __future__ import annotations

from typing import Any, ClassVar

from .base import MISSING, PantryNode
from .loras import LoraShelf, files_that_matter, named_in, stack_of
from .stamp import stamp


class LoraFromText(PantryNode):
    """Apply the LoRAs that a text names, and give out the text without their tags."""

    RETURN_TYPES: ClassVar[tuple[Any, ...]] = ("MODEL", "CLIP", "STRING")
    RETURN_NAMES = ("MODEL", "CLIP", "text")
    DESCRIPTION = "Reads <lora:name:strength> tags as A1111 writes them, applies those LoRAs, and removes the tags."
    SEARCH_ALIASES: ClassVar[list[str]] = ["pantry", "lora tag", "prompt lora"]

    def __init__(self) -> None:
        self._loras = LoraShelf()

    @classmethod
    def INPUT_TYPES(cls) -> dict[str, Any]:  # noqa: N802 - ComfyUI's name
        """Return the node's inputs."""
        text = ("STRING", {"multiline": True, "dynamicPrompts": True, "tooltip": "A prompt with <lora:name:0.8> tags."})
        missing = (list(MISSING), {"tooltip": "What to do when a LoRA that is named is not here."})
        required = {"model": ("MODEL",), "clip": ("CLIP",), "text": text, "missing_models": missing}
        return {"required": required}

    @classmethod
    def IS_CHANGED(cls, text: str | None, missing_models: str, **_others: Any) -> str:  # noqa: N802 - ComfyUI's name
        """Run again when a LoRA that was left out has come; a text of another node (None) is ComfyUI's to compare."""
        return stamp(None, files_that_matter(None if text is None else named_in(text), missing_models))

    def run(self, model: Any, clip: Any, text: str, missing_models: str) -> tuple[Any, Any, str]:
        """Return model and clip with the LoRAs applied, and the text that is left."""
        from ..recipes.parsers.tags import without_tags

        model, clip = self._loras.apply(model, clip, stack_of(named_in(text), missing_models))
        return model, clip, without_tags(text)
