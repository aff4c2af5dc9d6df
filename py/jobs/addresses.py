"""Say which addresses may be fetched, and what they lead to. Pure.

A list of what is allowed, not of what is forbidden: whoever may start an import must not be able to make this machine
fetch from the network around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import SplitResult, parse_qs, urlsplit

from ..core.errors import NotAllowedError

PAGE_HOSTS = frozenset({"civitai.com", "www.civitai.com", "civitai.red", "www.civitai.red", "civitai.green"})
IMAGE_HOSTS = frozenset({"image.civitai.com", "image-b2.civitai.com", "civarchive.com", "img.genur.art"})
MAX_LENGTH = 2048
NO_ADDRESS = "That is not an address; copy it from the address bar of a browser."
_IMAGE_PAGE = re.compile(r"/images/(\d{1,12})/?")
_MODEL_PAGE = re.compile(r"/models/(\d{1,10})(?:/[^/]*)?/?")
_VERSION = re.compile(r"\d{1,10}")


@dataclass(frozen=True, slots=True)
class ImagePage:
    """Name an image of CivitAI by its id."""

    id: int


@dataclass(frozen=True, slots=True)
class ModelPage:
    """Name a model of CivitAI by its id, and one of its versions; without one the newest is meant."""

    id: int
    version_id: int | None = None


@dataclass(frozen=True, slots=True)
class ImageFile:
    """Name an image file by its address."""

    url: str


class AddressBook:
    """Judge addresses; `own_bases` are the vendors' addresses in the settings, whose hosts are allowed as they are."""

    def __init__(self, own_bases: Iterable[str] = ()) -> None:
        self._own = {urlsplit(base).netloc.lower() for base in own_bases}

    def read(self, url: str) -> ImagePage | ModelPage | ImageFile:
        """Return what an address names; raise `NotAllowedError` where it may not be fetched."""
        parts = self._checked(url)
        has_pages = parts.hostname in PAGE_HOSTS or parts.netloc.lower() in self._own
        if has_pages and (page := _IMAGE_PAGE.fullmatch(parts.path)):
            return ImagePage(int(page[1]))
        if has_pages and (page := _MODEL_PAGE.fullmatch(parts.path)):
            return ModelPage(int(page[1]), _version_in(parts.query))
        if parts.hostname in PAGE_HOSTS:
            raise NotAllowedError(
                "Of CivitAI's pages only those of images (civitai.com/images/...) and models (civitai.com/models/...) "
                "can be imported; use the address of one of these."
            )
        return ImageFile(url)

    def allows(self, url: str) -> bool:
        """Whether an address, for instance of a redirect, may be fetched."""
        try:
            self._checked(url)
        except NotAllowedError:
            return False
        return True

    def is_own(self, url: str) -> bool:
        """Whether an address is at a host of the settings, which may be this machine's own."""
        parts = urlsplit(url)
        return parts.netloc.lower() in self._own and parts.scheme in {"http", "https"}

    def _checked(self, url: str) -> SplitResult:
        parts = _split(url)
        if self.is_own(url) and "@" not in parts.netloc:
            return parts
        if parts.scheme != "https":
            raise NotAllowedError(
                "Only addresses that begin with https:// can be imported; save the image and import the file."
            )
        if parts.netloc.lower() != (parts.hostname or ""):
            raise NotAllowedError(
                "An address with a port or a name and password cannot be imported; save the image and import the file."
            )
        if parts.hostname not in PAGE_HOSTS | IMAGE_HOSTS:
            raise NotAllowedError(
                "Only images of CivitAI and CivArchive can be imported by address; save the image and import the file."
            )
        return parts


def _version_in(query: str) -> int | None:
    named = parse_qs(query).get("modelVersionId", [])
    if not named:
        return None
    if not _VERSION.fullmatch(named[0]):
        raise NotAllowedError("The address names no version of the model that there could be; copy it again.")
    return int(named[0])


def _split(url: str) -> SplitResult:
    printable = url.isascii() and url.isprintable() and not any(mark in url for mark in " \\")
    if not printable or len(url) > MAX_LENGTH:
        raise NotAllowedError(NO_ADDRESS)
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise NotAllowedError(NO_ADDRESS) from error
    return parts
