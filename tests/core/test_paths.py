"""Any name of a file survives being kept as text."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from py.core.paths import path_of, storable


@pytest.mark.skipif(sys.platform == "win32", reason="names are UTF-16 there")
@given(st.binary(min_size=1, max_size=40).filter(lambda name: b"\0" not in name and b"/" not in name))
def test_every_name_comes_back(name):
    """Whatever bytes a name has, what is stored is valid text and leads to the same file."""
    path = Path(os.fsdecode(name))

    stored = storable(str(path))

    stored.encode()
    assert path_of(stored) == path


def test_valid_text_is_kept_as_it_is():
    """Nearly every name is not touched."""
    assert storable("/pictures/樱花 😀 café.png") == "/pictures/樱花 😀 café.png"
