"""Say what images tell, for programs and for people."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..core.errors import PantryError
from ..recipes.draft import Draft, draft_to_json
from ..recipes.reader import read_image

SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".jfif", ".webp", ".avif", ".heic", ".jxl", ".gif", ".mp4", ".webm"})

_LABEL_WIDTH = 10
_LINE_WIDTH = 110
_SETTINGS = (
    ("steps", "{} steps"),
    ("sampler", "{}"),
    ("scheduler", "{}"),
    ("cfg_scale", "cfg {:g}"),
    ("guidance", "guidance {:g}"),
    ("seed", "seed {}"),
    ("denoise", "denoise {:g}"),
    ("clip_skip", "clip skip {}"),
)


def image_files(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield the files named, and the images of the folders named, in order."""
    for path in paths:
        if path.is_dir():
            yield from sorted(one for one in path.rglob("*") if one.suffix.lower() in SUFFIXES and one.is_file())
        else:
            yield path


def described(path: Path) -> dict[str, Any]:
    """Return what an image says in the shape of a recipe, or ``{"source", "error"}`` where it cannot be read."""
    source: dict[str, Any] = {"path": str(path), "generator": None, "carriers": []}
    try:
        reading = read_image(path)
    except PantryError as error:
        return {"source": source, "error": {"code": error.code, "message": str(error)}}
    draft = reading.draft or Draft()
    source.update(generator=draft.generator, carriers=list(reading.carriers))
    notes = draft.notes if reading.draft else reading.notes
    return {"source": source, **draft_to_json(draft), "origins": draft.origins, "notes": list(notes)}


def for_people(told: Mapping[str, Any]) -> str:
    """Return a small block of text for one image, a labelled line for each thing that it says."""
    lines = [told["source"]["path"]]
    if "error" in told:
        return "\n".join((*lines, _line("error", told["error"]["message"])))
    said = [(label, text) for label, text in _said(told) if text]
    return "\n".join([*lines, *(_line(label, text) for label, text in said or [("", "says nothing")])])


def _said(told: Mapping[str, Any]) -> Iterator[tuple[str, str | None]]:
    yield "made by", told["source"]["generator"]
    yield "prompt", told["prompt"]
    yield "negative", told["negative_prompt"]
    yield "settings", _settings(told)
    yield "hires", ", ".join(f"{name} {value}" for name, value in told["hires"].items())
    yield "checkpoint", _model(told["checkpoint"])
    for lora in told["loras"]:
        yield "lora", _model(lora)
    for embedding in told["embeddings"]:
        yield "embedding", _model(embedding)
    yield "vae", _model(told["vae"])
    for other in told["other_models"]:
        yield other["role"].replace("_", " "), _model(other)
    yield "workflow", "yes" if told["has_workflow"] else None
    for note in told["notes"]:
        yield "note", note


def _settings(told: Mapping[str, Any]) -> str:
    parts = [form.format(told[name]) for name, form in _SETTINGS if told[name] is not None]
    if told["width"] and told["height"]:
        parts.append(f"{told['width']}x{told['height']}")
    return ", ".join(parts)


def _model(use: Mapping[str, Any] | None) -> str | None:
    if use is None:
        return None
    parts = [use["name"] or "(no name)"]
    strengths = (use.get("strength_model"), use.get("strength_clip"))
    if strengths[0] is not None:
        one = strengths[1] in (None, strengths[0])
        parts.append(f"at {strengths[0]:g}" if one else f"at {strengths[0]:g} (model) and {strengths[1]:g} (clip)")
    if use["hash"]:
        parts.append(f"[{use['hash_type']} {use['hash']}]")
    if use["model_version_id"]:
        parts.append(f"[civitai version {use['model_version_id']}]")
    return " ".join(parts)


def _line(label: str, text: str) -> str:
    hang = " " * (_LABEL_WIDTH + 4)
    wrapped = textwrap.fill(" ".join(text.split()), _LINE_WIDTH, initial_indent=hang, subsequent_indent=hang)
    return f"  {label:<{_LABEL_WIDTH}}  {wrapped.lstrip()}"
