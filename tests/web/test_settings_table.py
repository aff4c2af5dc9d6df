"""Hold the panels' table of settings against the one in code."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from py.core.settings_table import SETTINGS

WEB = Path(__file__).resolve().parents[2] / "web"
NODE = shutil.which("node")
SCRIPT = """
import { SETTINGS } from "%(web)s/util/settings_table.mjs"
import { sentences } from "%(web)s/strings/en.mjs"
console.log(JSON.stringify(SETTINGS.map((one) => ({ ...one, help: sentences[`setting.${one.name}.help`] }))))
"""


@pytest.fixture(scope="module")
def shown():
    if NODE is None:
        pytest.skip("no Node on PATH; on Debian and Ubuntu: apt install nodejs")
    script = SCRIPT % {"web": WEB.as_uri()}
    run = subprocess.run([NODE, "--input-type=module", "-e", script], capture_output=True, text=True, check=True)
    return {one["name"]: one for one in json.loads(run.stdout)}


def plain(value):
    return json.loads(json.dumps(value, default=lambda one: dict(one) if hasattr(one, "keys") else list(one)))


def test_every_setting_is_shown(shown):
    """The panels show each setting of the table, in its order."""
    assert list(shown) == [setting.name for setting in SETTINGS]


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_a_setting_is_shown_as_the_table_has_it(shown, setting):
    """Kind, default, bounds and help are the table's own."""
    one = shown[setting.name]
    assert one["kind"] == setting.kind
    assert one["value"] == plain(setting.default)
    assert one["help"] == setting.help
    if setting.kind in {"float", "int", "optional_float"}:
        assert one["min"] == setting.minimum
        assert one.get("max", float("inf")) == setting.maximum
