"""What a house that was never funded may give away: nobody makes money alone (M9)."""

from decimal import Decimal

import pytest
from sqlalchemy import Connection

from gateway.errors import BadInput
from gateway.ledger import floats, store
from gateway.ledger.floats import House
from gateway.ledger.limits import InsufficientFunds
from gateway.ledger.store import HOUSE
from gateway.partners.funding import Funding
from gateway.tokens.issue import Issued, Issuer, Order, expiry
from tests.support.clock import SteppedClock
from tests.support.races import race
from tests.support.wired import ADA, Wired
from tests.tokens.staging import once_before

MOST = Decimal("100.00")
RACERS = 8


def issuer(wired: Wired, most: Decimal | None = MOST) -> Issuer:
    books = wired.gateway.books
    return Issuer(wired.gateway.rings, books, house=House(books, lambda _: most))


def issue(wired: Wired, amount: str, of: Issuer) -> Issued:
    now = wired.clock.now()
    expires_at = expiry("30d", now, wired.gateway.settings.zone)
    order = Order(Decimal(amount), "NGN", expires_at, recipient=ADA, deliver=False)
    return wired.run(lambda c: of.issue(c, order, now))


def given(wired: Wired) -> Decimal:
    def work(connection: Connection) -> Decimal:
        house = wired.gateway.books.system(connection, HOUSE, "NGN", wired.clock.now())
        return -store.locked_sum(connection, house.id)

    return wired.run(work)


def test_it_gives_away_as_much_as_its_advance_and_no_more(wired: Wired) -> None:
    of = issuer(wired)
    issue(wired, "60.00", of)
    issue(wired, "40.00", of)
    with pytest.raises(InsufficientFunds, match=r"may give away 0\.00 more"):
        issue(wired, "0.01", of)
    assert given(wired) == MOST
    assert wired.breaches() == []


def test_without_its_lock_racers_pass_the_advance_together(
    wired: Wired, monkeypatch: pytest.MonkeyPatch
) -> None:
    issue(wired, "1.00", issuer(wired))
    monkeypatch.setattr(store, "locked_sum", lambda *_: Decimal("-1.00"))
    of = issuer(wired)
    race(RACERS, lambda _: issue(wired, "50.00", of))
    monkeypatch.undo()
    assert given(wired) > MOST


def test_racers_share_the_advance(wired: Wired) -> None:
    issue(wired, "1.00", issuer(wired))
    of = issuer(wired)
    done = race(RACERS, lambda _: issue(wired, "33.00", of))
    assert sum(isinstance(one, Issued) for one in done) == 3
    assert given(wired) == MOST
    assert {type(one) for one in done if isinstance(one, Exception)} == {InsufficientFunds}
    assert wired.breaches() == []


def test_once_it_was_funded_it_issues_from_its_float_alone(wired: Wired) -> None:
    details = {"owner": "house", "amount": "500.00", "currency": "NGN"}
    now = wired.clock.now()
    wired.run(lambda c: Funding(wired.gateway.books).fund(c, "BANK-1", details, now))
    of = issuer(wired)
    issue(wired, "500.00", of)
    with pytest.raises(BadInput, match="below the amount"):
        issue(wired, "0.01", of)


def test_before_there_are_operators_nothing_bounds_it(wired: Wired) -> None:
    issue(wired, "1000.00", issuer(wired, None))
    assert given(wired) == Decimal("1000.00")


def fund(wired: Wired, amount: str, reference: str = "BANK-1") -> None:
    details = {"owner": "house", "amount": amount, "currency": "NGN"}
    now = wired.clock.now()
    wired.run(lambda c: Funding(wired.gateway.books).fund(c, reference, details, now))


def cancel(wired: Wired, issued: Issued) -> None:
    token, now = wired.token(issued.serial), wired.clock.now()
    wired.run(lambda c: wired.gateway.retirer.cancel(c, token, "test", "", now))


def on_float(wired: Wired) -> Decimal:
    found = wired.run(lambda c: floats.of_house(c, "NGN"))
    return (found.balance if found else None) or Decimal("0.00")


def test_what_comes_back_of_the_advance_lessens_it_and_the_rest_can_be_issued(
    wired: Wired,
) -> None:
    of = issuer(wired)
    one, other = issue(wired, "60.00", of), issue(wired, "40.00", of)
    fund(wired, "80.00")
    assert (given(wired), on_float(wired)) == (Decimal("20.00"), Decimal("0.00"))
    cancel(wired, one)
    assert (given(wired), on_float(wired)) == (Decimal("0.00"), Decimal("40.00"))
    cancel(wired, other)
    assert (given(wired), on_float(wired)) == (Decimal("0.00"), Decimal("80.00"))
    assert issue(wired, "80.00", of).amount == Decimal("80.00")
    assert wired.breaches() == []


def test_it_comes_back_to_a_float_that_is_stopped_as_to_any_other(wired: Wired) -> None:
    issued = issue(wired, "60.00", issuer(wired))
    fund(wired, "60.00")
    house = wired.run(lambda c: floats.of_house(c, "NGN"))
    assert house is not None
    wired.run(lambda c: store.set_status(c, house.id, store.ACTIVE, store.FROZEN))
    cancel(wired, issued)
    assert on_float(wired) == Decimal("60.00")
    assert wired.breaches() == []


def test_before_it_was_funded_what_comes_back_only_lessens_the_advance(wired: Wired) -> None:
    issued = issue(wired, "60.00", issuer(wired))
    cancel(wired, issued)
    assert given(wired) == Decimal("0.00")
    fund(wired, "10.00")
    assert on_float(wired) == Decimal("10.00")
    assert wired.breaches() == []


def test_an_advance_that_comes_back_while_it_is_covered_is_never_owed_too_little(
    wired: Wired,
) -> None:
    """Whoever is first, what is owed and what can be issued come to the same in the end."""
    of = issuer(wired)
    tokens = [issue(wired, "10.00", of) for _ in range(RACERS)]
    done = race(
        RACERS + 1,
        lambda n: fund(wired, "50.00") if n == RACERS else cancel(wired, tokens[n]),
    )
    assert [one for one in done if one is not None] == []
    assert (given(wired), on_float(wired)) == (Decimal("0.00"), Decimal("50.00"))
    assert wired.breaches() == []


def test_without_its_lock_what_comes_back_is_left_where_nothing_is_issued_from(
    mariadb_url: str, clock: SteppedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    wired = Wired(mariadb_url, clock)
    issued = issue(wired, "60.00", issuer(wired))
    monkeypatch.setattr(store, "keep", lambda *_: None)
    with once_before(wired.gateway.database, "INSERT INTO movements", lambda: fund(wired, "60.00")):
        cancel(wired, issued)
    assert (given(wired), on_float(wired)) == (Decimal("-60.00"), Decimal("0.00"))
    wired.close()
