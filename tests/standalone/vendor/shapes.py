"""Spell a model as each vendor does; invented values in the documented shapes."""

from __future__ import annotations

CREATED = "2026-01-02T03:04:05.000Z"


def civitai_version(model, base):
    """CivitAI: GET model-versions/{id}, by-hash/{hash}; an element of POST by-hash."""
    download = f"{base}/download/models/{model.version_id}"
    return {
        "id": model.version_id,
        "modelId": model.model_id,
        "name": model.version_name,
        "nsfwLevel": 1,
        "createdAt": CREATED,
        "updatedAt": CREATED,
        "status": "Published",
        "publishedAt": CREATED,
        "trainedWords": list(model.trained_words),
        "trainingStatus": None,
        "trainingDetails": None,
        "baseModel": model.base_model,
        "baseModelType": "Standard",
        "description": None,
        "uploadType": "Created",
        "usageControl": "Download",
        "air": f"urn:air:sdxl:{model.type.lower()}:civitai:{model.model_id}@{model.version_id}",
        "stats": {"downloadCount": 12, "thumbsUpCount": 3},
        "model": {"name": model.name, "type": model.type, "nsfw": model.nsfw, "poi": False},
        "files": [] if model.archived else [_civitai_file(model, download)],
        "images": [_civitai_image(model, index, base) for index in range(model.images)],
        "downloadUrl": download,
    }


def _civitai_file(model, download):
    return {
        "id": model.version_id + 7_000_000,
        "sizeKB": model.size_kb,
        "name": model.file_name or f"{model.name}.safetensors",
        "type": "Model",
        "pickleScanResult": "Success",
        "virusScanResult": "Success",
        "metadata": {"format": "SafeTensor", "size": None, "fp": None},
        "hashes": model.all_hashes,
        "primary": True,
        "downloadUrl": download,
    }


def _civitai_image(model, index, base):
    return {
        "url": f"{base}/pictures/{model.version_id}-{index}/original=true/{index}.jpeg",
        "nsfwLevel": 1,
        "width": 832,
        "height": 1216,
        "hash": "UA8N5",
        "type": "image",
        "minor": False,
        "poi": False,
        "hasMeta": True,
        "meta": dict(enumerate(model.metas)).get(index),
    }


def civitai_model(versions, base):
    """CivitAI: GET models/{id}; an item of models?ids=."""
    first = versions[0]
    nested = [civitai_version(one, base) for one in versions]
    for one in nested:
        del one["modelId"], one["model"]
    return {
        "id": first.model_id,
        "name": first.name,
        "description": f"<p>About {first.name}</p>",
        "type": first.type,
        "nsfw": first.nsfw,
        "nsfwLevel": 1,
        "availability": "Public",
        "poi": False,
        "minor": False,
        "allowNoCredit": True,
        "stats": {"downloadCount": 1},
        "creator": {"username": first.creator, "image": None},
        "tags": list(first.tags),
        "modelVersions": nested,
    }


def archive_legacy(model):
    """CivArchive, legacy: sha256/{hash} and models/{id}."""
    version = {
        "id": model.version_id,
        "modelId": model.model_id,
        "name": model.version_name,
        "baseModel": model.base_model,
        "description": None,
        "downloadCount": 437,
        "nsfw_level": 31,
        "trigger": list(model.trained_words),
        "deletedAt": None,
        "files": [_archive_file(model)],
        "images": [{"id": 1, "url": "https://img.example/1.png", "type": "image", "nsfwLevel": 1}],
    }
    return {
        "data": {
            "id": model.model_id,
            "name": model.name,
            "type": model.type,
            "description": "kept",
            "is_nsfw": model.nsfw,
            "nsfw_level": 31,
            "tags": list(model.tags),
            "creator_username": model.creator,
            "deletedAt": "2026-03-01T00:00:00Z",
            "version": version,
            "versions": [{"id": model.version_id, "name": model.version_name}],
        }
    }


def _archive_file(model):
    return {
        "id": model.version_id + 7_000_000,
        "name": model.file_name or f"{model.name}.safetensors",
        "type": "Model",
        "sizeKB": model.size_kb,
        "downloadUrl": f"https://civitai.com/api/download/models/{model.version_id}",
        "sha256": model.hash("sha256"),
        "is_primary": True,
        "mirrors": [{"filename": "x.safetensors", "url": "https://mirror.example/x", "deletedAt": None}],
    }


def archive_pointer(model):
    """CivArchive, legacy: the hash is known, its model is on another page."""
    return {
        "data": {"files": [{"model_id": model.model_id, "model_version_id": model.version_id, "source": "civitai"}]}
    }


def archive_official(model):
    """CivArchive, v1: snake case throughout, ids are strings."""
    file = _archive_file(model)
    return {
        "id": str(model.model_id),
        "name": model.name,
        "type": model.type,
        "platform": "civitai",
        "username": model.creator,
        "is_nsfw": model.nsfw,
        "tags": list(model.tags),
        "deleted_at": None,
        "version": {
            "id": str(model.version_id),
            "name": model.version_name,
            "base_model": model.base_model,
            "trigger": list(model.trained_words),
            "deleted_at": None,
            "civitai_model_id": model.model_id,
            "civitai_model_version_id": model.version_id,
            "files": [
                {"id": "1", "name": file["name"], "sha256": file["sha256"], "size_kb": model.size_kb, "mirrors": []}
            ],
            "images": [{"id": 1, "url": "https://img.example/1.png", "type": "image"}],
        },
        "versions": [{"id": str(model.version_id), "name": model.version_name}],
    }
