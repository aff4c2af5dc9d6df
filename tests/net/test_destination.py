"""Where a request really goes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from py.net.destination import family_of, host_of, redirect_target, without_query


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://Civitai.RED/api/v1/models", "civitai.red"),
        ("https://civitai.red:443/x", "civitai.red"),
        ("http://127.0.0.1:8901/api", "127.0.0.1:8901"),
        ("http://127.0.0.1:80/api", "127.0.0.1"),
        ("http://[::1]:9/x", "[::1]:9"),
        ("https://user:key@civitai.red./x?token=1", "civitai.red"),
    ],
)
def test_a_host_is_its_name_and_an_unusual_port(url, host):
    """Two loopback vendors on two ports are two hosts; case, dot, credentials and default ports do not matter."""
    assert host_of(url) == host


@pytest.mark.parametrize("url", ["", "civitai.red/x", "file:///etc/passwd", "https://", "https://x:99999999/"])
def test_what_is_no_address_is_refused(url):
    """A mistyped base is an error of ours to tell, not a host."""
    with pytest.raises(ValueError, match=r".+"):
        host_of(url)


@pytest.mark.parametrize(
    ("url", "family"),
    [
        ("https://civitai.red/api/v1/model-versions/by-hash/AB12", "model-versions"),
        ("https://civitai.red/api/v1/model-versions/7", "model-versions"),
        ("https://civitai.red/api/v1/images?imageId=1", "images"),
        ("https://civarchive.com/api/sha256/abc", "sha256"),
        ("https://civitai.red/api/download/models/7", "download"),
        ("https://civitai.red/", ""),
    ],
)
def test_routes_pause_by_family(url, family):
    """An overloaded image search does not hold up the look-ups."""
    assert family_of(url) == family


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("/login", "https://civitai.red/login"),
        ("https://cdn.example/f?sig=1", "https://cdn.example/f?sig=1"),
        ("//cdn.example/f", "https://cdn.example/f"),
        ("http://cdn.example/f", None),
        ("file:///etc/passwd", None),
        ("ftp://cdn.example/f", None),
    ],
)
def test_a_redirect_never_leaves_https_or_the_web(location, target):
    """A file or a key does not travel open because a vendor says so."""
    assert redirect_target("https://civitai.red/api/download/models/1", location) == target


def test_a_loopback_redirect_is_followed():
    """Simulated vendors on plain http redirect, too."""
    assert redirect_target("http://127.0.0.1:1/a", "http://127.0.0.1:2/b") == "http://127.0.0.1:2/b"


@given(st.text(alphabet="abc/?#=&@:", max_size=30))
def test_logged_addresses_hold_no_query(tail):
    """Keys travel in queries."""
    logged = without_query(f"https://user:secret@civitai.red/{tail}")

    assert "?" not in logged
    assert "secret" not in logged
