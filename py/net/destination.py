"""Name where a request really goes: windows, pace and outages are kept per host."""

from __future__ import annotations

from urllib.parse import SplitResult, urljoin, urlsplit

_DEFAULT_PORTS = {"http": 80, "https": 443}


def host_of(url: str) -> str:
    """Return ``host`` or ``host:port`` in lower case, without a default port; raise `ValueError` for no address."""
    parts = urlsplit(url)
    name = (parts.hostname or "").rstrip(".")
    if not name or parts.scheme not in _DEFAULT_PORTS:
        raise ValueError("not an http address")
    return _with_port(parts, f"[{name}]" if ":" in name else name)


def _with_port(parts: SplitResult, name: str) -> str:
    port = parts.port
    return name if port in {None, _DEFAULT_PORTS[parts.scheme]} else f"{name}:{port}"


def without_query(url: str) -> str:
    """Return an address that may be logged: no query (it can hold a key), no fragment, no credentials."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def family_of(url: str) -> str:
    """Name the route family that an overload pauses: the path's last fixed word (``images``, ``models``, …).

    Ids and hashes are not part of it, so that ``/model-versions/by-hash/AB12`` and ``/model-versions/7`` pause
    together, and ``/images`` alone.
    """
    words = [part for part in urlsplit(url).path.split("/") if part and part != "api" and not _is_version(part)]
    return words[0].lower() if words else ""


def _is_version(part: str) -> bool:
    return part[:1] == "v" and part[1:].isdigit()


def redirect_target(url: str, location: str) -> str | None:
    """Return where a redirect leads, absolute; None where it may not be followed.

    https never falls back to http (RFC 9110 §15.4 leaves it to the client; a key or a file would travel open).
    """
    target = urljoin(url, location.strip())
    scheme = urlsplit(target).scheme
    if scheme not in _DEFAULT_PORTS or (urlsplit(url).scheme == "https" and scheme == "http"):
        return None
    return target if urlsplit(target).hostname else None
