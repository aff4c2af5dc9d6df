"""Build the addresses of CivArchive's two API generations.

The legacy one hangs below ``/api``, the official one below ``/api/v1``; the base address in the settings decides.
"""

from __future__ import annotations


def is_official(base: str) -> bool:
    """Tell whether the base address is that of the official API (snake case, no 404 for an unknown hash)."""
    return base.rstrip("/").endswith("/v1")


def by_sha256(base: str, sha256: str) -> str:
    """Address what CivArchive knows of one full SHA256, in lower case."""
    return f"{base}/sha256/{sha256.lower()}"


def version(base: str, model_id: int, version_id: int) -> str:
    """Address one version of a model that has its origin at CivitAI."""
    if is_official(base):
        return f"{base}/civitai/models/{model_id}/versions/{version_id}"
    return f"{base}/models/{model_id}?modelVersionId={version_id}"
