"""Find the embeddings that a prompt names, as ComfyUI writes them: ``embedding:name``."""

from __future__ import annotations

import re
from itertools import islice

from ... import uses
from ...draft import ModelUse

_EMBEDDING = re.compile(r"\bembedding:([^\s,:()<>|\[\]]{1,256})", re.IGNORECASE)


def embeddings_in(*prompts: str | None) -> tuple[ModelUse, ...]:
    """Return the embeddings of the prompts, each once."""
    naming = [prompt for prompt in prompts if prompt and "embedding:" in prompt.casefold()]
    names = (match[1] for prompt in naming for match in islice(_EMBEDDING.finditer(prompt), uses.MOST))
    return uses.gather(uses.model(name) for name in names)
