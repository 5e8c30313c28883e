"""Setting an endpoint up, switching it off, and its secrets: made, rotated, sealed anew."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial

import structlog
from sqlalchemy import Connection

from gateway.audit import trail
from gateway.clock import Clock
from gateway.database.engine import Database
from gateway.errors import BadInput, KeyMissing
from gateway.partners import profiles, testing
from gateway.partners.endpoints import addresses, signing, store
from gateway.partners.endpoints.seal import Seal
from gateway.partners.endpoints.store import OFF, ON, REASON_MAX, Endpoint
from gateway.partners.events import feed
from gateway.partners.events import store as events

log = structlog.get_logger()

GRACE = timedelta(days=1)  # how long the secret before a rotation signs too
GRACE_MAX = timedelta(days=30)
BY_OPERATOR = "switched off by an operator"


@dataclass(frozen=True, slots=True)
class Made:
    """An endpoint, and its secret where a new one was made: it is shown this once."""

    endpoint: Endpoint
    secret: str | None = field(repr=False)


class Endpoints:
    """What operators do with endpoints; `loopback` as for `Outside`."""

    def __init__(self, seal: Seal, *, loopback: bool = False) -> None:
        self._seal = seal
        self._loopback = loopback

    def show(self, connection: Connection, code: str, is_test: bool) -> Endpoint | None:
        """The endpoint of a partner, or of its test money. Raises `UnknownPartner`."""
        return store.of_owner(connection, _owner(connection, code, is_test))

    def set_url(
        self,
        connection: Connection,
        code: str,
        is_test: bool,
        url: str,
        actor: str,
        now: datetime,
        reason: str = "",
    ) -> Made:
        """Send webhooks to a URL from now on; what happened before can be replayed.

        Raises `BadInput`, `UnknownPartner`.
        """
        addresses.parse(url, loopback=self._loopback)
        owner = _owner(connection, code, is_test)
        trail.record(connection, actor, "partner.webhook", code, now, reason or url)
        feed.number(connection, owner)
        last = events.last_seq(connection, owner)
        known = store.of_owner(connection, owner, locked=True)
        if known is None:
            made = store.add(connection, owner, url, last, now)
            return Made(_known(connection, owner), self._new_secret(connection, made, owner, now))
        fresh = {} if known.is_on else {"state": ON, "reason": None, "queued_seq": last}
        values = {"url": url, "failures": 0, "rests_until": None, **fresh}
        store.change(connection, known.id, now, **values)
        return Made(_known(connection, owner), None)

    def switch_off(
        self,
        connection: Connection,
        code: str,
        is_test: bool,
        actor: str,
        now: datetime,
        reason: str = "",
    ) -> Endpoint:
        """Send nothing more; events are kept and can be read. Raises `BadInput`."""
        known = _known(connection, _owner(connection, code, is_test))
        store.change(connection, known.id, now, state=OFF, reason=BY_OPERATOR)
        trail.record(connection, actor, "partner.webhook_off", code, now, reason)
        return _known(connection, known.owner)

    def rotate(
        self,
        connection: Connection,
        code: str,
        is_test: bool,
        actor: str,
        now: datetime,
        *,
        grace: timedelta = GRACE,
        reason: str = "",
    ) -> Made:
        """A new secret; the one before signs beside it for `grace`. Raises `BadInput`."""
        if not timedelta() <= grace <= GRACE_MAX:
            raise BadInput(f"an old secret stays good for at most {GRACE_MAX.days} days")
        owner = _owner(connection, code, is_test)
        known = _known(connection, owner, locked=True)
        store.end_secrets(connection, known.id, now + grace, now)
        secret = self._new_secret(connection, known.id, owner, now)
        trail.record(connection, actor, "partner.webhook_secret", code, now, reason)
        return Made(known, secret)

    def reseal(self, database: Database, clock: Clock) -> int:
        """Seal every secret with the key that is written with now; how many were not.

        A secret that this process cannot open is passed over with an alarm: another one may hold
        its key, and a key must not be taken out of the rings before.
        """
        kid = database.run(lambda c: self._seal.write_kid(c, clock.now()))
        with database.snapshot() as connection:
            waiting = store.sealed_otherwise(connection, kid)
        done = 0
        for secret, owner in waiting:
            try:
                plain = self._seal.open(secret.kid, owner, secret.sealed)
            except KeyMissing as error:
                log.error("webhook_secret_not_opened", owner=owner, error=str(error))
                continue
            sealed = self._seal.close(kid, owner, plain)
            done += database.run(
                partial(store.reseal, secret=secret, kid=kid, sealed=sealed), keyed=True
            )
        return done

    def _new_secret(
        self, connection: Connection, endpoint_id: int, owner: str, now: datetime
    ) -> str:
        secret, kid = signing.new_secret(), self._seal.write_kid(connection, now)
        sealed = self._seal.close(kid, owner, secret)
        store.add_secret(connection, endpoint_id, kid, sealed, now)
        return signing.shown(secret)


def open_secrets(
    connection: Connection, seal: Seal, endpoint: Endpoint, now: datetime
) -> Sequence[bytes]:
    """The secrets that sign now, the newest first. Raises `KeyMissing`, `KeyDiffers`."""
    found = store.secrets_of(connection, endpoint.id, now)
    return [seal.open(one.kid, endpoint.owner, one.sealed) for one in found]


def gone(connection: Connection, endpoint: Endpoint, reason: str, now: datetime) -> None:
    """The endpoint says that it is no more: nothing is sent until an operator sets it anew."""
    log.error("webhook_endpoint_gone", owner=endpoint.owner)
    store.change(connection, endpoint.id, now, state=OFF, reason=reason[:REASON_MAX])


def _owner(connection: Connection, code: str, is_test: bool) -> str:
    partner = profiles.find(connection, code)
    return testing.owner(partner.code) if is_test else partner.code


def _known(connection: Connection, owner: str, *, locked: bool = False) -> Endpoint:
    found = store.of_owner(connection, owner, locked=locked)
    if found is None:
        raise BadInput(f"{owner} has no endpoint: give a --url first")
    return found
