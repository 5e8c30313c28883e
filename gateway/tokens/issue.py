"""Issuing: derive digits nobody ever had, book the value as outstanding, queue the SMS."""

import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

from sqlalchemy import Connection

from gateway.audit import trail
from gateway.clock import end_of_local_day
from gateway.errors import BadInput
from gateway.formats import money
from gateway.ledger import store as ledger_store
from gateway.ledger import wallets
from gateway.ledger.books import Books, Leg
from gateway.ledger.floats import House
from gateway.ledger.limits import Tier
from gateway.ledger.store import FEES, FLOAT, HOUSE, OUTSTANDING, Account
from gateway.outbox import queue
from gateway.tokens import code, serials, store
from gateway.tokens.derive import Seed, free_digits
from gateway.tokens.guesses import limits
from gateway.tokens.keys.rings import KeyRings
from gateway.tokens.store import Status

DELIVERY = "token"  # the outbox template that carries the digits
ISSUE_REF_MAX = 64
SENDER_NAME_MAX = 40
DEFAULT_PERIOD = "30d"  # how long a token is valid when nobody says
_PERIOD = re.compile(r"([1-9][0-9]{0,3})([dh])", re.ASCII)
_ISSUE_REF = re.compile(r"[!-~]([ -~]*[!-~])?", re.ASCII)


class BindingRequired(BadInput):
    """So many unbound 11-digit tokens are live that further ones must be bound (G3)."""


class DuplicateIssueRef(BadInput):
    """The issuer has used this reference before; `serial` is the token it stands for."""

    def __init__(self, serial: str) -> None:
        super().__init__(f"issue_ref was used before, for token {serial}")
        self.serial = serial


@dataclass(frozen=True, slots=True)
class Order:
    """What to issue. The funder pays now; the value is owed to whoever redeems."""

    amount: Decimal
    currency: str
    expires_at: datetime
    digits: int = code.LONG
    recipient: str | None = None
    issuer: str = HOUSE
    issue_ref: str = ""  # "": ours to make
    txn_id: str = ""  # "": ours to make
    binding: str = store.UNBOUND
    language: str | None = None
    sender_name: str | None = None
    deliver: bool = True
    actor: str = ""  # who the trail names; "": the issuer
    reveal: bool = False  # the actor is shown the digits, which the trail then says
    fee: Decimal = Decimal("0.00")  # what issuing costs the funder besides, and keeps us
    renews: bool = False  # its value was a token's of this funder a moment ago: no cap counts it
    returns_to: int | None = None  # the account that is its funder in the payer's stead
    undoes: date | None = None  # the payer gives back what it took that local day, frozen or not
    caps: Tier | None = None  # how much a partner may issue from its float


@dataclass(frozen=True, slots=True)
class Issued:
    """A token as its issuer is told of it; `reveal` gives its digits, which its repr never has."""

    serial: str
    status: str
    amount: Decimal
    currency: str
    recipient: str | None
    expires_at: datetime
    reveal: Callable[[], str]


def new_txn_id() -> str:
    """A transaction id of our own: an auto-increment is neither dense nor ordered on a cluster."""
    return secrets.token_hex(16)


def new_issue_ref() -> str:
    """A reference for an issuer who gave none."""
    return f"gw-{secrets.token_hex(12)}"


class Issuer:
    """Issues tokens under the key the database names."""

    def __init__(
        self,
        rings: KeyRings,
        books: Books,
        new_txn_id: Callable[[], str] = new_txn_id,
        house: House | None = None,
    ) -> None:
        self._rings = rings
        self._books = books
        self._house = house or House(books)
        self._new_txn_id = new_txn_id

    def keyed(self, order: Order) -> Order:
        """The order with the ids by which a repeat knows its own token again.

        Made before `Database.run`, they let it run `keyed`: after a lost answer to COMMIT the
        second attempt answers with the token of the first.
        """
        issue_ref = order.issue_ref or new_issue_ref()
        return replace(order, issue_ref=issue_ref, txn_id=self._new_txn_id())

    def issue(
        self, connection: Connection, order: Order, now: datetime, funder: Account | None = None
    ) -> Issued:
        """Issue one token; without a funder the house pays.

        An order from `keyed` that has been issued already is answered with its token.

        Raises `BadInput`, `DuplicateIssueRef`, `BindingRequired`, `NoFreeDigits`, `KeyMissing`, and
        whatever `Limits.insist_debit` has against the funder, each before anything is written.
        """
        _refuse_bad(order, now)
        order = replace(order, issue_ref=order.issue_ref or new_issue_ref())
        known = self._known(connection, order)
        if known is not None:
            return known
        try:
            crowd, payer = self._judged(connection, order, now, funder)
        except BadInput:
            # A racing repeat that has issued it meanwhile took what is missing here.
            known = self._known(connection, order)
            if known is None:
                raise
            return known
        # All refusals come before the first write: a caller may catch one and commit.
        if crowd:
            limits.keep_up(connection, crowd, now)
        txn_id = order.txn_id or self._new_txn_id()
        token, derived = free_digits(
            connection, self._rings, Seed(order.digits, order.issue_ref, txn_id), now
        )
        serial = serials.new()
        # Before the token's row: its foreign key would take a shared lock on a busy float first.
        self._pay(connection, payer, order, serial, txn_id, now)
        named = {"serial": serial, "txn_id": txn_id, "issue_ref": order.issue_ref}
        store.add(connection, named | derived | _row(order, payer, now))
        _deliver(connection, serial, order, now)
        _record(connection, serial, order, now)
        facts = (order.amount, order.currency, order.recipient, order.expires_at)
        return Issued(serial, Status.ISSUED.value, *facts, lambda: token)

    def _known(self, connection: Connection, order: Order) -> Issued | None:
        """The token of an order that was issued already. Raises `DuplicateIssueRef`."""
        known = store.by_issue_ref(connection, order.issuer, order.issue_ref)
        if known is not None and known.txn_id != order.txn_id:
            raise DuplicateIssueRef(known.serial)
        return None if known is None else self._issued(known)

    def _judged(
        self, connection: Connection, order: Order, now: datetime, funder: Account | None
    ) -> tuple[int, Account]:
        """How many live tokens it would crowd, and who pays; raises for whatever is against it."""
        crowd = self._refuse_crowding(connection, order)
        if funder is not None:
            return crowd, self._able(connection, funder, order, now)
        total = order.amount + order.fee
        return crowd, self._house.payer(connection, total, order.currency, now)

    def _able(
        self, connection: Connection, funder: Account, order: Order, now: datetime
    ) -> Account:
        """The funder read afresh, so that a lost race for its money ends in a reason."""
        account = ledger_store.by_id(connection, funder.id)
        if account.kind == FLOAT and order.caps is None:
            raise TypeError("a partner's float is issued from within what is agreed")
        if account.currency != order.currency:
            raise BadInput(f"the funder's account is in {account.currency}")
        if order.undoes is not None:
            self._books.limits.insist_passing_on(account, order.amount + order.fee)
        elif order.renews:
            wallets.insist_owner(self._books.limits, account, now)
        else:
            self._books.limits.insist_debit(account, order.amount + order.fee, now, order.caps)
        return account

    def _issued(self, token: store.Token) -> Issued:
        key, kid = self._rings.generate.key(token.generate_kid), token.generate_kid
        seed = (token.digits, token.issue_ref, token.txn_id, token.counter)
        return Issued(
            token.serial,
            token.status,
            token.amount,
            token.currency,
            token.recipient,
            token.expires_at,
            lambda: code.derive(key, kid, *seed),
        )

    def _pay(
        self,
        connection: Connection,
        payer: Account,
        order: Order,
        serial: str,
        txn_id: str,
        now: datetime,
    ) -> None:
        outstanding = self._books.system(connection, OUTSTANDING, order.currency, now)
        total = order.amount + order.fee
        paid = Leg(payer, -total, undoes=order.undoes, caps=order.caps)
        legs = [paid, Leg(outstanding, order.amount)]
        if order.fee:
            fees = self._books.system(connection, FEES, order.currency, now)
            legs.append(Leg(fees, order.fee))
        spends = not order.renews
        self._books.post(connection, f"issue:{txn_id}", "issue", serial, legs, now, by_owner=spends)

    def _refuse_crowding(self, connection: Connection, order: Order) -> int:
        """Counted at every issue: the sweep's number would be as old as the sweep."""
        crowds = order.binding == store.UNBOUND and order.currency != money.TEST_CURRENCY
        if order.digits != code.SHORT or not crowds:
            return 0
        live = store.live_unbound(connection, code.SHORT)
        if live >= limits.UNBOUND_SHORT_MAX:
            raise BindingRequired("too many unbound 11-digit tokens are live: bind this one")
        return live + 1


def expiry(period: str, now: datetime, zone: ZoneInfo) -> datetime:
    """The expiry of a token valid for `30d` (to the end of that local day) or `12h` (exactly).

    Raises `BadInput`.
    """
    found = _PERIOD.fullmatch(period)
    if found is None:
        raise BadInput("a period is written like 30d or 12h")
    number, unit = int(found.group(1)), found.group(2)
    if unit == "h":
        return now + timedelta(hours=number)
    return end_of_local_day(now, number, zone)


def _refuse_bad(order: Order, now: datetime) -> None:
    if money.exact(order.amount) <= 0:
        raise BadInput("the amount must be above zero")
    if order.digits not in code.LENGTHS:
        raise BadInput("digits must be 18 or 11")
    if order.expires_at <= now:
        raise BadInput("expires_at lies in the past")
    if order.issue_ref and not (
        len(order.issue_ref) <= ISSUE_REF_MAX and _ISSUE_REF.fullmatch(order.issue_ref)
    ):
        raise BadInput(f"issue_ref takes 1 to {ISSUE_REF_MAX} printable ASCII characters")
    name = order.sender_name or ""
    if len(name) > SENDER_NAME_MAX or not name.isprintable():
        raise BadInput(f"sender_name takes at most {SENDER_NAME_MAX} printable characters")
    if order.binding == store.TO_RECIPIENT and order.recipient is None:
        raise BadInput("a token bound to its recipient needs one")


def _deliver(connection: Connection, serial: str, order: Order, now: datetime) -> None:
    if order.deliver and order.recipient:
        cause, language = f"deliver:{serial}", order.language or ""
        queue.add(connection, cause, DELIVERY, serial, order.recipient, language, now)


def _record(connection: Connection, serial: str, order: Order, now: datetime) -> None:
    actor = order.actor or order.issuer
    trail.record(connection, actor, "token.issue", serial, now)
    if order.reveal:
        trail.record(connection, actor, "token.reveal", serial, now)


def _row(order: Order, payer: Account, now: datetime) -> dict[str, object]:
    return {
        "issuer": order.issuer,
        "digits": order.digits,
        "amount": order.amount,
        "currency": order.currency,
        "status": Status.ISSUED.value,
        "binding": order.binding,
        "recipient": order.recipient,
        "language": order.language,
        "sender_name": order.sender_name,
        "funder_id": order.returns_to or payer.id,
        "issued_at": now,
        "expires_at": order.expires_at,
        "changed_at": now,
        "reprints": 0,
    }
