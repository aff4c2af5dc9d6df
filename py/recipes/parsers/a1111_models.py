"""Take the models out of A1111 settings: names, hashes in four notations, resources with version ids."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .. import uses
from ..carrier import load_json
from ..draft import LoraUse, ModelUse, OtherUse
from ..values import to_float, to_name
from .infotext import Infotext
from .resources import Resource, read_resources

_NUMBERED_LORA = re.compile(r"lora_(\d+) model name")
_NUMBERED_EMBEDDING = re.compile(r"embedding_(\d+) name")
_NUMBERED_CLIP = re.compile(r"clip_(\d+) model name")
_MODULE = re.compile(r"module \d+")
_CONTROLNET = re.compile(r"controlnet(?: \d+)?")
_ADDNET = re.compile(r"addnet model (\d+)")
# Ways to enlarge that need no model file.
_ALGORITHM = re.compile(r"(latent|lanczos|nearest|bicubic|bilinear|area|none)\b", re.IGNORECASE)
_LONGEST_NAME = 512
_NAME_WITH_HASH = re.compile(r"\s*(.*?)\s*[\[(]([0-9a-fA-F]{8,64})[\])]\s*$")
_CONTROLNET_MODEL = re.compile(r"(?:^|,)\s*model:\s*([^,]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class NamedModels:
    """Hold the models of one text that are not LoRAs."""

    checkpoint: ModelUse | None
    vae: ModelUse | None
    embeddings: tuple[ModelUse, ...]
    others: tuple[OtherUse, ...]


def named_models(parts: Infotext) -> NamedModels:
    """Return checkpoint, VAE, embeddings and models in other roles."""
    hashes = _json_hashes(parts)
    resources = read_resources(parts)
    return NamedModels(
        checkpoint=_checkpoint(parts, hashes, resources),
        vae=uses.model(parts.get("vae"), parts.get("vae hash") or hashes.get("vae")),
        embeddings=uses.gather(_embeddings(parts, hashes, resources)),
        others=uses.gather(_others(parts, resources)),
    )


def _checkpoint(parts: Infotext, hashes: dict[str, str], resources: list[Resource]) -> ModelUse | None:
    stated = uses.model(parts.get("model", "base_model"), parts.get("model hash", "base model hash"))
    if stated is None or stated.hash is None:
        hashed = uses.model(stated.name if stated else None, hashes.get("model"))
        stated = uses.joined(stated, hashed) if stated and hashed else stated or hashed
    for resource in resources:
        if resource.role == "checkpoint":
            found = resource.as_model()
            return uses.joined(stated, found) if stated and found else found or stated
    return stated


def _embeddings(parts: Infotext, hashes: dict[str, str], resources: list[Resource]) -> Iterator[ModelUse | None]:
    for name, hash_ in name_hash_list(parts.get("ti hashes") or ""):
        yield uses.model(name, hash_)
    for label, hash_ in hashes.items():
        if label.casefold().startswith("embed:"):
            yield uses.model(label[6:], hash_)
    for key, name in parts.pairs.items():
        if key.startswith("embedding_") and (match := _NUMBERED_EMBEDDING.fullmatch(key)):
            yield uses.model(name, parts.get(f"embedding_{match[1]} hash"))
    for resource in resources:
        if resource.role == "embedding":
            yield resource.as_model()


def _others(parts: Infotext, resources: list[Resource]) -> Iterator[OtherUse | None]:
    yield _with_bracket("refiner", parts.get("refiner"), parts.get("refiner hash"))
    yield _with_bracket("hires", parts.get("hires checkpoint"))
    yield uses.other("hypernet", parts.get("hypernet"))
    upscaler = parts.get("hires upscaler")
    if upscaler and not _ALGORITHM.match(upscaler.strip()):
        yield uses.other("upscaler", upscaler)
    for key, value in parts.pairs.items():
        if _MODULE.fullmatch(key) or _NUMBERED_CLIP.fullmatch(key):
            yield uses.other("text_encoder", value)
        elif _CONTROLNET.fullmatch(key) and (found := _CONTROLNET_MODEL.search(value)):
            yield _with_bracket("controlnet", found[1])
    for resource in resources:
        if resource.role not in ("checkpoint", "lora", "embedding"):
            yield resource.as_other()


def _with_bracket(role: str, value: str | None, hash_: str | None = None) -> OtherUse | None:
    """``name [hash]`` and ``name(hash)`` are one field."""
    match = _NAME_WITH_HASH.fullmatch(value[:_LONGEST_NAME]) if value else None
    return uses.other(role, match[1], match[2]) if match else uses.other(role, value, hash_)


def lora_uses(parts: Infotext, tags: Iterable[LoraUse]) -> tuple[tuple[LoraUse, ...], tuple[str, ...]]:
    """Return every LoRA once: from tags, hash lists, weights, numbered fields and resources."""
    named = [*_numbered(parts), *_addnet(parts), *tags, *_weighted(parts), *_hashed(parts)]
    found = list(uses.gather(named))
    resources = [one for item in read_resources(parts) if item.role == "lora" and (one := item.as_lora())]
    return _with_resources(found, resources)


def _with_resources(found: list[LoraUse], resources: list[LoraUse]) -> tuple[tuple[LoraUse, ...], tuple[str, ...]]:
    """Join resources, which carry the vendor's title, with LoRAs, which carry the file's name.

    Where neither id, hash nor name joins them, equal weights do, if no other pair has that weight or each side has
    as many; that is said.
    """
    rest: list[LoraUse] = []
    for resource in resources:
        at = next((at for at, one in enumerate(found) if uses.same_model(one, resource)), None)
        if at is None:
            rest.append(resource)
        else:
            found[at] = uses.joined(found[at], resource)
    left, notes = _by_weight(found, rest)
    return uses.gather([*found, *left]), notes


def _by_weight(found: list[LoraUse], rest: list[LoraUse]) -> tuple[list[LoraUse], tuple[str, ...]]:
    open_at = [at for at, one in enumerate(found) if one.model_version_id is None]
    as_many = len(rest) == len(open_at)
    shared = Counter(one.strength_model for one in rest)
    left: list[LoraUse] = []
    for resource in rest:
        weight = resource.strength_model
        fitting = [at for at in open_at if weight is not None and found[at].strength_model == weight]
        alone = len(fitting) == 1 and shared[weight] == 1
        if fitting and (as_many or alone):
            found[fitting[0]] = uses.joined(found[fitting[0]], resource)
            open_at.remove(fitting[0])
        else:
            left.append(resource)
    joined = len(left) < len(rest)
    return left, ("LoRA names and CivitAI resources were joined by their weights.",) if joined else ()


def _hashed(parts: Infotext) -> Iterator[LoraUse | None]:
    for name, hash_ in name_hash_list(parts.get("lora hashes") or ""):
        yield uses.lora(name, hash_)
    for name, hash_ in _json_hashes(parts).items():
        kind, colon, rest = name.partition(":")
        if colon and kind.casefold() in ("lora", "lyco"):
            yield uses.lora(rest, hash_)


def _weighted(parts: Infotext) -> Iterator[LoraUse | None]:
    for name, weight in name_hash_list(parts.get("lora weights") or ""):
        yield uses.lora(name, model=weight, clip=weight)
    for name, rest in name_hash_list(parts.get("lora hashes") or ""):
        # Older Fooocus: "name: hash: weight".
        digits, colon, old = (rest or "").partition(":")
        if colon and to_float(old) is not None:
            yield uses.lora(name, digits, model=old, clip=old)


def _numbered(parts: Infotext) -> Iterator[LoraUse | None]:
    """``Lora_0 Model name`` and its companions; not every companion is there for each number."""
    for key, name in parts.pairs.items():
        if key.startswith("lora_") and (match := _NUMBERED_LORA.fullmatch(key)):
            prefix = f"lora_{match[1]} "
            yield uses.lora(
                name,
                parts.get(prefix + "model hash"),
                model=parts.get(prefix + "strength model"),
                clip=parts.get(prefix + "strength clip"),
            )
    index = 1
    while title := to_name(parts.get(f"lora {index} model")):
        weight = parts.get(f"lora {index} weight")
        yield uses.lora(title, model=weight, clip=weight)
        index += 1


def _addnet(parts: Infotext) -> Iterator[LoraUse | None]:
    for key, value in parts.pairs.items():
        match = _ADDNET.fullmatch(key) if key.startswith("addnet ") else None
        if match is None:
            continue
        named = _NAME_WITH_HASH.fullmatch(value[:_LONGEST_NAME])
        name, hash_ = (named[1], named[2]) if named else (value, None)
        both = parts.get(f"addnet weight {match[1]}")
        yield uses.lora(
            name,
            hash_,
            model=parts.get(f"addnet weight a {match[1]}") or both,
            clip=parts.get(f"addnet weight b {match[1]}") or both,
        )


def name_hash_list(text: str) -> Iterator[tuple[str, str | None]]:
    """Yield the items of ``name: hash, name2: hash2``; a name has no comma, a hash may be missing."""
    for item in text.strip().strip('"').split(",", uses.MOST)[: uses.MOST]:
        name, _, hash_ = item.partition(":")
        if to_name(name):
            yield name.strip(), hash_.strip() or None


def _json_hashes(parts: Infotext) -> dict[str, str]:
    data = load_json(parts.get("hashes") or "")
    if not isinstance(data, dict):
        return {}
    return {str(name): hash_ for name, hash_ in data.items() if isinstance(hash_, str) and hash_}
