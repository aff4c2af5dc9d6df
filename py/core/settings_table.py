"""List every setting once: name, kind, default, bounds and help.

The docs, the example file, the settings file's validation and ComfyUI's panel are all tested against this table.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from .errors import InvalidRequestError

Kind = Literal["bool", "int", "float", "optional_float", "str", "secret", "url", "path", "paths", "names", "folders"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Describe one setting; `minimum` and `maximum` bound the numbers, both inclusive."""

    name: str
    kind: Kind
    default: Any
    help: str
    minimum: float = 0
    maximum: float = math.inf


SETTINGS: tuple[Setting, ...] = (
    Setting(
        name="civitai_api_key",
        kind="secret",
        default="",
        help="Your CivitAI API key. Kept in settings.json only; never shown again, never sent to another host.",
    ),
    Setting(
        name="civitai_api_base",
        kind="url",
        default="https://civitai.red/api/v1",
        help="Where CivitAI's API is.",
    ),
    Setting(
        name="civarchive_enabled",
        kind="bool",
        default=True,
        help="Ask CivArchive for models that CivitAI has confirmed it does not have.",
    ),
    Setting(
        name="civarchive_api_base",
        kind="url",
        default="https://civarchive.com/api",
        help="Where CivArchive's API is.",
    ),
    Setting(
        name="archive_db_path",
        kind="path",
        default="",
        help="A local CivitAI metadata archive (civitai.sqlite), opened read-only. Empty: none.",
    ),
    Setting(
        name="model_folders",
        kind="folders",
        default=MappingProxyType({}),
        help="Model folders by type, for use without ComfyUI; inside ComfyUI its own folders are used.",
    ),
    Setting(
        name="rate_limit_gate_enabled",
        kind="bool",
        default=True,
        help="Wait at a shared gate after a vendor's refusal. Off: a refusal is reported at once.",
    ),
    Setting(
        name="rate_limit_max_wait_seconds",
        kind="float",
        default=300.0,
        maximum=86_400,
        help="How long one look-up may wait at the gate, in seconds, before it is put off until later.",
    ),
    Setting(
        name="rate_limit_interactive_max_wait_seconds",
        kind="optional_float",
        default=None,
        maximum=86_400,
        help="The same for something you clicked, in seconds. Empty: as rate_limit_max_wait_seconds.",
    ),
    Setting(
        name="rate_limit_min_interval_seconds",
        kind="float",
        default=0.75,
        maximum=3_600,
        help="Seconds between two requests to one vendor: the fastest that Pantry ever goes.",
    ),
    Setting(
        name="rate_limit_adaptive_enabled",
        kind="bool",
        default=True,
        help="Learn the pace that a vendor allows from its refusals. Off: always the fixed interval.",
    ),
    Setting(
        name="rate_limit_cautious_enabled",
        kind="bool",
        default=False,
        help="Send batch requests one at a time, a random 10 to 20 seconds apart.",
    ),
    Setting(
        name="rate_limit_backoff_base_seconds",
        kind="float",
        default=30.0,
        minimum=1,
        maximum=86_400,
        help="The first wait, in seconds, after a refusal that does not say how long; doubled each time.",
    ),
    Setting(
        name="rate_limit_backoff_max_seconds",
        kind="float",
        default=1800.0,
        minimum=1,
        maximum=86_400,
        help="The longest such wait, in seconds.",
    ),
    Setting(
        name="rate_limit_header_ceiling_seconds",
        kind="float",
        default=86_400.0,
        minimum=1,
        help="A Retry-After at or above this many seconds is taken for a mistake and ignored.",
    ),
    Setting(
        name="rate_limit_shared_hosts",
        kind="names",
        default=(),
        help="Host names that are one vendor and share one window and one pace, for instance of its mirrors.",
    ),
    Setting(
        name="import_folders",
        kind="paths",
        default=(),
        help="Folders that may be imported from, besides ComfyUI's input and output.",
    ),
    Setting(
        name="watch_folders",
        kind="paths",
        default=(),
        help="Folders whose new images become recipes by themselves.",
    ),
    Setting(
        name="write_sidecars",
        kind="bool",
        default=True,
        help="Write model metadata beside the model file.",
    ),
    Setting(
        name="batch_import_concurrency",
        kind="int",
        default=3,
        minimum=1,
        maximum=5,
        help="How many look-ups of an import may be under way at once.",
    ),
    Setting(
        name="batch_import_auto_resume",
        kind="bool",
        default=True,
        help="Finish images that had to wait for a vendor by itself when the wait is over.",
    ),
    Setting(
        name="skip_duplicates",
        kind="bool",
        default=True,
        help="Leave out images that already have a recipe.",
    ),
    Setting(
        name="skip_no_metadata",
        kind="bool",
        default=True,
        help="Leave out images that say nothing about how they were made.",
    ),
    Setting(
        name="read_sidecar_texts",
        kind="bool",
        default=False,
        help="Read a .txt or .json of the same name beside an image that itself says nothing.",
    ),
    Setting(
        name="allowed_hosts",
        kind="names",
        default=(),
        help="Further host names that this server answers to, for instance that of a proxy before it.",
    ),
    Setting(
        name="allow_remote_changes",
        kind="bool",
        default=False,
        help="Let browsers on other machines do what is otherwise kept for this one: delete, and set paths and keys.",
    ),
)

BY_NAME: Mapping[str, Setting] = MappingProxyType({setting.name: setting for setting in SETTINGS})
DEFAULTS: Mapping[str, Any] = MappingProxyType({setting.name: setting.default for setting in SETTINGS})


def validate(name: str, value: Any) -> Any:
    """Return `value` as the table keeps it; raise `InvalidRequestError` where it does not fit."""
    setting = BY_NAME.get(name)
    if setting is None:
        raise InvalidRequestError(f"There is no setting called {name!r}.")
    return _CHECKS[setting.kind](setting, value)


def _wrong(setting: Setting, wanted: str) -> InvalidRequestError:
    return InvalidRequestError(f"{setting.name} must be {wanted}.")


def _check_bool(setting: Setting, value: Any) -> bool:
    if not isinstance(value, bool):
        raise _wrong(setting, "true or false")
    return value


def _check_float(setting: Setting, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise _wrong(setting, "a number")
    if not setting.minimum <= value <= setting.maximum:
        raise _wrong(setting, f"between {setting.minimum:g} and {setting.maximum:g}")
    return float(value)


def _check_int(setting: Setting, value: Any) -> int:
    number = _check_float(setting, value)
    if not number.is_integer():
        raise _wrong(setting, "a whole number")
    return int(number)


def _check_optional_float(setting: Setting, value: Any) -> float | None:
    return None if value is None else _check_float(setting, value)


def _check_str(setting: Setting, value: Any) -> str:
    if not isinstance(value, str):
        raise _wrong(setting, "text")
    return value.strip()


def _check_url(setting: Setting, value: Any) -> str:
    text = _check_str(setting, value).rstrip("/")
    loopback = ("http://127.0.0.1", "http://localhost", "http://[::1]")
    plain = text.startswith(tuple(f"{origin}{end}" for origin in loopback for end in (":", "/"))) or text in loopback
    if not (text.startswith("https://") or plain) or any(mark in text for mark in "?#@ "):
        raise _wrong(setting, "an https:// address (plain http:// only on this machine)")
    return text


def _check_paths(setting: Setting, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(one, str) for one in value):
        raise _wrong(setting, "a list of folders")
    return tuple(one.strip() for one in value if one.strip())


def _check_names(setting: Setting, value: Any) -> tuple[str, ...]:
    names = _check_paths(setting, value)
    if any(set(name) & set("/\\?#@ ") for name in names):
        raise _wrong(setting, "a list of host names, without address or path")
    return tuple(name.lower() for name in names)


def _check_folders(setting: Setting, value: Any) -> Mapping[str, tuple[str, ...]]:
    if not isinstance(value, Mapping):
        raise _wrong(setting, "folders by model type")
    as_lists = {kind: [paths] if isinstance(paths, str) else paths for kind, paths in value.items()}
    return MappingProxyType({str(kind): _check_paths(setting, paths) for kind, paths in as_lists.items()})


_CHECKS = {
    "bool": _check_bool,
    "int": _check_int,
    "float": _check_float,
    "optional_float": _check_optional_float,
    "str": _check_str,
    "secret": _check_str,
    "url": _check_url,
    "path": _check_str,
    "paths": _check_paths,
    "names": _check_names,
    "folders": _check_folders,
}
