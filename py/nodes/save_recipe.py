"""The node *Save Recipe*: an image with everything about it inside, and its recipe in Pantry."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .base import PantryNode
from .expand import Expansion, Prompt
from .recipe_parameters import parameters

if TYPE_CHECKING:
    from ..recipes.draft import Draft

_COMPRESSION = 4


class SaveRecipe(PantryNode):
    """Save images as PNG with workflow and A1111 text, and keep each as a recipe."""

    OUTPUT_NODE = True
    DESCRIPTION = (
        "Saves images with the workflow and with text that A1111 and CivitAI read, and keeps each as a recipe."
    )

    @classmethod
    def INPUT_TYPES(cls) -> dict[str, Any]:  # noqa: N802 - ComfyUI's name
        """Return the node's inputs."""
        prefix = ("STRING", {"default": "Pantry", "tooltip": "Beginning of the file names; may name a folder."})
        tags = ("STRING", {"default": "", "tooltip": "Tags for the recipes, separated by commas."})
        return {
            "required": {"images": ("IMAGE",), "filename_prefix": prefix, "tags": tags},
            "hidden": {"prompt": "PROMPT", "extra_pnginfo": "EXTRA_PNGINFO"},
        }

    def run(
        self,
        images: Any,
        filename_prefix: str,
        tags: str,
        prompt: Prompt | None = None,
        extra_pnginfo: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Save, store, and show the images in the graph."""
        import folder_paths

        height, width = images[0].shape[0], images[0].shape[1]
        output = folder_paths.get_output_directory()
        folder, stem, counter, subfolder, _ = folder_paths.get_save_image_path(filename_prefix, output, width, height)
        texts = self._texts(prompt or {}, extra_pnginfo or {}, (width, height))
        shown = []
        for number, image in enumerate(images):
            name = f"{stem.replace('%batch_num%', str(number))}_{counter + number:05}_.png"
            write_png(Path(folder) / name, image, texts)
            self.shelf.store(Path(folder) / name, _words(tags))
            shown.append({"filename": name, "subfolder": subfolder, "type": "output"})
        return {"ui": {"images": shown}}

    def _texts(self, prompt: Prompt, extra: Mapping[str, Any], size: tuple[int, int]) -> dict[str, str]:
        """Return the PNG's texts by key: ours, A1111's, the prompt, and what the front end adds (workflow)."""
        from ..recipes import block
        from ..recipes.a1111_text import to_a1111_text

        texts = {name: json.dumps(value) for name, value in extra.items()}
        if not prompt:
            return texts
        texts["prompt"] = json.dumps(prompt)
        draft = draft_of(Expansion(prompt, recipe_of=self.shelf.recipe_or_none, values=parameters).run(), size)
        if draft is not None:
            told = with_hashes(draft, self.shelf.hashes_of(_names(draft)))
            texts["parameters"] = to_a1111_text(told)
            texts[block.KEY] = block.encode(told)
        return texts


def draft_of(prompt: Prompt, size: tuple[int, int]) -> Draft | None:
    """Return what a prompt of core nodes says, read as if from an image of that size in pixels."""
    from ..recipes.carrier import Carrier
    from ..recipes.merge import merge
    from ..recipes.parsers.comfy.outputs import Origin
    from ..recipes.parsers.dispatch import parse

    return merge(parse([Carrier("png:prompt", "prompt", json.dumps(prompt))], Origin("", *size)).candidates, [])


def with_hashes(draft: Draft, sha256: Mapping[str, str]) -> Draft:
    """Return the draft with the AutoV2 hashes (the first ten digits) of the models whose SHA256 is known by name."""

    def known(use: Any) -> Any:
        full = sha256.get(use.name) if use and use.name and not use.hash else None
        return replace(use, hash=full[:10], hash_type="autov2") if full else use

    return replace(draft, checkpoint=known(draft.checkpoint), loras=tuple(known(one) for one in draft.loras))


def write_png(path: Path, image: Any, texts: Mapping[str, str]) -> None:
    """Write one image of a batch (height x width x channels, 0 to 1) with its texts, unless ComfyUI forbids texts."""
    from comfy.cli_args import args
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    info = PngInfo()
    for name, text in () if args.disable_metadata else texts.items():
        info.add_itxt(name, text) if not text.isascii() else info.add_text(name, text)
    pixels = (image.cpu().numpy() * 255.0).clip(0, 255).astype("uint8")
    Image.fromarray(pixels).save(path, pnginfo=info, compress_level=_COMPRESSION)


def _names(draft: Draft) -> Sequence[str]:
    uses = [one for one in (draft.checkpoint, *draft.loras) if one is not None]
    return [one.name for one in uses if one.name]


def _words(tags: str) -> tuple[str, ...]:
    return tuple(word for word in (one.strip() for one in tags.split(",")) if word)
