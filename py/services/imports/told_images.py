"""Read what CivitAI tells about an image, and say how an image ends that could not be fetched. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ...core.errors import (
    GoneError,
    MalformedAnswerError,
    RateLimitError,
    RegionBlockedError,
    TooLargeAnswerError,
    UnauthorisedError,
    VendorError,
    VendorNotFoundError,
    VendorRefusedError,
)
from ...jobs.states import ItemStatus, Reason
from ...jobs.vendor_stage import ASKED_TO_WAIT, NOT_UNDERSTOOD, OUT_OF_REACH, REFUSED_THE_KEY
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


# The first class that fits counts.
_ENDS: tuple[tuple[type[VendorError] | tuple[type[VendorError], ...], ItemStatus, Reason, str], ...] = (
    (RateLimitError, ItemStatus.SKIPPED, Reason.RATE_LIMITED, ASKED_TO_WAIT),
    (UnauthorisedError, ItemStatus.SKIPPED, Reason.UNAUTHORISED, REFUSED_THE_KEY),
    (
        (VendorNotFoundError, GoneError),
        ItemStatus.FAILED,
        Reason.NOT_FOUND,
        "{host} does not have this any more; see in a browser whether the address is right.",
    ),
    (
        TooLargeAnswerError,
        ItemStatus.FAILED,
        Reason.TOO_LARGE,
        "The file is larger than Pantry fetches; save it with a browser and import the file.",
    ),
    (
        VendorRefusedError,
        ItemStatus.FAILED,
        Reason.NOT_ALLOWED,
        "{host} does not give this out ({words}); see in a browser whether the address is right.",
    ),
    (
        RegionBlockedError,
        ItemStatus.SKIPPED,
        Reason.UNREACHABLE,
        "{host} does not serve this region; save the image by other means and import the file.",
    ),
    (MalformedAnswerError, ItemStatus.SKIPPED, Reason.UNREACHABLE, NOT_UNDERSTOOD),
    (VendorError, ItemStatus.SKIPPED, Reason.UNREACHABLE, OUT_OF_REACH),
)


def unfetched(error: VendorError) -> Unfetched:
    """Return how an image ends that could not be fetched, with a sentence that says what to do."""
    _, status, reason, sentence = next(end for end in _ENDS if isinstance(error, end[0]))
    detail = sentence.format(host=error.host or "The vendor", words=str(error).rstrip("."))
    retry_at, sample = getattr(error, "retry_at", None), getattr(error, "sample", "")
    return Unfetched(status, reason, detail, retry_at, error.host or None, sample)
