"""Keep names of files that are no valid text, as Linux allows, in places that hold text only.

Python shows a byte that cannot be decoded as half a character, U+DC80 to U+DCFF (PEP 383), which neither SQLite nor
JSON can hold. Each is kept as a character of the last private-use plane instead, and read back into the same name.
"""

from __future__ import annotations

import re
from pathlib import Path

_SHIFT = 0x10FF00 - 0xDC00
_UNDECODED = re.compile("[\udc80-\udcff]")
_KEPT = re.compile("[\U0010ff80-\U0010ffff]")


def storable(text: str) -> str:
    """Return `text` without half characters; a path is read back by `path_of`."""
    kept = _UNDECODED.sub(lambda match: chr(ord(match[0]) + _SHIFT), text)
    return kept.encode("utf-8", "backslashreplace").decode()


def path_of(stored: str) -> Path:
    """Return the path that `storable` was given."""
    return Path(_KEPT.sub(lambda match: chr(ord(match[0]) - _SHIFT), stored))
