"""Rings as settings write them, and short ways to report, rotate and look at write keys."""

from gateway.tokens.keys import rotation, store
from gateway.tokens.keys.rings import PURPOSES, KeyRings
from tests.support.wired import GENERATE_KEY, LOOKUP_KEY, Wired

NEW = "5e" * 32, "6f" * 32
OLD_RINGS = {"token_keys": f"k1:{GENERATE_KEY}", "lookup_keys": f"p1:{LOOKUP_KEY}"}
BOTH_RINGS = {
    "token_keys": f"k1:{GENERATE_KEY},k2:{NEW[0]}",
    "lookup_keys": f"p1:{LOOKUP_KEY},p2:{NEW[1]}",
}
NEW_RINGS = {"token_keys": f"k2:{NEW[0]}", "lookup_keys": f"p2:{NEW[1]}"}


def holds(wired: Wired, name: str, rings: dict[str, str]) -> None:
    """Another process says which keys it holds."""
    held = KeyRings.parse(rings["token_keys"], rings["lookup_keys"])
    generate, lookup = ",".join(held.generate.prints), ",".join(held.lookup.prints)
    now = wired.clock.now()
    wired.run(lambda c: store.report_keys(c, name, "web", generate, lookup, now))


def rotate(wired: Wired, purpose: str, kid: str) -> None:
    """Rotate as `gateway keys rotate` does."""
    now = wired.clock.now()
    wired.run(lambda c: rotation.rotate(c, wired.gateway.rings, purpose, kid, now))


def write_kids(wired: Wired) -> dict[str, str | None]:
    """The key ids new rows are written with."""
    return wired.run(lambda c: {purpose: store.write_kid(c, purpose) for purpose in PURPOSES})
