"""Make the documents that follow from tables: settings, HTTP API, OpenAPI, the settings example.

`make docs` writes them; tests/structure/test_documents.py fails where one is not what its table says.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from tests import conftest  # isort: skip  # noqa: F401 - mounts the package before its first import

from py.core.settings_table import SETTINGS, Setting
from py.routes.openapi import document
from py.routes.table import ENDPOINTS, PREFIX

ROOT = Path(__file__).resolve().parents[2]

_KINDS: Mapping[str, str] = {
    "bool": "true or false",
    "int": "whole number",
    "float": "number",
    "optional_float": "number or null",
    "str": "text",
    "secret": "text, write-only",
    "url": "https:// address (http:// on this machine)",
    "path": "path",
    "paths": "list of paths",
    "names": "list of host names",
    "folders": "lists of folders by model type",
}


def plain(value: object) -> object:
    """Return a setting's value as JSON holds it."""
    if isinstance(value, Mapping):
        return {key: plain(one) for key, one in value.items()}
    return list(value) if isinstance(value, tuple) else value


def settings_example() -> str:
    """Return settings.json.example: every setting at its default."""
    values = {one.name: plain(one.default) for one in SETTINGS}
    values["model_folders"] = {"loras": [], "checkpoints": [], "embeddings": []}
    return json.dumps(values, indent=2) + "\n"


def settings_reference() -> str:
    """Return docs/reference/settings.md: a heading for every setting."""
    head = (
        "# Settings\n\n"
        "Settings live in `settings.json` in the data folder ([where that is](../install.md#where-data-lives)); a key "
        "that is not there has\nits default. ComfyUI's settings panel, the page and `PATCH /pantry/api/settings` all "
        "write that file, and a change by hand\nacts on the next request as well. A file that cannot be read is kept "
        "beside it as `settings.json.unreadable-1`, never\noverwritten. This page is made from "
        "`py/core/settings_table.py` by `make docs`.\n"
    )
    return head + "".join(_setting_section(one) for one in SETTINGS)


def _setting_section(setting: Setting) -> str:
    bounds = (
        f", {setting.minimum:g} to {setting.maximum:g}" if setting.kind in ("int", "float", "optional_float") else ""
    )
    default = json.dumps(plain(setting.default))
    return f"\n## {setting.name}\n\n{setting.help}\n\n*{_KINDS[setting.kind]}{bounds}; default `{default}`*\n"


def http_reference() -> str:
    """Return docs/reference/http-api.md: every route with its parameters."""
    head = (ROOT / "docs" / "reference" / "http-api.head.md").read_text(encoding="utf-8")
    return head + "".join(_route_section(one) for one in ENDPOINTS)


def _route_section(endpoint) -> str:
    lines = [f"\n## {endpoint.method} {PREFIX}{endpoint.path}\n\n{endpoint.summary}\n"]
    if endpoint.protected:
        lines.append("\nFrom another machine only with `allow_remote_changes`.\n")
    for title, fields in (("Query", endpoint.query), ("Body", endpoint.body or ())):
        if fields:
            lines.append(f"\n| {title} | Kind | |\n|---|---|---|\n")
            lines += [f"| `{one.name}` | {one.kind} | {one.help} |\n" for one in fields]
    return "".join(lines)


def openapi() -> str:
    """Return docs/reference/openapi.json."""
    return json.dumps(document(), indent=1, sort_keys=True) + "\n"


DOCUMENTS: Mapping[str, Callable[[], str]] = {
    "settings.json.example": settings_example,
    "docs/reference/settings.md": settings_reference,
    "docs/reference/http-api.md": http_reference,
    "docs/reference/openapi.json": openapi,
}


def main() -> None:
    """Write every document."""
    for name, make in DOCUMENTS.items():
        path = ROOT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(make(), encoding="utf-8", newline="\n")
        print(f"wrote {name}")


if __name__ == "__main__":
    main()
