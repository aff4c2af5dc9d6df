"""Prepare text and queries for the full-text index, so that words, numbers in tags and CJK are all found.

SQLite's tokenizer takes a run of Chinese or Japanese for one word. Setting such characters apart, and digits apart
from letters (``1girl``), makes each findable; a query is prepared alike and becomes a phrase.
"""

from __future__ import annotations

import re

# CJK ideographs, kana, Hangul, Thai, Lao, Khmer, Myanmar: scripts that put no spaces between words.
_ALONE = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003ffff]"
)
_BORDER = re.compile(r"(?<=[0-9])(?=[^\W\d_])|(?<=[^\W\d_])(?=[0-9])")
_TERM = re.compile(r'(-?)(?:"([^"]*)"|(\S+))')
_WORD = re.compile(r"\w", re.UNICODE)
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")  # SQLite's texts end at a NUL, and hold no half characters


def searchable(text: str) -> str:
    """Return `text` as the index keeps it."""
    return _BORDER.sub(" ", _ALONE.sub(r" \g<0> ", _UNSTORABLE.sub(" ", text)))


def match_expression(query: str) -> str | None:
    """Return the FTS5 expression for what a person typed, or None where nothing can be looked for.

    Every word must occur; the last part of a word may go on (``cat`` finds ``cats``); ``"two words"`` must stand
    together; a leading ``-`` excludes.
    """
    wanted: list[str] = []
    unwanted: list[str] = []
    for minus, quoted, plain in _TERM.findall(query):
        phrase = _phrase(quoted or plain, prefix=not quoted)
        if phrase is not None:
            (unwanted if minus else wanted).append(phrase)
    if not wanted:
        return None
    return " NOT ".join([" AND ".join(wanted), *unwanted])


def _phrase(text: str, *, prefix: bool) -> str | None:
    words = searchable(text).replace('"', " ").strip()
    if not _WORD.search(words):
        return None
    return f'"{words}"' + (" *" if prefix else "")
