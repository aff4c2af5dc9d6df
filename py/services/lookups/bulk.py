"""Put up to a hundred questions to CivitAI in one request."""

from __future__ import annotations

from collections.abc import Sequence

from ...core.errors import NO_SUCH_ROUTE, VendorError
from ...core.outcomes import Found, LookupKey
from ...vendors.bulk import BULK_FROM
from ...vendors.chain import Outcome
from ...vendors.outcome_of import outcome_of
from ...vendors.sources import Terms
from ..civitai_client import CivitaiClient


async def ask_in_bulk(civitai: CivitaiClient, keys: Sequence[LookupKey], terms: Terms) -> dict[LookupKey, Outcome]:
    """Return what CivitAI has of up to 100 files; where the request fails, the failure is the answer for each key.

    What is missing in the answer is not confirmed to be absent.
    """
    if len(keys) < BULK_FROM:
        return {}  # the single route costs the vendor less
    try:
        hashes = [key.value for key in keys]
        infos = await civitai.get_models_by_sha256(hashes, lane=terms.lane, deadline=terms.deadline)
    except NO_SUCH_ROUTE:
        return {}  # which says nothing about the files
    except VendorError as error:
        return dict.fromkeys(keys, outcome_of(error, "civitai", civitai.host))
    return {key: Found(infos[key.value], "civitai") for key in keys if key.value in infos}
