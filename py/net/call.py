"""Hold one logical call: what to send, until when to try, and how often has been tried."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ..core.ports import Lane, Request, Response
from .buckets import downloads_of
from .destination import family_of, host_of, redirect_target

# What the caller can use: parsed JSON, a file's bytes, or the headers alone.
Wants = Literal["json", "bytes", "headers"]
REDIRECTS = 5
LARGEST_ANSWER = 32 * 1024 * 1024


@dataclass(slots=True, kw_only=True)
class Call:
    """Keep one call across its sends; `deadline` is in seconds of the clock's `monotonic`.

    `exchange` sends one request and returns its answer; `file_headers` is asked anew for every send, because a
    download goes on where the last send ended; `permit` says of each redirect whether it may be followed; `trusts` says
    of each address whether it may lead to this machine or the networks around it.
    """

    method: str
    url: str
    lane: Lane
    deadline: float
    exchange: Callable[[Request], Awaitable[Response]]
    wants: Wants = "json"
    any_404: bool = False
    provider: str = ""
    use_auth: bool = False
    json: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    file_headers: Callable[[], Mapping[str, str]] = dict
    max_bytes: int = LARGEST_ANSWER
    timeout: float = 60.0
    permit: Callable[[str], bool] = lambda _url: True
    trusts: Callable[[str], bool] = lambda _url: True
    tries: int = 0
    redirects: int = 0

    @property
    def host(self) -> str:
        """The host that the next send goes to."""
        return host_of(self.url)

    @property
    def bucket(self) -> str:
        """The gate's bucket: files have their own, so that a download quota never closes the API."""
        return self.host if self.wants == "json" else self.download_bucket

    @property
    def download_bucket(self) -> str:
        """The bucket of the host's files."""
        return downloads_of(self.host)

    @property
    def family(self) -> str:
        """The route family, which an overloaded vendor pauses on its own."""
        return family_of(self.url)

    def request(self, auth: Callable[[str], Mapping[str, str]]) -> Request:
        """Return what to send now; the key is looked up by host, so that a redirect leaves it behind."""
        key = auth(self.host) if self.use_auth else {}
        return Request(
            method=self.method,
            url=self.url,
            headers={**self.headers, **self.file_headers(), **key},
            json=self.json,
            timeout=self.timeout,
            max_bytes=self.max_bytes,
            public_only=not self.trusts(self.url),
        )

    def follow(self, location: str) -> bool:
        """Go where a redirect points; return False where that may not be followed, or leads in circles."""
        target = redirect_target(self.url, location)
        self.redirects += 1
        if target is None or self.redirects > REDIRECTS or not self.permit(target):
            return False
        self.url = target
        return True
