"""Say whether an IP address is out in the internet; any other is this machine or a network around it. Pure.

The IANA special-purpose registries (RFC 6890) are the rule; an IPv4 address inside an IPv6 one is judged itself.
"""

from __future__ import annotations

import ipaddress

# Proxies that take over a whole machine answer every name from here ("fake IP"); networks do not use it (RFC 2544).
_BENCHMARKS = ipaddress.IPv4Network("198.18.0.0/15")
# IPv6 that the public routes: global unicast (RFC 4291 §2.4). All else is local, reserved or not in use.
_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
# What an IPv6-only network's DNS makes of an IPv4 address (RFC 6052 §2.1).
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
# Tunnels (6to4) and documentation: their like was never asked for, and older Pythons take them for global.
_NEVER = (ipaddress.IPv6Network("2002::/16"), ipaddress.IPv6Network("3fff::/20"))


def is_public(text: str) -> bool:
    """Tell whether `text`, an address as a resolver writes it, may be connected to; False for what is no address.

    Loopback, private, link-local, unique-local, shared (CGNAT), multicast, reserved and unspecified addresses may not.
    """
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    if isinstance(address, ipaddress.IPv6Address):
        return _is_public_v6(address)
    return _is_public_v4(address)


def is_literal(host: str) -> bool:
    """Tell whether a host is written as an address, so that no resolver is asked about it."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _is_public_v4(address: ipaddress.IPv4Address) -> bool:
    ordinary = address.is_global and not address.is_multicast and not address.is_reserved
    return ordinary or address in _BENCHMARKS


def _is_public_v6(address: ipaddress.IPv6Address) -> bool:
    carried = _carried_v4(address)
    if carried is not None:
        return _is_public_v4(carried)
    return address in _GLOBAL_UNICAST and address.is_global and not any(address in network for network in _NEVER)


def _carried_v4(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped
