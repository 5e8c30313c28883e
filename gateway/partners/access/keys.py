"""Making, proving, rotating and revoking a partner's keys."""

import hashlib
import hmac
import secrets
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection

from gateway.audit import trail
from gateway.errors import BadInput, GatewayError
from gateway.formats.facts import fact
from gateway.partners import profiles, testing
from gateway.partners.access import store
from gateway.partners.access.store import Key
from gateway.partners.store import Partner

LIVE, TEST = "live", "test"
ISSUE, REVEAL, READ = "tokens:issue", "tokens:reveal", "tokens:read"
MANAGE, REDEEM = "tokens:manage", "tokens:redeem"
FLOAT, EVENTS = "float:read", "events:read"
# What a key may be allowed, and what that means to whoever hands it out.
SCOPES = {
    ISSUE: "issue tokens from the partner's float",
    REVEAL: "be given the digits of a token it issues itself, where no SMS carries them",
    READ: "read its own tokens",
    MANAGE: "reprint, suspend, resume and cancel its own tokens",
    REDEEM: "look tokens up and redeem them",
    FLOAT: "read the float and its statement",
    EVENTS: "read events and have them sent again",
}
USUAL = tuple(scope for scope in SCOPES if scope != REVEAL)  # digits are shown to who asks for it
GRACE = timedelta(days=1)  # how long the key before a rotation stays good
GRACE_MAX = timedelta(days=30)
_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's: no letter that reads as another


class Unauthorized(GatewayError):
    """No good key came with the request; never says what was wrong with it."""


class Forbidden(GatewayError):
    """The key is good but may not do this."""


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key as its maker sees it, once: the secret is not stored."""

    key_id: str
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Access:
    """Who asks: a partner, through one of its keys."""

    partner: Partner
    key_id: str
    scopes: frozenset[str]
    is_test: bool

    @property
    def owner(self) -> str:
        """Whose tokens, float and events these are: test money has an owner of its own."""
        return testing.owner(self.partner.code) if self.is_test else self.partner.code

    @property
    def actor(self) -> str:
        """Who the trail names."""
        return f"{self.partner.code}/{self.key_id}"

    def insist(self, scope: str) -> None:
        """Raise `Forbidden` unless the key has this scope."""
        if scope not in self.scopes:
            raise Forbidden(f"this key lacks the scope {scope}")


def make(
    connection: Connection,
    code: str,
    actor: str,
    now: datetime,
    *,
    scopes: Collection[str] = USUAL,
    test: bool = False,
    reason: str = "",
) -> NewKey:
    """A new key of a partner. Raises `UnknownPartner`, and `BadInput` for scopes that are none."""
    unknown = sorted(set(scopes) - SCOPES.keys())
    if unknown or not scopes:
        raise BadInput(f"scopes are {', '.join(SCOPES)}, not {', '.join(unknown) or 'none at all'}")
    partner = profiles.find(connection, code)
    mode = TEST if test else LIVE
    made = NewKey(f"pk_{mode}_{_word(12)}", secrets.token_urlsafe(32))
    store.add(
        connection,
        {
            "key_id": made.key_id,
            "partner_id": partner.id,
            "secret": _digest(made.secret),
            "mode": mode,
            "scopes": " ".join(scope for scope in SCOPES if scope in scopes),
            "created_at": now,
        },
    )
    said = fact("key {key}", key=made.key_id)
    trail.record(connection, actor, "partner.key", code, now, reason, said)
    return made


def rotate(
    connection: Connection,
    key_id: str,
    actor: str,
    now: datetime,
    *,
    grace: timedelta = GRACE,
    reason: str = "",
) -> NewKey:
    """A new key that may do the same; the old one stays good for `grace`. Raises `BadInput`."""
    if not timedelta() <= grace <= GRACE_MAX:
        raise BadInput(f"an old key stays good for at most {GRACE_MAX.days} days")
    key, partner = _known(connection, key_id)
    if not key.is_good(now):
        raise BadInput(f"the key {key_id} has ended: make a new one")
    is_test = key.mode == TEST
    made = make(
        connection,
        partner.code,
        actor,
        now,
        scopes=key.scopes.split(),
        test=is_test,
        reason=reason or f"in the place of {key_id}",
    )
    store.end_by(connection, key_id, now + grace)
    return made


def revoke(connection: Connection, key_id: str, actor: str, reason: str, now: datetime) -> None:
    """End a key at once: what waits is refused too, as it ends. Raises `BadInput`."""
    _, partner = _known(connection, key_id)
    if not store.revoke(connection, key_id, now):
        raise BadInput(f"the key {key_id} is revoked")
    said = fact("key {key}", key=key_id)
    trail.record(connection, actor, "partner.key_revoked", partner.code, now, reason, said)


def prove(connection: Connection, authorization: str, now: datetime) -> Access:
    """Who `Authorization: Bearer <key id>.<secret>` is. Raises `Unauthorized`."""
    scheme, _, given = authorization.strip(" \t").partition(" ")
    key_id, _, secret = given.strip(" ").partition(".")
    if scheme.lower() != "bearer" or not key_id or not secret:
        raise Unauthorized("no key was given")
    found = store.by_key_id(connection, key_id) if key_id.isascii() and len(key_id) <= 24 else None
    stored = found[0].secret if found else bytes(32)
    right = hmac.compare_digest(_digest(secret), stored)
    if found is None or not right or not found[0].is_good(now):
        raise Unauthorized("this key is not good")
    key, partner = found
    return Access(partner, key.key_id, frozenset(key.scopes.split()), key.mode == TEST)


def note_use(connection: Connection, access: Access, now: datetime) -> None:
    """Remember the day a key was last used on, written once a day; the last step of a request.

    Raises `Unauthorized` when the key ended while its request waited: nothing of it happens.
    """
    found, today = store.by_key_id(connection, access.key_id), now.astimezone(UTC).date()
    if found is None or not found[0].is_good(now):
        raise Unauthorized("this key is not good")
    if found[0].used_on != today:
        store.used(connection, found[0], today)


def _known(connection: Connection, key_id: str) -> tuple[Key, Partner]:
    found = store.by_key_id(connection, key_id)
    if found is None:
        raise BadInput(f"there is no key {key_id!r}")
    return found


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def _word(letters: int) -> str:
    return "".join(secrets.choice(_LETTERS) for _ in range(letters))
