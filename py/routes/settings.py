"""Read and change settings over HTTP; secrets go in and never come out."""

from __future__ import annotations

from typing import Any

from ..core.errors import NotAllowedError, RateLimitError, UnauthorisedError, UnreachableError, VendorError
from .call import Call
from .parts import Parts

# A remote peer who could set these would choose what this machine reads, or where its API key goes.
PROTECTED = frozenset(
    {
        "civitai_api_key",
        "civitai_api_base",
        "civarchive_api_base",
        "archive_db_path",
        "model_folders",
        "import_folders",
        "watch_folders",
        "allowed_hosts",
        "allow_remote_changes",
    }
)


async def read(parts: Parts, call: Call) -> dict[str, Any]:  # noqa: ARG001 - one shape for all handlers
    """Return every setting; a secret only as whether it is set and its last four characters."""
    return parts.settings.public()


async def change(parts: Parts, call: Call) -> dict[str, Any]:
    """Change the given settings, all or none; they act on the next request."""
    held = sorted(PROTECTED & set(call.body))
    if held and not call.local:
        raise NotAllowedError(f"{held[0]} can be changed only on the machine that runs Pantry.")
    parts.settings.update(call.body)
    return parts.settings.public()


async def test_key(parts: Parts, call: Call) -> dict[str, Any]:  # noqa: ARG001 - one shape for all handlers
    """Ask CivitAI whether it takes our key; ``ok`` is null where it could not say."""
    if not parts.settings.get("civitai_api_key"):
        return {"ok": None, "message": "There is no key yet."}
    address = parts.settings.get("civitai_api_base") + "/me"
    try:
        await parts.downloader.make_request("GET", address, lane="interactive", use_auth=True, provider="civitai")
    except UnauthorisedError:
        return {"ok": False, "message": "CivitAI refused the key."}
    except (RateLimitError, UnreachableError) as error:
        return {"ok": None, "message": f"CivitAI could not be asked now. {error}"}
    except VendorError:
        return {"ok": None, "message": "CivitAI did not say whether the key is good."}
    return {"ok": True, "message": "CivitAI takes the key."}
