"""Hold the guard to every row of docs/security.md that is about who may ask."""

from __future__ import annotations

import pytest
from multidict import CIMultiDict

from py.routes.guard import Door, is_local_peer, is_loopback, judge, judge_socket

HERE = "127.0.0.1:8189"
AT_HOME = Door()
ON_THE_LAN = Door(listens_on=("0.0.0.0",))


def refused(method="POST", door=AT_HOME, takes="json", *, has_body=False, **headers):
    named = CIMultiDict({"Host": HERE, **{name.replace("_", "-"): value for name, value in headers.items()}})
    refusal = judge(method, named, door, takes, has_body=has_body)
    return refusal and refusal.code


def test_a_program_without_browser_headers_passes():
    """curl, scripts and the command line send neither Origin nor Sec-Fetch-Site."""
    assert refused() is None
    assert refused("GET") is None


def test_our_own_page_passes():
    """A same-origin request of a browser passes, with a body as JSON too."""
    assert refused(Sec_Fetch_Site="same-origin", Origin=f"http://{HERE}") is None
    assert refused(Origin=f"http://{HERE}", has_body=True, Content_Type="application/json; charset=utf-8") is None


@pytest.mark.parametrize("site", ["cross-site", "same-site", "anything"])
def test_a_page_of_another_site_changes_nothing(site):
    """Cross-site writes are refused by what the browser says of them, whatever Origin says."""
    assert refused(Sec_Fetch_Site=site, Origin=f"http://{HERE}") == "cross_site"


@pytest.mark.parametrize("origin", ["null", "http://evil.example", "http://127.0.0.1:9", "http://[", "file://", ""])
def test_an_origin_that_is_not_ours_changes_nothing(origin):
    """Old browsers send only Origin; an opaque one ('null', a sandboxed frame) is nobody's."""
    assert refused(Origin=origin) == "cross_site"


def test_a_form_of_another_site_cannot_send_a_body():
    """The three content types that HTML forms can send are refused, and so is none at all."""
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
        assert refused(has_body=True, Content_Type=kind) == "unsupported_media_type"


def test_an_upload_needs_a_header_that_forms_cannot_set():
    """multipart/form-data is a form's own type, so the header is what proves a script of ours."""
    kind = "multipart/form-data; boundary=x"
    assert refused(takes="upload", has_body=True, Content_Type=kind) == "cross_site"
    assert refused(takes="upload", has_body=True, Content_Type=kind, X_Pantry="1") is None
    assert refused(takes="upload", has_body=True, Content_Type="text/plain", X_Pantry="1") == "unsupported_media_type"


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8189", "192.168.1.2.evil.example", "", "[", "10.0.0.5"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_rebound_name_reads_and_writes_nothing(host, method):
    """A server on loopback answers to loopback names alone: DNS rebinding arrives under another one."""
    assert refused(method, Host=host, Origin=f"http://{host}", Sec_Fetch_Site="same-origin") == "wrong_host"


@pytest.mark.parametrize(
    "host", ["localhost:1", "127.0.0.1", "[::1]:8188", "pantry.localhost", "LOCALHOST", "127.1.2.3"]
)
def test_every_name_of_this_machine_is_answered(host):
    """Loopback has many names, in any case, with and without port."""
    assert refused("GET", Host=host) is None


def test_a_name_from_the_settings_is_answered():
    """A proxy before the server has a name of its own, which allowed_hosts takes."""
    door = Door(names=lambda: ("pantry.home.example",))
    assert refused("GET", door, Host="Pantry.home.example:443") is None
    assert refused("GET", door, Host="other.example") == "wrong_host"


def test_a_server_for_the_network_answers_to_any_name():
    """Whoever listens on every address cannot know its names; sites are still told apart."""
    assert refused("GET", ON_THE_LAN, Host="mypc:8188") is None
    assert refused("POST", ON_THE_LAN, Host="mypc:8188", Origin="http://evil.example") == "cross_site"


def test_another_site_reads_nothing_but_may_link():
    """A script or an image tag of another site is refused; a person following a link is not."""
    assert refused("GET", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="no-cors") == "cross_site"
    assert refused("GET", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate") is None


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({}, None),
        ({"Origin": f"http://{HERE}"}, None),
        ({"Origin": "null"}, "cross_site"),
        ({"Origin": "http://evil.example"}, "cross_site"),
        ({"Origin": "http://evil.example", "Host": "evil.example"}, "wrong_host"),
    ],
)
def test_a_socket_opens_for_our_pages_alone(headers, code):
    """WebSockets know no CORS, so the handshake is where a foreign page is stopped."""
    refusal = judge_socket(CIMultiDict({"Host": HERE, **headers}), AT_HOME)
    assert (refusal and refusal.code) == code


@pytest.mark.parametrize("name", ["127.0.0.1", "::1", "::ffff:127.0.0.1", "localhost", "a.localhost"])
def test_this_machine_is_known_by_every_address(name):
    """IPv6 and mapped IPv4 loopback are this machine as well."""
    assert is_loopback(name)


@pytest.mark.parametrize(
    "name", ["", "0.0.0.0", "10.0.0.1", "::", "fe80::1%eth0", "localhost.evil.example", "127.0.0.1.x"]
)
def test_nothing_else_is_this_machine(name):
    """Addresses that mean everybody, private networks and lookalike names are not loopback."""
    assert not is_loopback(name)


def test_whoever_comes_through_a_proxy_is_not_local():
    """A proxy on this machine makes every peer look like loopback."""
    assert is_local_peer("127.0.0.1", CIMultiDict())
    assert not is_local_peer("127.0.0.1", CIMultiDict({"x-forwarded-for": "10.0.0.9"}))
    assert not is_local_peer("10.0.0.9", CIMultiDict())
    assert not is_local_peer(None, CIMultiDict())
