"""Split A1111 text into prompt, negative prompt and settings, and the settings into pairs.

The grammar is the writer's: values are JSON strings where they hold a comma, a colon or a newline. What other
writers made of it (one line, dots for newlines, settings first, raw newlines in values) is taken as far as it is
not ambiguous. Every step is linear in the text.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from ..carrier import well_formed

_SETTINGS_LINE = re.compile(r"^[ \t]*(?:parameters[ \t]*:[ \t]*)?Steps:[ \t]*\d", re.MULTILINE | re.IGNORECASE)
_SETTINGS_INLINE = re.compile(r"(?:(?<=[\s.,|])|^)Steps:[ \t]*\d{1,6}[ \t]*(?:[,|]|$)", re.IGNORECASE)
_NEGATIVE_LINE = re.compile(r"^[ \t]*Negative prompt:", re.MULTILINE | re.IGNORECASE)
_NEGATIVE_INLINE = re.compile(r"(?:(?<=[\s.,])|^)Negative prompt:", re.IGNORECASE)
_LEADING_LABEL = re.compile(r"\s*(parameters|prompt)[ \t]*:[ \t]*", re.IGNORECASE)
_KEY = re.compile(r"([^\W_][\w \-/.()+#]{0,63}?)[ \t]*:[ \t]*")
_SEPARATORS = re.compile(r"[\s,]*")
_QUOTED = re.compile(r'"(?:\\.|[^\\"])*"', re.DOTALL)
_PLAIN = re.compile(r"[^,\n]*")
_DECODER = json.JSONDecoder()
_MANY_FAILURES = 8
# Without steps, a line is settings only if it has this many of the words that settings have.
_FEWEST_PAIRS = 3
_KNOWN = frozenset({"sampler", "seed", "cfg scale", "size", "model", "model hash", "schedule type", "clip skip"})


@dataclass(frozen=True, slots=True)
class Infotext:
    """Hold the three parts of one A1111 text; `pairs` keeps the first value of each key, as written."""

    prompt: str
    negative: str | None
    pairs: dict[str, str]

    def get(self, *keys: str) -> str | None:
        """Return the first of `keys` (in lower case) that is there."""
        for key in keys:
            if (value := self.pairs.get(key)) is not None:
                return value
        return None


def split(text: str) -> Infotext | None:
    """Return the parts, or None where the text has no settings."""
    found = _find_settings(text)
    if found is None:
        return None
    body, settings = found
    prompt, negative = _split_prompts(_without_label(body, settings))
    return Infotext(prompt, negative, read_pairs(settings))


def _find_settings(text: str) -> tuple[str, str] | None:
    """Return what precedes the settings, and the settings."""
    lines = list(_SETTINGS_LINE.finditer(text))
    if lines:
        return _cut_at(text, lines[-1].start())
    inline = list(_SETTINGS_INLINE.finditer(text))
    if inline:
        return _up_to(text, inline[-1].start()), text[inline[-1].start() :]
    start = text.rstrip().rfind("\n") + 1
    if len(_KNOWN & read_pairs(text[start:]).keys()) >= _FEWEST_PAIRS:
        return text[:start], text[start:]
    return None


def _cut_at(text: str, start: int) -> tuple[str, str]:
    """Some writers put the settings first, in one line or several: then the prompts are the lines behind."""
    before, settings = text[:start], text[start:]
    if before.strip() or not _NEGATIVE_LINE.search(settings):
        return before, settings
    at = settings.find("\n") + 1
    while (end := settings.find("\n", at)) > 0 and _KNOWN & read_pairs(settings[at:end]).keys():
        at = end + 1
    return settings[at:], settings[:at]


def _up_to(text: str, start: int) -> str:
    """Return what stands before a label inside a line; a dot or comma right in front of it stood for a newline."""
    piece = text[:start]
    return piece.rstrip(" .,|\t\r\n") if piece[-1:] in (".", ",", "|") else piece.rstrip(" |\t\r\n")


def _split_prompts(body: str) -> tuple[str, str | None]:
    lines = list(_NEGATIVE_LINE.finditer(body))
    if lines:
        return body[: lines[-1].start()].strip(), body[lines[-1].end() :].strip()
    inline = list(_NEGATIVE_INLINE.finditer(body)) if "\n" not in body.strip() else []
    if inline:
        return _up_to(body, inline[-1].start()).strip(), body[inline[-1].end() :].strip()
    return body.strip(), None


def _without_label(body: str, settings: str) -> str:
    """Drop the ``Parameters   :`` of exiftool's style, and the ``prompt:`` of the style with pipes."""
    label = _LEADING_LABEL.match(body)
    if label is None or (label[1].lower() == "prompt" and " | " not in settings):
        return body
    return body[label.end() :]


def read_pairs(settings: str) -> dict[str, str]:
    """Return the settings by casefolded key, first value first; text without a key belongs to the value before."""
    if " | " in settings and "," not in settings:
        settings = settings.replace(" | ", ", ")
    pairs: dict[str, list[str]] = {}
    scanner = _Scanner(settings)
    last: list[str] | None = None
    while (item := scanner.next_item()) is not None:
        key, value = item
        if key is not None:
            last = None if key.casefold() in pairs else [value]
            if last:
                pairs[key.casefold()] = last
        elif last and value:
            last.append(value)
    return {key: ", ".join(values) for key, values in pairs.items()}


class _Scanner:
    """Step through settings; a failed JSON value is tried only a few times, so that hostile text stays linear."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._failures = 0

    def next_item(self) -> tuple[str | None, str] | None:
        """Return key and value, or None and the text of a piece without a key; None at the end."""
        match = _SEPARATORS.match(self._text, self._at)
        self._at = match.end() if match else self._at
        if self._at >= len(self._text):
            return None
        key = _KEY.match(self._text, self._at)
        if key is None:
            return None, self._plain()
        self._at = key.end()
        return key[1].strip(), self._value()

    def _value(self) -> str:
        first = self._text[self._at : self._at + 1]
        if first == '"' and (quoted := _QUOTED.match(self._text, self._at)):
            self._at = quoted.end()
            return _unquoted(quoted[0])
        if first and first in "[{" and self._failures < _MANY_FAILURES:
            return self._json()
        return self._plain()

    def _json(self) -> str:
        start = self._at
        try:
            _, self._at = _DECODER.raw_decode(self._text, start)
        except (ValueError, RecursionError):
            self._failures += 1
            return self._plain()
        return self._text[start : self._at]

    def _plain(self) -> str:
        match = _PLAIN.match(self._text, self._at)
        if match is None:
            return ""
        self._at = match.end()
        return match[0].strip()


def _unquoted(value: str) -> str:
    try:
        found = json.loads(value, strict=False)
    except ValueError:
        return value[1:-1]
    return well_formed(str(found))
