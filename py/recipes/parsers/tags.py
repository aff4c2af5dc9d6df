"""Read the extra-network tags of a prompt: ``<lora:name:te:unet>`` and its relatives."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from .. import uses
from ..draft import LoraUse, OtherUse
from ..values import to_float

# The name ends at the first colon and may hold anything else but angle brackets.
_TAG = re.compile(r"<(lora|lyco|lycoris|hypernet|wlr):([^:<>]{1,1024})((?::[^<>]{0,1024})?)>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Tag:
    """Hold one tag: `clip` is the text encoder's strength, `unet` the model's (A1111 writes TE first)."""

    kind: str
    name: str
    clip: float | None
    unet: float | None


def find_tags(prompt: str) -> Iterator[Tag]:
    """Yield the tags in order."""
    for match in _TAG.finditer(prompt) if "<" in prompt else ():
        yield _tag(match)


def without_tags(prompt: str) -> str:
    """Return the prompt with its tags taken out."""
    return _TAG.sub("", prompt)


def _tag(match: re.Match[str]) -> Tag:
    places: list[str] = []
    named: dict[str, str] = {}
    for part in match[3].split(":")[1:]:
        key, equals, value = part.partition("=")
        if equals:
            named[key.strip().lower()] = value
        else:
            places.append(part)
    clip = _strength(named.get("te") or (places[0] if places else "1"))
    unet = _strength(named["unet"]) if "unet" in named else _strength(places[1]) if len(places) > 1 else None
    return Tag(match[1].lower(), match[2].strip(), clip, clip if unet is None else unet)


def _strength(text: str) -> float | None:
    """A schedule (``0.5@10``) starts with its first strength; block weights are not a strength."""
    return to_float(text.split("@", 1)[0].strip())


def loras_of(prompt: str) -> tuple[tuple[LoraUse, ...], tuple[str, ...]]:
    """Return the prompt's LoRAs, each once with its first weight, and a note where a tag is repeated."""
    found: dict[str, LoraUse] = {}
    repeated = False
    for tag in islice(find_tags(prompt), uses.MOST):
        use = uses.lora(tag.name, model=tag.unet, clip=tag.clip) if tag.kind != "hypernet" else None
        if use is None:
            continue
        repeated = repeated or tag.name in found
        found.setdefault(tag.name, use)
    notes = ("The prompt repeats a LoRA tag; the first weight is shown.",) if repeated else ()
    return tuple(found.values()), notes


def hypernets_of(prompt: str) -> tuple[OtherUse, ...]:
    """Return the prompt's hypernetworks."""
    tags = islice(find_tags(prompt), uses.MOST) if "<hypernet" in prompt.casefold() else ()
    named = (uses.other("hypernet", tag.name) for tag in tags if tag.kind == "hypernet")
    return tuple(one for one in named if one)
