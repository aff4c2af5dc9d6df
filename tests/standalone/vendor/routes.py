"""Answer the routes of both vendors from a catalogue, with their documented misses and bad requests."""

from __future__ import annotations

import re

from aiohttp import web

from . import shapes

SHA256 = re.compile(r"[0-9a-fA-F]{64}\Z")
INT4 = 2**31 - 1


def _miss(text="Model not found", status=404):
    return web.json_response({"error": text}, status=status)


def civitai_by_hash(vendor, request):
    model = vendor.catalogue.by_hash.get(request.match_info["hash"].lower())
    return web.json_response(shapes.civitai_version(model, vendor.origin)) if model else _miss()


def civitai_version(vendor, request):
    version_id = int(request.match_info["id"])
    if version_id > INT4:
        return _miss("Failed to fetch model version details", 500)
    model = vendor.catalogue.by_version.get(version_id)
    return web.json_response(shapes.civitai_version(model, vendor.origin)) if model else _miss()


def civitai_by_hashes(vendor, body):
    """Answer POST by-hash: one bad element spoils all, misses are dropped, order means nothing."""
    if (
        not isinstance(body, list)
        or len(body) > 100
        or not all(isinstance(one, str) and SHA256.match(one) for one in body)
    ):
        return _miss("Request must include an array of SHA256 Hashes. Limit 100.", 400)
    found = {one.lower(): vendor.catalogue.by_hash.get(one.lower()) for one in reversed(body)}
    return web.json_response([shapes.civitai_version(one, vendor.origin) for one in found.values() if one])


def civitai_ids(vendor, body):
    """Answer POST by-hash/ids: bare ids, misses dropped."""
    if not isinstance(body, list) or len(body) > 10_000 or not all(isinstance(one, str) for one in body):
        return _miss("Request must include an array of hashes. Limit 10000.", 400)
    found = [(one, vendor.catalogue.by_hash.get(one.lower())) for one in body]
    told = [
        {"modelVersionId": one.version_id, "modelId": one.model_id, "hash": asked.upper()}
        for asked, one in found
        if one
    ]
    return web.json_response(told)


def civitai_model(vendor, request):
    model_id = int(request.match_info["id"])
    versions = vendor.catalogue.by_model.get(model_id)
    return (
        web.json_response(shapes.civitai_model(versions, vendor.origin))
        if versions
        else _miss(f"No model with id {model_id}")
    )


def civitai_models(vendor, request):
    """Answer models?ids=; without nsfw=true mature ones vanish without a word."""
    ids = [int(one) for one in request.query.get("ids", "").split(",") if one]
    if len(ids) > 100:
        return _miss("Too many ids", 400)
    found = [vendor.catalogue.by_model.get(one) for one in ids]
    shown = [one for one in found if one and (request.query.get("nsfw") == "true" or not one[0].nsfw)]
    return web.json_response({"items": [shapes.civitai_model(one, vendor.origin) for one in shown], "metadata": {}})


def civitai_me(vendor, request):
    """Answer who the key belongs to; without one this route alone refuses."""
    if "Authorization" not in request.headers:
        return _miss("Unauthorized", 401)
    return web.json_response({"id": 1, "username": "someone"})


def civitai_images(vendor, request):
    """Answer images?ids= and imageId=; paging beyond a thousand is refused for good, with a 429."""
    if int(request.query.get("page", 1)) * int(request.query.get("limit", 50)) > 1000:
        return _miss("You've requested too many pages, please use cursors instead", 429)
    ids = [int(one) for one in request.query.get("ids", request.query.get("imageId", "")).split(",") if one]
    items = [vendor.catalogue.images[one] for one in ids if one in vendor.catalogue.images]
    return web.json_response({"items": items[: int(request.query.get("limit", 50))], "metadata": {}})


def archive_by_sha256(vendor, request):
    model = vendor.catalogue.by_hash.get(request.match_info["hash"])  # lower case only
    if vendor.kind == "civarchive-v1":
        return web.json_response({"files": [], "models": [shapes.archive_official(model)] if model else []})
    if model is None:
        return _miss("Not found")
    return web.json_response(shapes.archive_pointer(model) if vendor.points else shapes.archive_legacy(model))


def archive_version(vendor, request):
    model = vendor.catalogue.by_version.get(
        int(request.query.get("modelVersionId") or request.match_info.get("version", 0))
    )
    if model is None:
        return _miss("Not found")
    shape = shapes.archive_official if vendor.kind == "civarchive-v1" else shapes.archive_legacy
    return web.json_response(shape(model))


def picture(vendor, request):
    """Answer with a picture; only its first bytes are one."""
    return web.Response(body=b"\xff\xd8\xff" + request.path.encode(), content_type="image/jpeg")


CIVITAI = {
    "/api/pictures/{version}/{size}/{name}": picture,
    "/api/v1/model-versions/by-hash/{hash}": civitai_by_hash,
    r"/api/v1/model-versions/{id:\d+}": civitai_version,
    r"/api/v1/models/{id:\d+}": civitai_model,
    "/api/v1/models": civitai_models,
    "/api/v1/images": civitai_images,
    "/api/v1/me": civitai_me,
}
ARCHIVE = {
    "/api/sha256/{hash}": archive_by_sha256,
    r"/api/models/{id:\d+}": archive_version,
    "/api/v1/sha256/{hash}": archive_by_sha256,
    r"/api/v1/civitai/models/{id:\d+}/versions/{version:\d+}": archive_version,
}


def questions_of(request, body):
    """Return the hashes and ids that a request asks for."""
    if isinstance(body, list):
        return tuple(str(one).lower() for one in body)
    named = request.match_info.get("version") or request.match_info.get("hash") or request.match_info.get("id")
    listed = request.query.get("ids", request.query.get("imageId", ""))
    return (named.lower(),) if named else tuple(one for one in listed.split(",") if one)
