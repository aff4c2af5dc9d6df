"""Read what NovelAI writes: texts in PNG, EXIF in WebP, and the same as JSON in the stealth channel."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..carrier import Carrier, load_json
from ..draft import Draft, ModelUse
from ..values import to_float, to_int, to_name, to_seed, to_text

_LONGEST_NAME = 256
_SOURCE = re.compile(r"(.*?)\s+([0-9A-Fa-f]{8})$")


def read_set(carriers: Mapping[str, Carrier]) -> tuple[Draft, str] | None:
    """Return draft and origin from the PNG texts or EXIF tags together, or None where they are not NovelAI's."""
    software, source = _text(carriers, "Software"), _text(carriers, "Source")
    comment = carriers.get("Comment") or carriers.get("UserComment")
    if comment is None or not isinstance(comment.data, dict) or not software.startswith("NovelAI"):
        return None
    settings = comment.data
    if isinstance(settings.get("Comment"), str):
        settings = load_json(settings["Comment"])
    if not isinstance(settings, dict):
        return None
    described = _text(carriers, "Description") or _text(carriers, "ImageDescription")
    return _draft(settings, described, source or software), comment.where


def read(data: dict[str, Any]) -> Draft | None:
    """Return the draft of the stealth channel's JSON, or None where it is not NovelAI's."""
    software = data.get("Software")
    if not isinstance(software, str) or not software.startswith("NovelAI") or "Comment" not in data:
        return None
    comment = data["Comment"]
    settings = load_json(comment) if isinstance(comment, str) else comment
    if not isinstance(settings, dict):
        return None
    return _draft(settings, to_text(data.get("Description")) or "", to_text(data.get("Source")) or "")


def _text(carriers: Mapping[str, Carrier], key: str) -> str:
    return carriers[key].text.strip("\0 ") if key in carriers else ""


def _draft(settings: dict[str, Any], described: str, source: str) -> Draft:
    return Draft(
        generator="NovelAI",
        prompt=_caption(settings.get("v4_prompt")) or to_text(settings.get("prompt")) or described or None,
        negative_prompt=_caption(settings.get("v4_negative_prompt")) or to_text(settings.get("uc")),
        seed=to_seed(settings.get("seed")),
        steps=to_int(settings.get("steps")),
        cfg_scale=to_float(settings.get("scale")),
        sampler=to_name(settings.get("sampler")),
        scheduler=to_name(settings.get("noise_schedule")),
        width=to_int(settings.get("width")),
        height=to_int(settings.get("height")),
        denoise=to_float(settings.get("strength")),
        checkpoint=_model(source),
        notes=_characters(settings.get("v4_prompt")),
    )


def _caption(prompt: Any) -> str | None:
    """V4 keeps the words in a caption."""
    caption = prompt.get("caption") if isinstance(prompt, dict) else None
    return (to_text(caption.get("base_caption")) or None) if isinstance(caption, dict) else None


def _characters(prompt: Any) -> tuple[str, ...]:
    """The words for each character stand apart from the prompt, and are noted."""
    caption = prompt.get("caption") if isinstance(prompt, dict) else None
    rows = caption.get("char_captions") if isinstance(caption, dict) else None
    texts = [one.get("char_caption") for one in rows if isinstance(one, dict)] if isinstance(rows, list) else []
    return tuple(f"Character {index}: {text}" for index, text in enumerate(texts, 1) if isinstance(text, str) and text)


def _model(source: str) -> ModelUse | None:
    """The name is what stands before the last eight digits; those are NovelAI's own and of no public kind."""
    match = _SOURCE.fullmatch(source.strip()[:_LONGEST_NAME])
    if match is None:
        return ModelUse(name=to_name(source)) if to_name(source) not in (None, "NovelAI") else None
    return ModelUse(name=match[1], hash=match[2].lower())
