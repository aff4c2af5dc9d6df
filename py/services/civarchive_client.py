"""Ask CivArchive for models that CivitAI has confirmed it does not have; scarce, and for full SHA256 only."""

from __future__ import annotations

from collections.abc import Callable

from ..core.errors import MalformedAnswerError, VendorError, VendorNotFoundError
from ..core.outcomes import LookupKey
from ..core.ports import Lane
from ..net.answer import Answer
from ..vendors.civarchive import decode, urls
from ..vendors.civitai.urls import host_of
from ..vendors.hashes import contradicts
from ..vendors.model_info import ModelInfo
from .downloader import Downloader

PROVIDER = "civarchive"


class CivArchiveClient:
    """Ask CivArchive's legacy or official API, whichever the base address names; it takes no key."""

    def __init__(self, downloader: Downloader, base: Callable[[], str]) -> None:
        self._downloader = downloader
        self._base = base

    @property
    def host(self) -> str:
        """The host, with its port where one is named, that answers."""
        return host_of(self._base())

    async def get_model_by_sha256(
        self, sha256: str, *, lane: Lane = "batch", deadline: float | None = None
    ) -> ModelInfo:
        """Return the archived version that has this file; a second request follows a pointer to its page."""
        answer = await self._make_request(urls.by_sha256(self._base(), sha256), lane, deadline)
        try:
            found = answer.read(decode.by_sha256)
            if isinstance(found, decode.Pointer):
                found = await self._followed(found, lane, deadline)
            return _believed(found, sha256)
        except VendorError as error:
            error.host, error.provider = error.host or self.host, PROVIDER
            raise

    async def _followed(self, pointer: decode.Pointer, lane: Lane, deadline: float | None) -> ModelInfo:
        url = urls.version(self._base(), pointer.model_id, pointer.version_id)
        answer = await self._make_request(url, lane, deadline)
        return answer.read(lambda data: decode.require_version(decode.model(data), pointer.version_id))

    async def _make_request(self, url: str, lane: Lane, deadline: float | None) -> Answer:
        # CivArchive documents no body for its 404, and what is absent was CivitAI's to confirm before.
        return await self._downloader.make_request(
            "GET", url, lane=lane, deadline=deadline, provider=PROVIDER, any_404=True
        )


def _believed(found: ModelInfo | None, sha256: str) -> ModelInfo:
    if found is None:
        raise VendorNotFoundError("CivArchive does not know this file.")
    if contradicts(LookupKey("sha256", sha256.lower()), [one.hashes for one in found.files]):
        raise MalformedAnswerError("CivArchive answered for another file.")
    return found
