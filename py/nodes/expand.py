"""Write Pantry's own nodes in a running prompt as ComfyUI's core nodes, so that any reader understands it.

Pure: a prompt (API form) and a way to look recipes up go in, a prompt without our nodes comes out. A node that cannot
be expanded stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .loras import named_in, strengths

Prompt = dict[str, dict[str, Any]]
Recipe = Mapping[str, Any]
Lora = tuple[str, float, float]
Link = list[Any]


class Expansion:
    """Collect what each output of our nodes stands for while a prompt is being rewritten."""

    def __init__(
        self, prompt: Prompt, *, recipe_of: Callable[[str], Recipe | None], values: Callable[[Recipe], Any]
    ) -> None:
        self._prompt = {key: {**node, "inputs": dict(node.get("inputs", {}))} for key, node in prompt.items()}
        self._recipe_of = recipe_of
        self._values = values
        self._stands_for: dict[tuple[str, int], Any] = {}

    def run(self) -> Prompt:
        """Return the prompt with every node of ours written as core nodes."""
        steps = {
            "PantryRecipeLoader": self._recipe_loader,
            "PantryRecipeParameters": self._recipe_parameters,
            "PantryLoraFromText": self._lora_from_text,
            "PantryApplyLoraStack": self._apply_stack,
        }
        for key, node in list(self._prompt.items()):
            step = steps.get(node.get("class_type", ""))
            if step is not None:
                step(key, node["inputs"])
        return {key: self._relinked(node) for key, node in self._prompt.items()}

    def _recipe_loader(self, key: str, inputs: Mapping[str, Any]) -> None:
        recipe = self._recipe(inputs)
        if recipe is None:
            return
        checkpoint = (recipe.get("checkpoint") or {}).get("name")
        base = self._add(f"{key}.checkpoint", "CheckpointLoaderSimple", {"ckpt_name": checkpoint})
        model, clip, vae = (inputs.get(name) or [base, slot] for slot, name in enumerate(("model", "clip", "vae")))
        model, clip = self._chain(key, model, clip, _loras_of(recipe))
        self._put(key, [model, clip, vae, *self._values(recipe)])

    def _recipe_parameters(self, key: str, inputs: Mapping[str, Any]) -> None:
        recipe = self._recipe(inputs)
        if recipe is not None:
            self._put(key, self._values(recipe))

    def _lora_from_text(self, key: str, inputs: Mapping[str, Any]) -> None:
        from ..recipes.parsers.tags import without_tags

        text = inputs.get("text")
        if not isinstance(text, str):
            return
        model, clip = self._chain(key, inputs.get("model"), inputs.get("clip"), _loras_of({"loras": named_in(text)}))
        self._put(key, [model, clip, without_tags(text)])

    def _apply_stack(self, key: str, inputs: Mapping[str, Any]) -> None:
        loras = self._stack(inputs.get("lora_stack"))
        self._put(key, self._chain(key, inputs.get("model"), inputs.get("clip"), loras))

    def _stack(self, link: Any) -> list[Lora]:
        """Return the LoRAs that a chain of Recipe LoRA Stack nodes puts on a stack."""
        if not isinstance(link, list) or not link:
            return []
        node = self._prompt.get(str(link[0]), {})
        if node.get("class_type") != "PantryRecipeLoraStack":
            return []
        recipe = self._recipe(node["inputs"])
        return [*self._stack(node["inputs"].get("lora_stack")), *_loras_of(recipe or {})]

    def _recipe(self, inputs: Mapping[str, Any]) -> Recipe | None:
        wanted = inputs.get("recipe")
        return self._recipe_of(wanted) if isinstance(wanted, str) else None

    def _chain(self, key: str, model: Any, clip: Any, loras: Sequence[Lora]) -> tuple[Any, Any]:
        for number, (name, for_model, for_clip) in enumerate(loras):
            inputs = {"lora_name": name, "strength_model": for_model, "strength_clip": for_clip}
            added = self._add(f"{key}.lora{number}", "LoraLoader", {**inputs, "model": model, "clip": clip})
            model, clip = [added, 0], [added, 1]
        return model, clip

    def _add(self, key: str, kind: str, inputs: dict[str, Any]) -> str:
        self._prompt[key] = {"class_type": kind, "inputs": inputs}
        return key

    def _put(self, key: str, outputs: Sequence[Any]) -> None:
        self._stands_for.update({(key, slot): value for slot, value in enumerate(outputs)})

    def _relinked(self, node: dict[str, Any]) -> dict[str, Any]:
        return {**node, "inputs": {name: self._resolved(value) for name, value in node["inputs"].items()}}

    def _resolved(self, value: Any) -> Any:
        """Follow a link through our nodes to what it stands for; a loop ends where it began."""
        seen = set()
        while (place := _place(value)) in self._stands_for and place not in seen:
            seen.add(place)
            value = self._stands_for[place]
        return value


def _place(value: Any) -> tuple[str, int] | None:
    if isinstance(value, list) and len(value) == 2 and isinstance(value[1], int):  # noqa: PLR2004 - node and slot
        return str(value[0]), value[1]
    return None


def _loras_of(recipe: Recipe) -> list[Lora]:
    named = [one for one in recipe.get("loras", ()) if one.get("name")]
    return [(one["name"], *strengths(one)) for one in named]
