"""Decide whether a request may reach a handler, from its headers alone.

Both modes need this: ComfyUI's own checks differ by version and vanish with --enable-cors-header, and a page of any
site can make a browser talk to this machine. Four cases are refused: a Host that is not ours (DNS rebinding), a page
of another site, an opaque origin, and a body that a plain HTML form could have sent.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

Body = Literal["none", "json", "upload"]

# A form or an image of another site cannot set it without asking first (a CORS preflight, which nobody answers).
UPLOAD_HEADER = "X-Pantry"
_FORWARDED = ("X-Forwarded-For", "Forwarded", "X-Real-IP")
_SAFE_METHODS = ("GET", "HEAD", "OPTIONS")


@dataclass(frozen=True, slots=True)
class Refusal:
    """Say why a request goes no further."""

    status: int
    code: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """Describe where the server listens and which further names it answers to."""

    listens_on: tuple[str, ...] = ("127.0.0.1",)
    names: Callable[[], tuple[str, ...]] = lambda: ()

    @property
    def loopback_only(self) -> bool:
        """Whether only this machine can reach the server."""
        return all(is_loopback(one) for one in self.listens_on)

    def answers_to(self, host: str) -> bool:
        """Whether a request may name `host` (the Host header, with or without a port)."""
        name = host_name(host)
        if not self.loopback_only or is_loopback(name):
            return True
        return name in {one.lower() for one in (*self.listens_on, *self.names())}


def host_name(host: str) -> str:
    """Return the name of a Host header in lower case, without port and brackets."""
    try:
        return (urlsplit(f"//{host}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def is_loopback(name: str) -> bool:
    """Whether a host name or address means this machine."""
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


def is_local_peer(remote: str | None, headers: Mapping[str, str]) -> bool:
    """Whether the caller sits at this machine; whoever came through a proxy does not count as such."""
    return bool(remote) and is_loopback(remote or "") and not any(name in headers for name in _FORWARDED)


def judge(method: str, headers: Mapping[str, str], door: Door, body: Body, *, has_body: bool) -> Refusal | None:
    """Return why the request is refused, or None where it may pass; header names compare without case."""
    host = headers.get("Host", "")
    if not door.answers_to(host):
        return Refusal(403, "wrong_host", "This server does not answer to that host name. See allowed_hosts.")
    if method in _SAFE_METHODS:
        return _judge_read(headers)
    return _judge_site(headers, host) or _judge_body(headers, body, has_body=has_body)


def judge_socket(headers: Mapping[str, str], door: Door) -> Refusal | None:
    """Return why a WebSocket handshake is refused, or None; a browser always sends an Origin with it."""
    host = headers.get("Host", "")
    if not door.answers_to(host):
        return Refusal(403, "wrong_host", "This server does not answer to that host name.")
    return _judge_site(headers, host)


def _judge_read(headers: Mapping[str, str]) -> Refusal | None:
    """Refuse reads by scripts and tags of another site; following a link from there is fine."""
    cross_site = headers.get("Sec-Fetch-Site", "") == "cross-site"
    if cross_site and headers.get("Sec-Fetch-Mode", "") != "navigate":
        return Refusal(403, "cross_site", "Pages of other sites may not read this.")
    return None


def _judge_site(headers: Mapping[str, str], host: str) -> Refusal | None:
    """Believe Sec-Fetch-Site, which no page can forge; compare Origin where a browser does not send it."""
    site, origin = headers.get("Sec-Fetch-Site"), headers.get("Origin")
    foreign = site not in ("same-origin", "none")
    if site is None:
        foreign = origin is not None and not _same_origin(origin, host)
    return Refusal(403, "cross_site", "Pages of other sites may not do this.") if foreign else None


def _same_origin(origin: str, host: str) -> bool:
    try:
        return bool(host) and urlsplit(origin).netloc.lower() == host.lower()
    except ValueError:
        return False


def _judge_body(headers: Mapping[str, str], body: Body, *, has_body: bool) -> Refusal | None:
    kind = headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if body == "upload" and kind == "multipart/form-data":
        if UPLOAD_HEADER in headers:
            return None
        return Refusal(403, "cross_site", f"An upload needs the header {UPLOAD_HEADER}: 1.")
    if has_body and kind != "application/json":
        return Refusal(415, "unsupported_media_type", "Send the body as application/json.")
    return None
