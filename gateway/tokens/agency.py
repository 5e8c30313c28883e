"""Redeeming through a partner: its misses are counted, it is told the reason of its own tokens."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

import structlog
from sqlalchemy import Connection

from gateway.audit import trail
from gateway.errors import Limited
from gateway.formats import money
from gateway.ledger import wallets
from gateway.tokens import redeem, store
from gateway.tokens.code import InvalidCode
from gateway.tokens.guesses import limits
from gateway.tokens.keys.rings import KeyRings
from gateway.tokens.keys.rotation import insist_on_all
from gateway.tokens.redeem import Caller, Outcome, Redeemer
from gateway.tokens.retire import shown_status
from gateway.tokens.store import Status, Token
from gateway.tokens.tills import store as tills

log = structlog.get_logger()

CHANNEL = "api"
MISTYPED, LIMITED, UNKNOWN, UNAVAILABLE = "mistyped", "limited", "unknown", "unavailable"
BOUND = "bound"  # the partner's own, for somebody else's phone or a counter
FOUND = "found"
ANYWHERE = (store.UNBOUND,)  # bindings that ask for nobody
AT_COUNTERS = (*ANYWHERE, store.TO_COUNTER)


@dataclass(frozen=True, slots=True)
class Seen:
    """What an entry is to a partner; `token` is told with FOUND, and of its own."""

    answer: str  # one of the above, or a state in which nothing is redeemed
    token: Token | None = None
    until: datetime | None = None  # with LIMITED
    wrong: str = ""  # with MISTYPED


class Agency:
    """Looks up and redeems for partners, each method within the caller's transaction.

    Nothing of an answer may leave before that transaction's COMMIT has returned.
    """

    def __init__(self, rings: KeyRings, redeemer: Redeemer) -> None:
        self._rings = rings
        self._redeemer = redeemer

    def look_up(
        self, connection: Connection, entry: str, partner: str, currency: str, now: datetime
    ) -> Seen:
        """What was entered; nothing is claimed. A miss counts as a guess of the partner's.

        `currency` is what the partner's key deals in. Raises `KeyMissing`, `KeyDiffers`.
        """
        return self._seen(connection, entry, partner, currency, None, now)

    def at_till(
        self,
        connection: Connection,
        entry: str,
        partner: str,
        currency: str,
        customer: str | None,
        now: datetime,
    ) -> Seen:
        """What was entered where cash is paid to `customer` (E.164), if they gave a number.

        As `look_up`, and a token that only a counter pays is FOUND too. The token is locked.
        """
        return self._seen(connection, entry, partner, currency, customer, now, cash=True)

    def redeem(
        self,
        connection: Connection,
        entry: str,
        partner: str,
        currency: str,
        payee: str,
        language: str,
        now: datetime,
        *,
        tells: bool = True,
    ) -> tuple[Seen, Outcome | None]:
        """Redeem into the wallet of a phone; an outcome says what became of a token that is FOUND.

        Raises `KeyMissing`, `KeyDiffers`, `RaceLost`.
        """
        seen = self._seen(connection, entry, partner, currency, payee, now)
        if seen.answer != FOUND or seen.token is None:
            return seen, None
        wallet = wallets.ensure(connection, payee, seen.token.currency, now)
        caller = Caller(payee, CHANNEL, language)
        done = self._redeemer.into(connection, seen.token, wallet, caller, now, tells=tells)
        if done.answer is redeem.Answer.REDEEMED:
            trail.record(connection, partner, "token.redeem", seen.token.serial, now)
        return seen, done

    def _seen(
        self,
        connection: Connection,
        entry: str,
        partner: str,
        currency: str,
        payee: str | None,
        now: datetime,
        *,
        cash: bool = False,
    ) -> Seen:
        source = f"partner:{partner}"
        try:
            digits = limits.typed(connection, entry, source, now)
            limits.insist_room(connection, source, limits.PARTNER, now)
        except InvalidCode as error:
            return Seen(MISTYPED, wrong=error.wrong)
        except Limited as error:
            return Seen(LIMITED, until=error.until)
        plays = currency == money.TEST_CURRENCY  # it learns of its own tests and of no money
        withheld = not plays and limits.withholds(connection, CHANNEL, len(digits), now)
        found = tills.entered(connection, self._rings.lookups(digits))
        if len(found) > 1:
            log.error("lookup_clash", serials=[token.serial for token in found])
            return Seen(UNAVAILABLE)
        token = found[0] if found else None
        own = token is not None and token.issuer == partner
        if withheld and not (own or _is_payees(token, payee)):
            return Seen(UNAVAILABLE)
        seen = _judged(token, partner, currency, payee, now, AT_COUNTERS if cash else ANYWHERE)
        if seen.answer == UNKNOWN:
            insist_on_all(connection, self._rings.lookup)
            limits.missed(connection, source, now)
            if token is None and not plays:
                limits.miss(connection, CHANNEL, len(digits), now)
        if seen.answer != FOUND and token is not None and not plays:
            trail.record(connection, partner, "token.refused", token.serial, now, seen.answer)
        return seen


def _judged(
    token: Token | None,
    partner: str,
    currency: str,
    payee: str | None,
    now: datetime,
    free: Collection[str],
) -> Seen:
    """The reason of the partner's own tokens; of all others only whether they are redeemable."""
    if token is None or token.currency != currency:
        return Seen(UNKNOWN)
    own = token.issuer == partner
    if currency == money.TEST_CURRENCY and not own:
        return Seen(UNKNOWN)  # everybody's test money is apart
    status = shown_status(token, now)
    if status != Status.ISSUED:
        return Seen(status, token) if own else Seen(UNKNOWN)
    if token.binding == store.TO_PARTNER:
        return Seen(FOUND, token) if own else Seen(UNKNOWN)
    if token.binding in free or _is_payees(token, payee):
        return Seen(FOUND, token)
    if own and token.binding == store.TO_RECIPIENT and payee is None:
        return Seen(FOUND, token)
    return Seen(BOUND, token) if own else Seen(UNKNOWN)


def _is_payees(token: Token | None, payee: str | None) -> bool:
    if token is None or payee is None:
        return False
    return token.binding == store.TO_RECIPIENT and token.recipient == payee
