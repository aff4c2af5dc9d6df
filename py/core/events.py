"""Name the events that Pantry sends to whoever watches (docs/reference/events.md)."""

from __future__ import annotations

BATCH_IMPORT = "pantry.batch_import"
METADATA_SYNC = "pantry.metadata_sync"
RECIPES_CHANGED = "pantry.recipes_changed"
MODELS_CHANGED = "pantry.models_changed"

ALL_EVENTS = (BATCH_IMPORT, METADATA_SYNC, RECIPES_CHANGED, MODELS_CHANGED)
