"""Fetch the pictures that a page shows, each once, and never let the page wait long for one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from ..core.errors import GoneError, NotFoundError, RateLimitError, UnreachableError, VendorError, VendorNotFoundError
from ..core.ports import Clock
from ..jobs.addresses import AddressBook
from ..library.daemon import in_daemon_thread
from ..net.destination import host_of
from ..vendors.single_flight import SingleFlight
from .downloader import Downloader

MOST_BYTES = 64 * 1024 * 1024
# A browser opens six connections to us: pictures that wait for a vendor must not keep the rest of the page from them.
PATIENCE_SECONDS = 10.0
GONE_SECONDS = 3_600.0  # for which a picture that is not there is not asked for again
TROUBLE_SECONDS = 60.0  # for which a host that could not give one is not asked for any
MOST_REMEMBERED = 1_000


class PictureFetcher:
    """Fetch a picture where it is not kept yet; whoever wants it at the same time shares the request.

    A vendor's answer cannot send us anywhere: only its picture hosts, and those of `own_bases()`, are asked.
    """

    def __init__(self, downloader: Downloader, clock: Clock, own_bases: Callable[[], Sequence[str]]) -> None:
        self._downloader = downloader
        self._clock = clock
        self._own_bases = own_bases
        self._flights: SingleFlight[Path, Path] = SingleFlight()
        self._left_alone: dict[str, float] = {}

    async def kept(self, target: Path, url: str) -> Path:
        """Return `target`, fetched from `url` the first time.

        Raise `NotFoundError` where there is no such picture or it may not be fetched, and the `VendorError` tree.
        """
        return await self._flights.run(target, lambda: self._keep(target, url))

    async def _keep(self, target: Path, url: str) -> Path:
        if not await in_daemon_thread(target.is_file):
            content = await self._fetch(url)
            await in_daemon_thread(lambda: _write(target, content))
        return target

    async def _fetch(self, url: str) -> bytes:
        book = AddressBook(self._own_bases())
        if not book.allows(url) or self._rest(url) > 0:
            raise NotFoundError("There is no such picture.")
        host = host_of(url)
        if (rest := self._rest(host)) > 0:
            message = f"{host} could not give a picture; it is left alone for a minute."
            raise UnreachableError(message, host=host, retry_at=self._clock.wall() + rest)
        deadline = self._clock.monotonic() + PATIENCE_SECONDS
        try:
            return await self._downloader.download_to_memory(
                url, max_bytes=MOST_BYTES, permit=book.allows, trusts=book.is_own, deadline=deadline
            )
        except RateLimitError:
            raise  # the gate knows until when, and refuses without a request
        except (VendorNotFoundError, GoneError):
            self._leave_alone(url, GONE_SECONDS)
            raise
        except VendorError:
            self._leave_alone(host, TROUBLE_SECONDS)
            raise

    def _rest(self, name: str) -> float:
        return self._left_alone.get(name, 0.0) - self._clock.monotonic()

    def _leave_alone(self, name: str, seconds: float) -> None:
        if len(self._left_alone) >= MOST_REMEMBERED:
            self._left_alone.clear()
        self._left_alone[name] = self._clock.monotonic() + seconds


def _write(target: Path, content: bytes) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_suffix(".part")
    part.write_bytes(content)
    part.replace(target)
