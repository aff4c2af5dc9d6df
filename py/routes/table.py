"""List every HTTP endpoint once; the mounting, the documents and the OpenAPI file are made from this."""

from __future__ import annotations

from . import about, backup, batch_imports, folders, guard, models, network, recipes, settings, single, uploads
from .endpoint import Endpoint
from .jobs import JobRoutes
from .parts import Parts
from .shape import Field

PREFIX = "/pantry/api"

ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        method="POST",
        path="/batch-imports",
        action=batch_imports.start,
        body=batch_imports.SOURCE_FIELDS,
        status=202,
    ),
    Endpoint(
        method="POST", path="/batch-imports/preview", action=batch_imports.preview, body=batch_imports.SOURCE_FIELDS
    ),
    *JobRoutes(lambda parts: parts.imports).endpoints("/batch-imports"),
    Endpoint(method="POST", path="/uploads", action=uploads.upload, takes="upload"),
    Endpoint(
        method="POST",
        path="/recipes",
        action=single.add,
        body=single.FIELDS,
        takes="upload",
        status=201,
    ),
    Endpoint(method="GET", path="/recipes", action=recipes.listing, query=recipes.LIST_QUERY, returns="page"),
    Endpoint(method="GET", path="/recipes/facets", action=recipes.facets, query=recipes.FILTERS),
    Endpoint(method="GET", path="/recipes/export", action=backup.export, query=backup.EXPORT_QUERY, returns="file"),
    Endpoint(method="POST", path="/recipes/import", action=backup.take_back, takes="upload"),
    Endpoint(method="POST", path="/recipes/bulk", action=recipes.bulk, body=recipes.BULK_FIELDS),
    Endpoint(method="GET", path="/recipes/{id}", action=recipes.get),
    Endpoint(method="PATCH", path="/recipes/{id}", action=recipes.patch, body=recipes.PATCH_FIELDS),
    Endpoint(
        method="DELETE",
        path="/recipes/{id}",
        action=recipes.delete,
        status=204,
        protected=True,
        returns="nothing",
    ),
    Endpoint(method="GET", path="/recipes/{id}/thumbnail", action=recipes.thumbnail, returns="file"),
    Endpoint(method="GET", path="/recipes/{id}/image", action=recipes.image, returns="file"),
    Endpoint(method="GET", path="/recipes/{id}/workflow", action=recipes.workflow),
    Endpoint(method="GET", path="/models", action=models.listing, query=models.LIST_QUERY, returns="page"),
    Endpoint(method="POST", path="/models/scan", action=models.scan),
    Endpoint(method="GET", path="/models/hashing", action=models.hashing),
    Endpoint(method="POST", path="/models/hashing/pause", action=models.pause_hashing),
    Endpoint(method="POST", path="/models/hashing/resume", action=models.resume_hashing),
    Endpoint(method="GET", path="/models/{id}", action=models.get),
    Endpoint(method="GET", path="/models/{id}/preview", action=models.preview, returns="file"),
    Endpoint(method="POST", path="/models/{id}/refresh", action=models.refresh),
    Endpoint(method="POST", path="/models/{id}/relink", action=models.relink, body=models.RELINK_FIELDS),
    Endpoint(method="POST", path="/metadata-syncs", action=models.start_sync, body=models.SYNC_FIELDS, status=202),
    *JobRoutes(lambda parts: parts.syncs).endpoints("/metadata-syncs"),
    Endpoint(method="GET", path="/settings", action=settings.read),
    Endpoint(method="PATCH", path="/settings", action=settings.change, body=None),
    Endpoint(method="POST", path="/settings/test-key", action=settings.test_key),
    Endpoint(method="GET", path="/about", action=about.read),
    Endpoint(method="GET", path="/network", action=network.hosts, returns="page"),
    Endpoint(method="POST", path="/network/{host}/try", action=network.try_now, returns="page"),
    Endpoint(
        method="GET",
        path="/folders",
        action=folders.browse,
        query=(Field(name="path", help="A folder; without it only the roots are returned."),),
    ),
)


def door_of(parts: Parts) -> guard.Door:
    """Return where the host listens and which further names the settings allow."""

    def names() -> tuple[str, ...]:
        return () if parts.problem else tuple(parts.settings.get("allowed_hosts"))

    return guard.Door(listens_on=parts.host.listens_on, names=names)
