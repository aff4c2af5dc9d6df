"""Define every error that crosses a room's border.

Branches of the tree say what the caller should do; facts are attributes. A class's docstring is its default
message. No aiohttp, sqlite3 or OS error passes the room in which it happened.
"""

from __future__ import annotations


class PantryError(Exception):
    """Pantry could not do what was asked."""

    code = "error"

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or (type(self).__doc__ or "").strip().splitlines()[0])


# --- what the person asked for cannot be done -------------------------------------------------------------------


class InvalidRequestError(PantryError):
    """The request is not valid."""

    code = "invalid_request"


class NotFoundError(PantryError):
    """There is no such thing."""

    code = "not_found"


class ConflictError(PantryError):
    """That is not possible in the present state."""

    code = "conflict"


class NotAllowedError(PantryError):
    """That is outside what this caller may reach."""

    code = "not_allowed"


class StorageError(PantryError):
    """The database could not be read or written."""

    code = "storage"


class UnreadableImageError(PantryError):
    """The file is not an image that can be read."""

    code = "unreadable_image"


# --- what a vendor answered, or did not -------------------------------------------------------------------------


class VendorError(PantryError):
    """The vendor did not give a usable answer."""

    code = "vendor"

    def __init__(self, message: str | None = None, *, host: str = "", provider: str = "") -> None:
        super().__init__(message)
        self.host = host
        self.provider = provider


class RateLimitError(VendorError):
    """The vendor asked us to wait.

    `retry_after` is in seconds; `retry_at` in seconds since the epoch (UTC). `gate_handled` says that the gate has
    already waited as long as the caller allows, so that no outer layer sleeps again.
    """

    code = "rate_limited"

    def __init__(
        self,
        message: str | None = None,
        *,
        host: str = "",
        provider: str = "",
        retry_after: float | None = None,
        retry_at: float | None = None,
        gate_handled: bool = False,
    ) -> None:
        super().__init__(message, host=host, provider=provider)
        self.retry_after = retry_after
        self.retry_at = retry_at
        self.gate_handled = gate_handled


class UnreachableError(VendorError):
    """The vendor cannot be reached at the moment.

    Raised for transport failures, for an open connectivity guard, for 5xx answers that outlived their retries and
    for challenge pages. `retry_at` (seconds since the epoch) is None where nobody knows.
    """

    code = "unreachable"

    def __init__(
        self, message: str | None = None, *, host: str = "", provider: str = "", retry_at: float | None = None
    ) -> None:
        super().__init__(message, host=host, provider=provider)
        self.retry_at = retry_at


class UnauthorisedError(VendorError):
    """The vendor refused the API key, or wants one."""

    code = "unauthorised"


class VendorNotFoundError(VendorError):
    """The vendor says that it has no such thing."""

    code = "vendor_not_found"


class GoneError(VendorError):
    """The vendor has archived this."""

    code = "gone"


class RegionBlockedError(VendorError):
    """The vendor does not serve this region."""

    code = "region_blocked"


class MalformedAnswerError(VendorError):
    """The vendor's answer does not have the documented shape.

    `sample` is the head of the answer without secrets, for the log of a job; it is no part of the message. `retry_at`
    (seconds since the epoch) says until when the host is left alone, where this answer was one too many.
    """

    code = "malformed"
    sample = ""
    retry_at: float | None = None


class TooLargeAnswerError(MalformedAnswerError):
    """The vendor's answer is larger than it may be."""

    code = "too_large"


class VendorRefusedError(VendorError):
    """The vendor says that this request can never work (bad request, or a page too deep)."""

    code = "vendor_refused"


# What a bulk route ends in where it is not there, or does not do what is documented; the single route may.
NO_SUCH_ROUTE = (VendorNotFoundError, VendorRefusedError, MalformedAnswerError)
