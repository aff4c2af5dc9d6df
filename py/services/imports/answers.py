"""Keep what a run has learnt about references, small enough for tens of thousands of them."""

from __future__ import annotations

from ...core.outcomes import AbsentConfirmed, Found
from ...recipes.store_body import ModelAnswer
from ...vendors.model_info import ModelInfo


def answer_of(outcome: Found[ModelInfo] | AbsentConfirmed) -> ModelAnswer:
    """Return what a recipe keeps of a final outcome."""
    if isinstance(outcome, AbsentConfirmed):
        return ModelAnswer(state="absent", source=", ".join(outcome.sources))
    info = outcome.value
    return ModelAnswer(
        state="found",
        source=outcome.source,
        vendor_name=info.name,
        version_name=info.version_name,
        base_model=info.base_model,
        model_id=info.model_id,
        model_version_id=info.version_id,
    )
