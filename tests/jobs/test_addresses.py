"""Only addresses of a short list may be fetched."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from py.core.errors import NotAllowedError
from py.jobs.addresses import IMAGE_HOSTS, PAGE_HOSTS, AddressBook, ImageFile, ImagePage, ModelPage

OWN = "http://127.0.0.1:8123/api/v1"
OTHER_PAGES = ("https://civitai.com/posts/1", "https://civitai.com/models/8?modelVersionId=last")
BOOK = AddressBook([OWN, "https://civarchive.com/api"])


@pytest.mark.parametrize(
    ("url", "named"),
    [
        ("https://civitai.com/images/123", ImagePage(123)),
        ("https://civitai.red/images/123/", ImagePage(123)),
        ("http://127.0.0.1:8123/images/7", ImagePage(7)),
        ("https://civitai.com/models/8", ModelPage(8)),
        ("https://civitai.green/models/8/a-style?modelVersionId=91&x=1", ModelPage(8, 91)),
        ("https://image.civitai.com/x/y/original=true/1.jpeg", ImageFile),
        ("http://127.0.0.1:8123/files/1.png", ImageFile),
    ],
)
def test_pages_and_files_of_known_hosts_are_read(url, named):
    """An image page is asked for by its id, a file is fetched."""
    found = BOOK.read(url)

    assert found == named or (named is ImageFile and found == ImageFile(url))


@pytest.mark.parametrize(
    "url",
    [
        "http://civitai.com/images/1",
        *OTHER_PAGES,
        "https://image.civitai.com.evil.example/models/8",
        "https://civitai.com.evil.example/images/1",
        "https://evil.example/civitai.com/images/1",
        "https://civitai.com@evil.example/images/1",
        "https://user:pass@civitai.com/images/1",
        "https://civitai.com:8443/images/1",
        "https://127.0.0.1/images/1",
        "http://127.0.0.1:9999/images/1",
        "http://x@127.0.0.1:8123/images/1",
        "http://2130706433:8123/images/1",
        "http://[::1]/x.png",
        "https://169.254.169.254/latest/meta-data",
        "file:///etc/passwd",
        "ftp://civitai.com/images/1",
        "https://civitai.com\\@evil.example/images/1",
        "https://civitai.com\t/images/1",
        "https://ci\u0432itai.com/images/1",
        "//civitai.com/images/1",
        "https://[civitai.com/images/1",
        "https://civitai.com:port/images/1",
        "",
        "https://image.civitai.com/" + "x" * 3000,
    ],
)
def test_everything_else_is_refused(url):
    """No other host, scheme, port, spelling or credential passes."""
    with pytest.raises(NotAllowedError):
        BOOK.read(url)
    assert not BOOK.allows(url) or url in OTHER_PAGES


@given(st.text(max_size=60), st.sampled_from(["https://", "http://", "//", ""]))
def test_no_text_leads_elsewhere(text, scheme):
    """Whatever is typed, an address that passes goes to a listed host over https, or to a host of the settings."""
    if BOOK.allows(scheme + text):
        rest = (scheme + text).split("://", 1)[1]
        host = rest.split("/")[0].split("?")[0].split("#")[0].lower()
        assert host in PAGE_HOSTS | IMAGE_HOSTS | {"127.0.0.1:8123", "civarchive.com"}
