"""Build the addresses of CivitAI's public API (developer.civitai.com, site API)."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote, urlsplit

# The limits are CivitAI's own: more ids or hashes in one call answer 400.
IDS_PER_CALL = 100
HASHES_PER_CALL = 100
HASHES_PER_IDS_CALL = 10_000


def host_of(base: str) -> str:
    """Return the host, with its port where one is named, that a base address leads to."""
    return urlsplit(base).netloc


def version(base: str, version_id: int) -> str:
    """Address one model version by id."""
    return f"{base}/model-versions/{version_id}"


def version_by_hash(base: str, hash_: str) -> str:
    """Address one model version by any kind of hash of one of its files."""
    return f"{base}/model-versions/by-hash/{quote(hash_, safe='')}"


def versions_by_hashes(base: str) -> str:
    """Address the POST route that takes up to `HASHES_PER_CALL` SHA256."""
    return f"{base}/model-versions/by-hash"


def ids_by_hashes(base: str) -> str:
    """Address the POST route that takes up to `HASHES_PER_IDS_CALL` SHA256 and answers bare ids."""
    return f"{base}/model-versions/by-hash/ids"


def models_by_ids(base: str, ids: Sequence[int]) -> str:
    """Address up to `IDS_PER_CALL` models at once; without ``nsfw=true`` mature ones would be left out."""
    return f"{base}/models?ids={_joined(ids)}&nsfw=true&limit={IDS_PER_CALL}"


def model(base: str, model_id: int) -> str:
    """Address one model with all its versions."""
    return f"{base}/models/{model_id}"


def images_by_ids(base: str, ids: Sequence[int]) -> str:
    """Address up to `IDS_PER_CALL` images with their metadata; the default page of 50 would cut them short."""
    return f"{base}/images?ids={_joined(ids)}&nsfw=X&withMeta=true&limit={IDS_PER_CALL}"


def download(base: str, version_id: int) -> str:
    """Address a version's file; CivitAI's own ``downloadUrl`` may name a host that does not exist."""
    return f"{base.removesuffix('/v1')}/download/models/{version_id}"


def page(model_id: int, version_id: int | None = None) -> str:
    """Address a model's page for people."""
    version_part = f"?modelVersionId={version_id}" if version_id else ""
    return f"https://civitai.com/models/{model_id}{version_part}"


def _joined(ids: Sequence[int]) -> str:
    return ",".join(str(one) for one in ids)
