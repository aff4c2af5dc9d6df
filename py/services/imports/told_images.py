"""Read what CivitAI tells about an image, and say how an image ends that could not be fetched. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ...core.errors import (
    GoneError,
    RateLimitError,
    UnauthorisedError,
    VendorError,
    VendorNotFoundError,
    VendorRefusedError,
)
from ...jobs.states import ItemStatus, Reason
from ...recipes.draft import Reading
from ...recipes.nsfw import level_of_image
from ...recipes.parsers.civitai import read_meta
from .read_images import ReadImage, Unfetched


def from_meta(source: str, meta: Any) -> ReadImage | None:
    """Return what CivitAI tells about the image at `source`, or None where that is nothing."""
    draft = read_meta(meta) if isinstance(meta, dict) and meta else None
    if draft is None or not draft.says_something:
        return None
    hashed = hashlib.blake2b(source.encode(), digest_size=16).hexdigest()
    return ReadImage(Reading(draft=draft, carriers=("civitai:meta",), container="", content_hash=hashed), 0, 0)


def with_rest(read: ReadImage, image: dict[str, Any], allows: Callable[[str], bool]) -> ReadImage:
    """Add what CivitAI tells of an image besides its generation data: how mature it is, and where it is shown."""
    url = image.get("url")
    is_shown = isinstance(url, str) and image.get("type", "image") == "image" and allows(url)
    return replace(read, nsfw_level=level_of_image(image), picture=url if is_shown and not read.image else None)


def unfetched(error: VendorError) -> Unfetched:
    """Return how an image ends that could not be fetched."""
    detail = str(error)
    if isinstance(error, RateLimitError):
        return Unfetched(ItemStatus.SKIPPED, Reason.RATE_LIMITED, detail, error.retry_at, error.host)
    if isinstance(error, UnauthorisedError):
        return Unfetched(ItemStatus.SKIPPED, Reason.UNAUTHORISED, detail, None, error.host)
    if isinstance(error, VendorNotFoundError | GoneError):
        return Unfetched(ItemStatus.FAILED, Reason.NOT_FOUND, detail)
    if isinstance(error, VendorRefusedError):
        return Unfetched(ItemStatus.FAILED, Reason.NOT_ALLOWED, detail)
    return Unfetched(
        ItemStatus.SKIPPED,
        Reason.UNREACHABLE,
        detail,
        getattr(error, "retry_at", None),
        error.host,
        getattr(error, "sample", ""),
    )
