"""Where a try is made: the address of a browser, as far as one person has it alone. Pure."""

import ipaddress
from typing import Final

HERE: Final = "here"  # on the machine itself, by a command
NOWHERE: Final = "unknown"
_BITS_OF_ONE: Final = 64  # whoever has an IPv6 address has all that share its first half


def place_of(address: str) -> str:
    """The place that a request's address is counted as.

    >>> place_of("203.0.113.7"), place_of("2001:db8:a:b:1:2:3:4"), place_of("::ffff:203.0.113.7")
    ('203.0.113.7', '2001:db8:a:b::/64', '203.0.113.7')
    >>> place_of("fe80::1%eth0"), place_of(""), place_of("203.0.113.7, 10.0.0.1")
    ('fe80::/64', 'unknown', 'unknown')
    """
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return NOWHERE
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    bare = ipaddress.IPv6Address(int(found))  # a zone is of the network card
    return str(ipaddress.ip_network((bare, _BITS_OF_ONE), strict=False))
