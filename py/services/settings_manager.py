"""Keep settings.json: read it, notice a hand edit, write it atomically, and never lose one that cannot be read."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..core.errors import InvalidRequestError
from ..core.settings_table import BY_NAME, DEFAULTS, validate
from ..storage.settings_file import Stamp, UnreadableSettingsError, read_settings, set_aside, stamp_of, write_settings

logger = logging.getLogger(__name__)

Listener = Callable[[set[str]], None]


class SettingsManager:
    """Hold the settings of the table in core/settings_table.py; the file is the truth.

    `problem` is one sentence for the user where the file, or a value in it, could not be used; else None.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._listeners: list[Listener] = []
        self._raw: dict[str, Any] = {}
        self._values: dict[str, Any] = dict(DEFAULTS)
        self._stamp: Stamp = None
        self.problem: str | None = None
        self._load(first=True)

    def get(self, name: str) -> Any:
        """Return one setting as it stands in the file now; raise `KeyError` for a name not in the table."""
        self._refresh()
        return self._values[name]

    def all(self) -> dict[str, Any]:
        """Return every setting, secrets included; for our own use, never for an answer."""
        self._refresh()
        return dict(self._values)

    def public(self) -> dict[str, Any]:
        """Return every setting JSON-ready; a secret only as ``{"set": bool, "hint": "...1234" or None}``."""
        return {name: _shown(name, value) for name, value in self.all().items()}

    def update(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        """Check every change, then write all of them or none; return what `public` shows afterwards.

        Keys in the file that the table does not know are kept. Raises `InvalidRequestError` and `StorageError`.
        """
        checked = {name: validate(name, value) for name, value in changes.items()}
        self._refresh()
        if self._raw_is_lost():
            set_aside(self._path)
        raw = {**self._raw, **{name: _plain(value) for name, value in checked.items()}}
        write_settings(self._path, raw)
        self._load(first=False)
        return self.public()

    def subscribe(self, callback: Listener) -> Callable[[], None]:
        """Call `callback` with the names that changed; return a function that ends it."""
        self._listeners.append(callback)
        return lambda: self._listeners.remove(callback) if callback in self._listeners else None

    def _raw_is_lost(self) -> bool:
        """Whether the file on disk holds something that we could not read and would overwrite."""
        try:
            read_settings(self._path)
        except UnreadableSettingsError:
            return True
        return False

    def _refresh(self) -> None:
        if stamp_of(self._path) != self._stamp:
            self._load(first=False)

    def _load(self, *, first: bool) -> None:
        """Read the file; where it cannot be read, keep the values that were in force.

        An editor may be half-way through saving, so only a start and a write move such a file aside.
        """
        self._stamp = stamp_of(self._path)
        try:
            self._raw = read_settings(self._path)
        except UnreadableSettingsError as error:
            self._note(self._keep_aside(error) if first else f"{error} The last readable values stay in force.")
            return
        values, wrong = _checked(self._raw)
        self._note(f"{' '.join(wrong)} The default is used instead." if wrong else None)
        changed = {name for name, value in values.items() if value != self._values[name]}
        self._values = values
        if changed:
            self._tell(changed)

    def _keep_aside(self, error: UnreadableSettingsError) -> str:
        kept = set_aside(self._path)
        self._stamp = stamp_of(self._path)
        return f"{error} It was kept as {kept.name}, and the defaults are used."

    def _note(self, problem: str | None) -> None:
        if problem is not None and problem != self.problem:
            logger.warning("settings.json: %s", problem)
        elif problem is None and self.problem is not None:
            logger.info("settings.json can be used again")
        self.problem = problem

    def _tell(self, changed: set[str]) -> None:
        for listener in tuple(self._listeners):
            listener(changed)


def _checked(raw: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return every setting's value, and a sentence for each value in the file that does not fit."""
    values, wrong = dict(DEFAULTS), []
    for name in BY_NAME.keys() & raw.keys():
        try:
            values[name] = validate(name, raw[name])
        except InvalidRequestError as error:
            wrong.append(str(error))
    return values, sorted(wrong)


def _plain(value: Any) -> Any:
    """Return a value of the table as JSON has it."""
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, tuple) else value


def _shown(name: str, value: Any) -> Any:
    if BY_NAME[name].kind != "secret":
        return _plain(value)
    # Four characters of a short secret would be most of it.
    hint = f"…{value[-4:]}" if len(value) >= 12 else None  # noqa: PLR2004
    return {"set": bool(value), "hint": hint}
