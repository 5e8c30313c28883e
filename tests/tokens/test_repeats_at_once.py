"""An order repeated while its first is not yet done: both are told of the one token."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from decimal import Decimal
from functools import partial

import pytest
from sqlalchemy import Connection

from gateway.ledger import floats, wallets
from gateway.ledger.floats import House
from gateway.ledger.limits import UNCAPPED, InsufficientFunds
from gateway.ledger.store import HOUSE, Account
from gateway.partners.funding import Funding
from gateway.tokens import store
from gateway.tokens.issue import DuplicateIssueRef, Issued, Issuer, Order
from gateway.tokens.retire import WrongState
from gateway.tokens.send import new_intent
from gateway.tokens.store import Token, tokens
from tests.support.clock import SteppedClock
from tests.support.races import race
from tests.support.wired import ADA, BELLO, Wired
from tests.tokens.staging import count, once_before, order, phone, system_accounts, wallet

RACERS = 8
ALL, WITH_ADVANCE = "100.00", "101.00"  # the house gave one away when the accounts were made
ZERO = Decimal("0.00")
ACCOUNT_READ = "SELECT accounts.id"
Issues = Callable[[], Issued]


def sends(wired: Wired, intent: str) -> Issued:
    """Send all that Ada has."""
    now = wired.clock.now()

    def work(connection: Connection) -> Issued:
        payer = wallets.find(connection, ADA, "NGN")
        assert payer is not None
        deed = (connection, payer, BELLO, Decimal(ALL), ZERO, intent, now)
        return wired.gateway.tokens.sends.send(*deed)[0]

    return wired.gateway.database.run(work, keyed=True)


def by_wallet(wired: Wired) -> Issues:
    wallet(wired, ADA, ALL)
    return partial(sends, wired, new_intent())


def issues(wired: Wired, issuer: Issuer, wanted: Order, funder: Account | None = None) -> Issued:
    now = wired.clock.now()
    return wired.gateway.database.run(lambda c: issuer.issue(c, wanted, now, funder), keyed=True)


def by_float(wired: Wired, owner: str) -> Issues:
    issuer, now = wired.gateway.issuer, wired.clock.now()
    amount = WITH_ADVANCE if owner == HOUSE else ALL
    details = {"owner": owner, "amount": amount, "currency": "NGN"}
    wired.run(lambda c: Funding(wired.gateway.books).fund(c, "BANK-1", details, now))
    of = None if owner == HOUSE else wired.run(lambda c: floats.find(c, owner, "NGN"))
    wanted = order(wired, ALL, caps=None if owner == HOUSE else UNCAPPED)
    return partial(issues, wired, issuer, issuer.keyed(wanted), of)


def by_advance(wired: Wired) -> Issues:
    books = wired.gateway.books
    issuer = Issuer(wired.gateway.rings, books, house=House(books, lambda _: Decimal(WITH_ADVANCE)))
    return partial(issues, wired, issuer, issuer.keyed(order(wired, ALL)))


# Each who pays, with just as much as one token takes.
PAYERS: Mapping[str, Callable[[Wired], Issues]] = {
    "a wallet": by_wallet,
    "a partner's float": partial(by_float, owner="partner-1"),
    "the house's float": partial(by_float, owner=HOUSE),
    "the house's advance": by_advance,
}
by_payer = pytest.mark.parametrize("payer", PAYERS)


def first_done_meanwhile(wired: Wired, issue: Callable[[], None]) -> AbstractContextManager[None]:
    """The same order is carried out after the reference was looked for, before the money is."""
    return once_before(wired.gateway.database, ACCOUNT_READ, issue)


@pytest.fixture
def on_mariadb(mariadb_url: str, clock: SteppedClock) -> Iterator[Wired]:
    """On SQLite the first writer ends before the second one reads."""
    wired = Wired(mariadb_url, clock)
    system_accounts(wired)
    yield wired
    assert wired.breaches() == []
    wired.close()


@by_payer
def test_without_the_second_look_a_repeat_is_told_that_its_own_money_is_missing(
    on_mariadb: Wired, monkeypatch: pytest.MonkeyPatch, payer: str
) -> None:
    issue = PAYERS[payer](on_mariadb)
    issue()
    monkeypatch.setattr(store, "by_issue_ref", lambda *_: None)
    with pytest.raises(InsufficientFunds):
        issue()


@by_payer
def test_a_repeat_that_finds_the_money_gone_is_answered_with_its_token(
    on_mariadb: Wired, payer: str
) -> None:
    issue = PAYERS[payer](on_mariadb)
    first: list[Issued] = []
    with first_done_meanwhile(on_mariadb, lambda: first.append(issue())):
        again = issue()
    assert (again.serial, again.reveal()) == (first[0].serial, first[0].reveal())
    assert count(on_mariadb, tokens, tokens.c.serial == again.serial) == 1


def test_another_order_with_its_reference_learns_the_serial_and_not_of_the_money(
    on_mariadb: Wired,
) -> None:
    account = wallet(on_mariadb, ADA, ALL)
    issuer, first = on_mariadb.gateway.issuer, []
    wanted = [issuer.keyed(order(on_mariadb, ALL, issue_ref="Ref-1")) for _ in range(2)]

    def other() -> None:
        first.append(issues(on_mariadb, issuer, wanted[0], account))

    with (
        once_before(on_mariadb.gateway.database, ACCOUNT_READ, other),
        pytest.raises(DuplicateIssueRef) as told,
    ):
        issues(on_mariadb, issuer, wanted[1], account)
    assert told.value.serial == first[0].serial


@by_payer
def test_one_order_sent_at_once_many_times_is_one_token(wired: Wired, payer: str) -> None:
    system_accounts(wired)
    issue = PAYERS[payer](wired)
    done = race(RACERS, lambda _: issue())
    serials = {one.serial if isinstance(one, Issued) else repr(one) for one in done}
    assert len(serials) == 1, serials
    assert count(wired, tokens) == 2
    assert wired.breaches() == []


def redirect(wired: Wired, token: Token, intent: str) -> Issued:
    """Send the token to another number, as it was read before."""
    now = wired.clock.now()

    def work(connection: Connection) -> Issued:
        payer = wallets.find(connection, ADA, "NGN")
        assert payer is not None
        sender = wired.gateway.tokens.sends
        return sender.readdress(connection, token, payer, phone(1), intent, now)

    return wired.gateway.database.run(work, keyed=True)


def test_a_repeat_that_finds_the_old_token_dead_is_answered_with_the_new_one(
    on_mariadb: Wired,
) -> None:
    wallet(on_mariadb, ADA, ALL)
    token, intent = on_mariadb.token(sends(on_mariadb, new_intent()).serial), new_intent()
    first: list[Issued] = []

    def other() -> None:
        first.append(redirect(on_mariadb, token, intent))

    with once_before(on_mariadb.gateway.database, "UPDATE tokens SET status", other):
        again = redirect(on_mariadb, token, intent)
    assert again.serial == first[0].serial
    with pytest.raises(WrongState):
        redirect(on_mariadb, token, new_intent())


def test_one_move_to_another_number_sent_at_once_many_times_is_one_token(wired: Wired) -> None:
    wallet(wired, ADA, ALL)
    token, intent = wired.token(sends(wired, new_intent()).serial), new_intent()
    done = race(RACERS, lambda _: redirect(wired, token, intent))
    serials = {one.serial if isinstance(one, Issued) else repr(one) for one in done}
    assert len(serials) == 1, serials
    assert count(wired, tokens) == 2
    assert wired.breaches() == []
