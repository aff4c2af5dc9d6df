"""Turn a vendor's error into the typed outcome of a look-up."""

from __future__ import annotations

from ..core.errors import (
    GoneError,
    RateLimitError,
    RegionBlockedError,
    UnauthorisedError,
    UnreachableError,
    VendorError,
    VendorNotFoundError,
)
from ..core.outcomes import AbsentConfirmed, Malformed, RateLimited, Unauthorised, Unreachable
from .chain import Outcome, Provider


def outcome_of(error: VendorError, provider: Provider, host: str) -> Outcome:
    """Return what `error` means for the question; only a confirmed "not found" means absence."""
    where = error.host or host
    match error:
        case VendorNotFoundError() | GoneError():
            return AbsentConfirmed((provider,))
        case RateLimitError():
            return RateLimited(where, error.retry_at)
        case UnreachableError():
            return Unreachable(where, error.retry_at, str(error))
        case UnauthorisedError():
            return _closed_door(error, provider, where)
        case RegionBlockedError():
            return Unreachable(where, None, str(error))
        case _:
            return Malformed(where, str(error), getattr(error, "sample", ""), getattr(error, "retry_at", None))


def _closed_door(error: VendorError, provider: Provider, host: str) -> Outcome:
    """Tell a refused key from a closed door: only CivitAI takes keys of ours."""
    return Unauthorised(host, str(error)) if provider == "civitai" else Unreachable(host, None, str(error))
