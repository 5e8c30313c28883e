"""Which addresses a webhook may go to: a partner's URL must not reach what only we can reach."""

import re
from dataclasses import dataclass
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from urllib.parse import urlsplit

from gateway.errors import BadInput

URL_MAX = 500
PORTS = {"https": 443, "http": 80}
_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?", re.ASCII)
_TARGET = re.compile(r"[!-~]*", re.ASCII)

Address = IPv4Address | IPv6Address
# Of IPv6 only what is given out to the public (RFC 4291): all else leads to IPv4 addresses by other
# names, NAT64's among them (64:ff9b::/96, 64:ff9b:1::/48), or nowhere.
_PUBLIC_V6 = IPv6Network("2000::/3")
# Inside of what counts as public, and not for us all the same.
_KEPT_OUT: tuple[IPv4Network | IPv6Network, ...] = tuple(
    map(
        ip_network,
        (
            "168.63.129.16/32",  # Azure's own services, at every virtual machine
            "169.254.0.0/16",  # link-local: every other cloud's
            "192.0.0.0/24",  # IETF protocols
            "192.88.99.0/24",  # 6to4's relays
            "2001::/23",  # IETF protocols: Teredo, ORCHID
            "2001:db8::/32",  # documentation, as 3fff::/20
            "2002::/16",  # 6to4: an IPv4 address behind each
            "3fff::/20",
        ),
    )
)


@dataclass(frozen=True, slots=True)
class Target:
    """A URL taken apart."""

    scheme: str
    host: str  # a name, or an address without brackets
    port: int
    path: str  # with its query

    @property
    def authority(self) -> str:
        """What the Host header says."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"


def parse(url: str, *, loopback: bool = False) -> Target:
    """A URL that webhooks may be sent to; with `loopback` (no production) http is let through too.

    Raises `BadInput`.

    >>> parse("https://hooks.acme.example/in?x=1")
    Target(scheme='https', host='hooks.acme.example', port=443, path='/in?x=1')
    >>> parse("http://hooks.acme.example/in")
    Traceback (most recent call last):
    gateway.errors.BadInput: a webhook's URL begins with https://
    >>> parse("https://me:secret@hooks.acme.example/")
    Traceback (most recent call last):
    gateway.errors.BadInput: a webhook's URL holds no user and no password
    """
    if len(url) > URL_MAX or not _TARGET.fullmatch(url):
        raise BadInput(f"a webhook's URL has at most {URL_MAX} printable ASCII characters")
    try:
        parts = urlsplit(url)
        port, host = parts.port, (parts.hostname or "").lower()
    except ValueError:
        raise BadInput("a webhook's URL cannot be read") from None
    if parts.scheme not in (("https", "http") if loopback else ("https",)):
        raise BadInput("a webhook's URL begins with https://")
    if "@" in parts.netloc:
        raise BadInput("a webhook's URL holds no user and no password")
    if parts.fragment or port == 0 or not (_NAME.fullmatch(host) or _literal(host)):
        raise BadInput("a webhook's URL names a host, and no #fragment")
    query = f"?{parts.query}" if parts.query else ""
    return Target(parts.scheme, host, port or PORTS[parts.scheme], (parts.path or "/") + query)


def may_reach(target: Target, address: str, *, loopback: bool = False) -> bool:
    """Whether a webhook may be sent to an address that its host's name stands for.

    >>> web = parse("https://hooks.acme.example/")
    >>> may_reach(web, "93.184.215.14"), may_reach(web, "2606:2800:21f::1")
    (True, True)
    >>> inside = ("10.0.0.1", "127.0.0.1", "169.254.169.254", "100.64.0.1", "::ffff:10.0.0.1")
    >>> [may_reach(web, one) for one in (*inside, "64:ff9b::a00:1", "2002:a00:1::", "fe80::1%eth0")]
    [False, False, False, False, False, False, False, False]
    >>> may_reach(parse("http://localhost/", loopback=True), "127.0.0.1", loopback=True)
    True
    """
    found = _literal(address)
    if found is None:
        return False
    if found.is_loopback:
        return loopback
    return target.scheme == "https" and _is_public(found)


def _literal(text: str) -> Address | None:
    try:
        return ip_address(text)
    except ValueError:
        return None


def _is_public(address: Address) -> bool:
    """Whether it is an address on the internet, and not one of our side of the wall."""
    if isinstance(address, IPv6Address) and (address.scope_id or address not in _PUBLIC_V6):
        return False
    is_kept_out = any(address in network for network in _KEPT_OUT)
    return address.is_global and not address.is_multicast and not is_kept_out
