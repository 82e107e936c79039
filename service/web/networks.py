"""Whose address a request came from, as far as limits count it."""

from __future__ import annotations

import ipaddress

LOOPBACK = "loopback"
UNKNOWN = "unknown"


def network_of(address: str) -> str:
    """The address, or of IPv6 the network that one customer has of it. LOOPBACK for this machine: a web
    server that passes on no address has everybody there. UNKNOWN for all words that are not an address."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return UNKNOWN if address else LOOPBACK
    parsed = (parsed.ipv4_mapped or parsed) if isinstance(parsed, ipaddress.IPv6Address) else parsed
    if parsed.is_loopback:
        return LOOPBACK
    return str(ipaddress.ip_network((parsed, 64), strict=False)) if parsed.version == 6 else str(parsed)
