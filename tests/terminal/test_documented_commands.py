"""Run every command that a document shows, as it stands there, at a home of its own."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys

import pytest

from tests.structure.test_docs import commands

from .test_cli import STANDALONE, TEXT, UNREACHABLE, picture

# What a document may leave to the reader's machine: a port and an address that are free here.
HERE = ["--host", "127.0.0.1", "--port", "0"]
LISTS = re.compile(r"[\[…]|\.\.\.|FILE\b")


def shown():
    """Return each command once, without its remark; synopses are left out."""
    plain = {re.sub(r"\s+#.*$", "", line).strip() for _, line in commands() if not LISTS.search(line)}
    return sorted(plain)


@pytest.fixture
def home(tmp_path):
    """Make a home with the folders and files that the documents speak of."""
    pictures = tmp_path / "Pictures" / "generated"
    pictures.mkdir(parents=True)
    picture(pictures / "1.png", TEXT.format(seed=1))
    picture(tmp_path / "picture.png", TEXT.format(seed=2))
    for data in (tmp_path / "data", tmp_path / "pantry-copy"):
        data.mkdir()
        (data / "settings.json").write_text(json.dumps(UNREACHABLE), encoding="utf-8")
    return tmp_path


def command_line(line, home):
    words = shlex.split(line.replace("~", str(home)))
    own = [] if "--data-dir" in words or words[0] == "inspect" else ["--data-dir", str(home / "data")]
    return [sys.executable, STANDALONE, *words, *own, *(HERE if words[0] == "serve" else [])]


def started(line, home):
    return subprocess.Popen(
        command_line(line, home),
        cwd=home,
        env={**os.environ, "HOME": str(home), "USERPROFILE": str(home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_there_are_commands():
    """The search for them still finds some of each kind."""
    assert {line.split()[0] for line in shown()} >= {"serve", "import", "inspect", "restore"}


@pytest.mark.parametrize("line", shown())
def test_a_documented_command_does_what_it_says(line, home):
    """It starts, says something, and ends as it should: a server when it is asked to, a missing backup with a 2."""
    process = started(line, home)
    try:
        if line.startswith("serve"):
            assert "http://127.0.0.1:" in process.stdout.readline()
            process.send_signal(signal.SIGTERM)
        told, errors = process.communicate(timeout=30)
    finally:
        process.kill()
        process.communicate()
    misses = line.startswith("restore") and len(line.split()) > 1
    assert process.returncode == (2 if misses else 0), errors
    assert "Traceback" not in errors
    assert told or errors or line.startswith("serve"), "said nothing"


def test_a_sync_of_nothing_is_a_result(home):
    """`sync --json` on an empty library says so for programs, and no vendor is asked."""
    process = started("sync --json", home)
    told, errors = process.communicate(timeout=30)

    assert (process.returncode, json.loads(told)["total"]) == (0, 0), errors
