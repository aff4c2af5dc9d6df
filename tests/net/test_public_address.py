"""Which addresses may be connected to for somebody else, as a table and by hypothesis."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from py.net.public_address import is_literal, is_public

PUBLIC = ["104.16.0.1", "8.8.8.8", "2606:4700::6810:1", "::ffff:8.8.8.8", "64:ff9b::808:808", "198.18.0.7"]
INSIDE = [
    *("127.0.0.1", "127.255.255.254", "0.0.0.0", "0.1.2.3"),
    *("10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "100.127.255.255"),
    *("169.254.169.254", "192.0.0.1", "192.0.2.1", "198.51.100.1", "203.0.113.1"),
    *("224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255"),
    *("::", "::1", "fe80::1", "fe80::1%eth0", "fec0::1", "fc00::1", "fd12:3456::1", "ff02::1", "ff0e::1"),
    *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:7f00:1", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::1"),
    *("2001:db8::1", "2001::1", "2002:7f00:1::", "2002:808:808::", "3fff::1", "4000::1", "100::1"),
]
NO_ADDRESS = ["", "localhost", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "127.0.0.1:80", "[::1]", "1.2.3.4 "]
_LOCAL_V4 = ["127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "100.64.0.0/10"]
_LOCAL_V6 = ["fc00::/7", "fe80::/10", "ff00::/8", "::/16"]


@pytest.mark.parametrize("text", PUBLIC)
def test_the_public_is_reachable(text):
    """Ordinary addresses, IPv4 inside IPv6, and the range from which proxies answer for names."""
    assert is_public(text)


@pytest.mark.parametrize("text", INSIDE + NO_ADDRESS)
def test_nothing_else_is(text):
    """Not this machine, not the network around it, not what is reserved, and no text that is no address."""
    assert not is_public(text)


@pytest.mark.parametrize("text", [*PUBLIC, *INSIDE])
def test_an_address_is_known_as_one(text):
    """What no resolver is asked about is judged as it stands."""
    assert is_literal(text)


@pytest.mark.parametrize("text", NO_ADDRESS)
def test_other_spellings_are_left_to_the_resolver(text):
    """Decimal, octal and short forms are names here: the system turns them into addresses, which are judged."""
    assert not is_literal(text)


def _within(networks):
    known = [ipaddress.ip_network(one) for one in networks]
    return st.one_of(*(st.integers(0, one.num_addresses - 1).map(one.__getitem__) for one in known))


@given(_within(_LOCAL_V4))
def test_no_local_ipv4_passes_in_any_dress(address):
    """Bare, mapped into IPv6, as NAT64 and as 6to4 writes it."""
    number = int(address)
    mapped = ipaddress.IPv6Address(0xFFFF << 32 | number)
    nat64 = ipaddress.IPv6Address(0x64_FF9B << 96 | number)
    six_to_four = ipaddress.IPv6Address(0x2002 << 112 | number << 80)

    assert not any(is_public(str(one)) for one in (address, mapped, nat64, six_to_four))


@given(_within(_LOCAL_V6).filter(lambda one: one.ipv4_mapped is None))
def test_no_local_ipv6_passes(address):
    """Unique-local, link-local, multicast, and what begins with zeros."""
    assert not is_public(str(address))


@given(st.text())
def test_any_text_has_an_answer(text):
    """The rule raises nothing."""
    assert is_public(text) in {True, False}
