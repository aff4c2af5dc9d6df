"""Run the command line as people do, in processes of its own."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

ROOT = Path(__file__).resolve().parents[2]
STANDALONE = str(ROOT / "standalone.py")
TEXT = "a cat\nSteps: 20, Sampler: Euler a, CFG scale: 7, Seed: {seed}, Size: 512x768"
UNREACHABLE = {"civitai_api_base": "http://127.0.0.1:9/api/v1", "civarchive_enabled": False}


def pantry(*arguments, cwd=None):
    command = [sys.executable, STANDALONE, *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=60, check=False)


def picture(path, text):
    info = PngInfo()
    info.add_text("parameters", text)
    Image.new("RGB", (8, 8)).save(path, pnginfo=info)


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "pictures"
    made.mkdir()
    for seed in range(3):
        picture(made / f"{seed}.png", TEXT.format(seed=seed))
    return made


@pytest.fixture
def data(tmp_path):
    made = tmp_path / "data"
    made.mkdir()
    (made / "settings.json").write_text(json.dumps(UNREACHABLE), encoding="utf-8")
    return made


def test_an_import_ends_with_its_counts(folder, data, tmp_path):
    """Exit code 0, counts for people, the same as JSON, and a second run does nothing; from any folder."""
    first = pantry("import", folder, "--data-dir", data, cwd=tmp_path)
    assert (first.returncode, "3 recipes saved" in first.stdout) == (0, True), first.stderr
    second = pantry("import", folder, "--data-dir", data, "--json", cwd=tmp_path)
    told = json.loads(second.stdout)
    assert (second.returncode, told["skipped_reasons"]) == (0, {"duplicate": 3})
    assert second.stderr == ""


def test_an_import_that_must_wait_says_so(folder, data):
    """Exit code 3 while a vendor cannot be asked; the images are not lost and not failed."""
    picture(folder / "x.png", f"{TEXT.format(seed=9)}, Model hash: 0123456789, Model: house")
    done = pantry("import", folder, "--data-dir", data, "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["success"], told["skipped_reasons"]) == (3, 3, {"unreachable": 1})


def test_an_import_with_a_broken_image_fails_for_it_alone(folder, data):
    """Exit code 1, and the others have their recipes."""
    (folder / "broken.png").write_bytes(b"this is no image")
    done = pantry("import", folder, "--data-dir", data, "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["success"], told["failed"]) == (1, 3, 1)


def test_what_cannot_be_meant_is_said_at_once(data):
    """A folder that is not there is a matter of the command line."""
    done = pantry("import", data / "nothing", "--data-dir", data)
    assert (done.returncode, "There is no folder" in done.stderr) == (2, True)
    assert pantry("fly").returncode == 2
    assert pantry("import", "", "--data-dir", data).returncode == 2


def test_inspect_prints_a_line_an_image(folder, tmp_path):
    """JSON for programs, a block for people; no data folder is made and no network is used."""
    done = pantry("inspect", folder, tmp_path / "nothing.png", "--json")
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one.get("seed") for one in told] == [0, 1, 2, None]
    assert (done.returncode, "error" in told[3]) == (1, True)
    assert "a cat" in pantry("inspect", folder / "0.png").stdout


def test_the_page_is_served_until_it_is_stopped(data):
    """The first line is the address; a polite end is a clean end."""
    command = [sys.executable, STANDALONE, "serve", "--port", "0", "--data-dir", str(data)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        address = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())[0]
        with urllib.request.urlopen(f"{address}/pantry/api/settings") as answer:
            assert json.load(answer)["civarchive_enabled"] is False
        process.send_signal(signal.SIGTERM)
        rest, errors = process.communicate(timeout=20)
        assert (process.returncode, rest, errors) == (0, "", "")
    finally:
        process.kill()
        process.communicate()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends Ctrl-C to the whole console")
def test_an_interrupted_import_says_how_to_go_on(folder, data):
    """Ctrl-C while a vendor keeps silent ends at once, saves what is done, and the same command finishes the rest."""
    picture(folder / "x.png", f"{TEXT.format(seed=9)}, Model hash: 0123456789, Model: house")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        base = {**UNREACHABLE, "civitai_api_base": f"http://127.0.0.1:{silent.getsockname()[1]}/api/v1"}
        (data / "settings.json").write_text(json.dumps(base), encoding="utf-8")
        command = [sys.executable, STANDALONE, "import", str(folder), "--data-dir", str(data), "--json"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            silent.settimeout(30)
            silent.accept()[0].close()  # it has come as far as asking
            process.send_signal(signal.SIGINT)
            out, errors = process.communicate(timeout=20)
        finally:
            process.kill()
            process.communicate()
    assert (process.returncode, out, "Run the same command again" in errors) == (130, "", True), errors
    (data / "settings.json").write_text(json.dumps(UNREACHABLE), encoding="utf-8")
    told = json.loads(pantry("import", folder, "--data-dir", data, "--json").stdout)
    assert (told["total"], told["success"], told["skipped_reasons"]) == (4, 3, {"unreachable": 1})


def test_a_restore_drill(folder, data):
    """Recipes that were backed up come back after the database is lost, and the lost one is kept."""
    assert pantry("import", folder, "--data-dir", data).returncode == 0
    (data / "backups").mkdir(exist_ok=True)
    backup = data / "backups" / "drill.sqlite"
    backup.write_bytes((data / "pantry.sqlite").read_bytes())
    (data / "pantry.sqlite").unlink()
    assert pantry("import", folder, "--data-dir", data, "--json").returncode == 0  # begins anew, with an empty one
    assert str(backup) in pantry("restore", "--data-dir", data).stdout
    done = pantry("restore", backup, "--data-dir", data)
    assert (done.returncode, "is in place" in done.stdout) == (0, True), done.stderr
    told = json.loads(pantry("import", folder, "--data-dir", data, "--json").stdout)
    assert told["skipped_reasons"] == {"duplicate": 3}
    assert list(data.glob("pantry.sqlite.replaced-*"))


def test_a_damaged_database_is_set_aside(folder, data):
    """Pantry goes on with the newest backup, says so, and deletes nothing."""
    assert pantry("import", folder, "--data-dir", data).returncode == 0
    (data / "backups").mkdir(exist_ok=True)
    (data / "backups" / "2026-01-01.sqlite").write_bytes((data / "pantry.sqlite").read_bytes())
    (data / "pantry.sqlite").write_bytes(b"this is no database" * 1000)
    done = pantry("import", folder, "--data-dir", data, "--json")
    assert json.loads(done.stdout)["skipped_reasons"] == {"duplicate": 3}
    assert "was damaged" in done.stderr
    assert list(data.glob("pantry.sqlite.damaged-*"))


def test_a_data_folder_that_cannot_be_is_one_sentence(folder, tmp_path):
    """No traceback for what a person can mend."""
    (tmp_path / "file").touch()
    done = pantry("import", folder, "--data-dir", tmp_path / "file")
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)
    assert done.stderr.strip()
