"""Hashes of model files."""

from __future__ import annotations

import hashlib
import sys
import zlib

import pytest

from py.library.hashing import BLOCK, HashingStoppedError, can_blake3, hash_file
from py.library.headers import read_header

from .files import safetensors


@pytest.mark.parametrize("size", [0, 5, BLOCK - 60, BLOCK, 2 * BLOCK + 17])
def test_every_kind_is_made_in_one_reading(tmp_path, size):
    """SHA256, AutoV2, AutoV3 of the weights and CRC32, whatever the size."""
    path, weights = tmp_path / "a.safetensors", bytes(range(256)) * (size // 256) + b"x" * (size % 256)
    expected = safetensors(path, weights=weights)
    start = read_header(path).payload_start
    found = hash_file(path, payload_start=start, wanted=("sha256", "autov3", "crc32"))
    assert found == {**expected, "crc32": f"{zlib.crc32(path.read_bytes()):08x}"}


def test_without_a_header_there_is_no_autov3(tmp_path):
    """A file of another format has a SHA256 and nothing more."""
    (tmp_path / "a.ckpt").write_bytes(b"abc")
    sha256 = hashlib.sha256(b"abc").hexdigest()
    assert hash_file(tmp_path / "a.ckpt", wanted=("sha256", "autov3")) == {"sha256": sha256, "autov2": sha256[:10]}


def test_hashing_stops_between_two_blocks(tmp_path):
    """A stopped hash raises and gives no half result."""
    (tmp_path / "a.ckpt").write_bytes(b"x" * 3 * BLOCK)
    answers = iter([False, True])
    with pytest.raises(HashingStoppedError):
        hash_file(tmp_path / "a.ckpt", stopped=lambda: next(answers))


def test_blake3_is_made_by_the_package_where_there_is_one(tmp_path):
    """The hash is the package's own."""
    blake3 = pytest.importorskip("blake3")
    (tmp_path / "a.ckpt").write_bytes(b"x" * (BLOCK + 1))
    expected = blake3.blake3(b"x" * (BLOCK + 1)).hexdigest()
    assert hash_file(tmp_path / "a.ckpt", wanted=("blake3",)) == {"blake3": expected}


def test_without_the_package_a_blake3_stays_unknown(tmp_path, monkeypatch):
    """What cannot be made is left out, and is no error."""
    monkeypatch.setitem(sys.modules, "blake3", None)
    (tmp_path / "a.ckpt").write_bytes(b"abc")
    assert not can_blake3()
    assert hash_file(tmp_path / "a.ckpt", wanted=("crc32", "blake3")) == {"crc32": f"{zlib.crc32(b'abc'):08x}"}
