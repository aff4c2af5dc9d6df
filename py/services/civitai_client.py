"""Ask CivitAI about models; every request goes through the downloader's gate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ..core.errors import MalformedAnswerError, UnauthorisedError, VendorError, VendorRefusedError
from ..core.outcomes import LookupKey
from ..core.ports import Lane
from ..net.answer import Answer
from ..vendors.bulk import by_sha256
from ..vendors.civitai import decode, urls
from ..vendors.hashes import contradicts
from ..vendors.model_info import ModelInfo
from .downloader import Downloader

PROVIDER = "civitai"
T = TypeVar("T")
Examples = dict[int, "list[dict[str, Any]]"]  # by version id, the newest version first; CivitAI's own fields


class CivitaiClient:
    """Ask CivitAI's public API; raise the `VendorError` tree for everything but a usable answer.

    Questions go out without the key, because CivitAI's edge answers anonymous ones from its cache; from the first
    answer that wants a key on, they carry it where there is one.
    """

    def __init__(
        self, downloader: Downloader, base: Callable[[], str], *, has_key: Callable[[], bool] = lambda: False
    ) -> None:
        self._downloader = downloader
        self._base = base
        self._has_key = has_key
        self._wants_key = False

    @property
    def host(self) -> str:
        """The host, with its port where one is named, that answers."""
        return urls.host_of(self._base())

    async def get_model_by_hash(self, hash_: str, *, lane: Lane = "batch", deadline: float | None = None) -> ModelInfo:
        """Return the version that has a file with this hash, of any kind."""
        url = urls.version_by_hash(self._base(), hash_)
        return await self._version(url, lane, deadline)

    async def get_model_version_info(
        self, version_id: int, *, lane: Lane = "batch", deadline: float | None = None
    ) -> ModelInfo:
        """Return one version by its id."""
        info = await self._version(urls.version(self._base(), version_id), lane, deadline)
        if info.version_id != version_id:
            raise MalformedAnswerError("CivitAI answered with another version.", host=self.host, provider=PROVIDER)
        return info

    async def get_models_by_sha256(
        self, hashes: Sequence[str], *, lane: Lane = "batch", deadline: float | None = None
    ) -> dict[str, ModelInfo]:
        """Return the versions of up to 100 files by SHA256; what is missing in it is not confirmed to be absent.

        CivitAI refuses all hashes for one that it dislikes. Such a request is halved until that one is alone; where
        both halves are refused it is the route that is not there, and nothing is found.
        """
        try:
            return await self._by_sha256(hashes, lane, deadline)
        except VendorRefusedError:
            return await self._halved(hashes, lane, deadline)

    async def _halved(self, hashes: Sequence[str], lane: Lane, deadline: float | None) -> dict[str, ModelInfo]:
        """Ask for the halves of what was refused, and for the halves of the one that is refused again."""
        middle = len(hashes) // 2
        found: dict[str, ModelInfo] = {}
        refused = []
        for half in (hashes[:middle], hashes[middle:]) if middle else ():
            try:
                found |= await self._by_sha256(half, lane, deadline)
            except VendorRefusedError:
                refused.append(half)
        return found | await self._halved(refused[0], lane, deadline) if len(refused) == 1 else found

    async def _by_sha256(self, hashes: Sequence[str], lane: Lane, deadline: float | None) -> dict[str, ModelInfo]:
        url = urls.versions_by_hashes(self._base())
        answer = await self._make_request("POST", url, lane=lane, deadline=deadline, json=list(hashes))
        return by_sha256(self._decoded(answer, lambda data: decode.versions(data, self._download_url)))

    async def get_version_ids(
        self, hashes: Sequence[str], *, lane: Lane = "batch", deadline: float | None = None
    ) -> dict[str, tuple[int, int]]:
        """Return model and version id for up to 10,000 SHA256; a missing one is not confirmed to be absent."""
        url = urls.ids_by_hashes(self._base())
        answer = await self._make_request("POST", url, lane=lane, deadline=deadline, json=list(hashes))
        return self._decoded(answer, decode.version_ids)

    async def get_models(
        self, ids: Sequence[int], *, lane: Lane = "batch", deadline: float | None = None
    ) -> dict[int, list[ModelInfo]]:
        """Return up to 100 models with all their versions; a missing one is not confirmed to be absent."""
        url = urls.models_by_ids(self._base(), ids)
        answer = await self._make_request("GET", url, lane=lane, deadline=deadline)
        return self._decoded(answer, lambda data: decode.models(data, self._download_url))

    async def get_images(
        self, ids: Sequence[int], *, lane: Lane = "batch", deadline: float | None = None
    ) -> dict[int, dict[str, Any]]:
        """Return up to 100 images with their generation data, in CivitAI's own fields."""
        url = urls.images_by_ids(self._base(), ids)
        answer = await self._make_request("GET", url, lane=lane, deadline=deadline)
        return self._decoded(answer, decode.images)

    async def get_example_images(
        self, model_ids: Sequence[int], *, lane: Lane = "batch", deadline: float | None = None
    ) -> dict[int, Examples]:
        """Return the example images of up to 100 models; a missing one is not confirmed to be absent."""
        url = urls.models_by_ids(self._base(), model_ids)
        answer = await self._make_request("GET", url, lane=lane, deadline=deadline)
        return self._decoded(answer, decode.shown_images_of_models)

    async def get_example_images_of(
        self, model_id: int, version_id: int | None, *, lane: Lane = "batch", deadline: float | None = None
    ) -> Examples:
        """Return the example images of one version, or without `version_id` of all versions of one model."""
        base = self._base()
        url = urls.version(base, version_id) if version_id else urls.model(base, model_id)
        answer = await self._make_request("GET", url, lane=lane, deadline=deadline)
        if version_id:
            return dict([self._decoded(answer, decode.version_images)])
        return self._decoded(answer, decode.shown_images)

    async def find(self, key: LookupKey, *, lane: Lane = "batch", deadline: float | None = None) -> ModelInfo:
        """Return the version that `key` names, by the route for its kind."""
        if key.kind == "version_id":
            return await self.get_model_version_info(int(key.value), lane=lane, deadline=deadline)
        info = await self.get_model_by_hash(key.value, lane=lane, deadline=deadline)
        if contradicts(key, [one.hashes for one in info.files]):
            raise MalformedAnswerError("CivitAI answered for another file.", host=self.host, provider=PROVIDER)
        return info

    async def _version(self, url: str, lane: Lane, deadline: float | None) -> ModelInfo:
        answer = await self._make_request("GET", url, lane=lane, deadline=deadline)
        return self._decoded(answer, lambda data: decode.version(data, self._download_url))

    async def _make_request(
        self, method: str, url: str, *, lane: Lane, deadline: float | None, json: Any = None
    ) -> Answer:
        """Return the answer, asking again with the key where CivitAI turns out to want one."""
        with_key = self._wants_key and self._has_key()
        try:
            return await self._send(method, url, lane=lane, deadline=deadline, json=json, use_auth=with_key)
        except UnauthorisedError:
            if with_key or not self._has_key():
                raise
        answer = await self._send(method, url, lane=lane, deadline=deadline, json=json, use_auth=True)
        self._wants_key = True
        return answer

    async def _send(self, method: str, url: str, **options: Any) -> Answer:
        return await self._downloader.make_request(method, url, provider=PROVIDER, **options)

    def _decoded(self, answer: Answer, read: Callable[[Any], T]) -> T:
        """Read an answer, naming the host in what is wrong with it."""
        try:
            return answer.read(read)
        except VendorError as error:
            error.host, error.provider = self.host, PROVIDER
            raise

    def _download_url(self, version_id: int) -> str:
        return urls.download(self._base(), version_id)
