"""Hold what a request came to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ..core.errors import MalformedAnswerError
from .sample import sample_of

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Answer:
    """Hold a usable answer: `data` is its JSON, `headers` have lower-case names, `body` is what came."""

    status: int
    data: Any
    headers: Mapping[str, str]
    url: str
    body: bytes = field(default=b"", repr=False)

    def read(self, decode: Callable[[Any], T]) -> T:
        """Return what `decode` makes of the JSON; what cannot be understood carries a sample for a diagnosis."""
        try:
            return decode(self.data)
        except MalformedAnswerError as error:
            error.sample = error.sample or sample_of(self.url, self.status, self.headers, self.body)
            raise
