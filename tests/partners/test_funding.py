"""Funding a float: once a bank reference, by two operators, whatever is raced or repeated."""

from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from threading import Barrier

import pytest
from sqlalchemy import Connection

from gateway.errors import BadInput
from gateway.ledger import floats
from gateway.ledger import store as ledger_store
from gateway.ledger.books import Leg
from gateway.ledger.store import SETTLEMENT, accounts, movements
from gateway.partners.funding import BANK, ReferenceUsed
from gateway.partners.profiles import UnknownPartner
from tests.partners.staging import ACME, ASKER, approve, ask, balance, float_of, partner
from tests.support.races import race
from tests.support.wired import Wired
from tests.tokens.staging import count

RACERS = 8


def bank(wired: Wired) -> Decimal:
    """What our books say lies at the bank."""
    query = (
        "SELECT COALESCE(SUM(e.amount), 0) FROM entries e JOIN accounts a ON a.id = e.account_id"
        f" WHERE a.kind = '{SETTLEMENT}' AND a.owner = '{BANK}'"
    )
    unit = 100 if wired.gateway.database.is_sqlite else 1
    return -Decimal(wired.run(lambda c: c.exec_driver_sql(query).scalar_one())) / unit


def test_a_funding_reaches_the_float_when_somebody_else_has_approved_it(wired: Wired) -> None:
    code = partner(wired)
    number = ask(wired, code, "1000.50", "FT26061")
    assert balance(wired) is None
    done = approve(wired, number)
    assert done.outcome == "acme funded with NGN 1000.50"
    assert (balance(wired), bank(wired)) == (Decimal("1000.50"), Decimal("1000.50"))
    assert wired.breaches() == []


@pytest.mark.parametrize("actor", [ASKER, "CLI:First", " cli: first "])
def test_whoever_asked_cannot_approve(wired: Wired, actor: str) -> None:
    number = ask(wired, partner(wired), "10.00", "FT1")
    with pytest.raises(BadInput, match="yourself"):
        approve(wired, number, actor)
    assert balance(wired) is None


def test_the_house_has_a_float_too(wired: Wired) -> None:
    approve(wired, ask(wired, "house", "500.00", "FT1"))
    assert balance(wired, "house") == Decimal("500.00")
    wired.issue("200.00")
    assert balance(wired, "house") == Decimal("300.00")
    with pytest.raises(BadInput):
        wired.issue("300.01")
    assert wired.breaches() == []


def test_a_reference_funds_once_whatever_float_it_is_meant_for(wired: Wired) -> None:
    for code in (ACME, "other"):
        partner(wired, code)
    approve(wired, ask(wired, ACME, "10.00", "FT1"))
    for owner in (ACME, "other", "house"):
        with pytest.raises(ReferenceUsed):
            ask(wired, owner, "10.00", "FT1")
    assert (balance(wired), balance(wired, "other")) == (Decimal("10.00"), None)


def test_references_differ_in_case_and_blanks(wired: Wired) -> None:
    code = partner(wired)
    for reference in ("ft1", "FT1", "FT 1"):
        approve(wired, ask(wired, code, "1.00", reference))
    assert balance(wired) == Decimal("3.00")


@pytest.mark.parametrize("reference", ["", " FT1", "FT1 ", "F" * 36, "FT\n1", "né"])
def test_what_is_no_reference_is_refused(wired: Wired, reference: str) -> None:
    code = partner(wired)
    with pytest.raises(BadInput):
        ask(wired, code, "1.00", reference)


def test_nobody_is_funded_who_is_no_partner(wired: Wired) -> None:
    with pytest.raises(UnknownPartner):
        ask(wired, "nobody", "1.00", "FT1")


def test_a_closed_float_is_not_funded_and_the_request_waits(wired: Wired) -> None:
    code = partner(wired, amount="1.00")
    number = ask(wired, code, "5.00", "FT2")
    closed = accounts.update().where(accounts.c.kind == "float").values(status="closed")
    wired.run(lambda c: c.execute(closed).rowcount)
    with pytest.raises(BadInput):
        approve(wired, number)
    assert balance(wired) == Decimal("1.00")


def test_without_the_key_of_the_reference_racers_fund_several_times(wired: Wired) -> None:
    partner(wired)
    barrier, now = Barrier(RACERS), wired.clock.now()
    wired.run(lambda c: floats.ensure(c, ACME, "NGN", now))

    def unguarded(number: int) -> bool:
        with wired.gateway.database.snapshot() as connection:
            used = ledger_store.has_movement(connection, "bank:FT1")
        barrier.wait(30)

        def book(connection: Connection) -> int:
            account = floats.find(connection, ACME, "NGN")
            assert account is not None
            at_bank = wired.gateway.books.system(connection, SETTLEMENT, "NGN", now, BANK)
            legs = (Leg(at_bank, Decimal("-9.00")), Leg(account, Decimal("9.00")))
            key = f"bank:FT1:{number}"
            return wired.gateway.books.post(connection, key, "fund", "FT1", legs, now)

        return not used and wired.run(book) > 0

    assert race(RACERS, unguarded).count(True) > 1


def funded_at_once(
    wired: Wired, fund: Callable[[int], object]
) -> tuple[Counter[str], Decimal, int]:
    """What eight racers got, what lies at the bank, and how many movements there are."""
    results = race(RACERS, fund)
    kinds = Counter(type(result).__name__ for result in results)
    return kinds, bank(wired), count(wired, movements, movements.c.kind == "fund")


def test_of_eight_racing_approvals_one_funds(wired: Wired) -> None:
    number = ask(wired, partner(wired), "10.00", "FT1")
    kinds, at_bank, booked = funded_at_once(
        wired, lambda n: approve(wired, number, f"cli:second-{n}")
    )
    assert kinds == {"Approval": 1, "BadInput": RACERS - 1}
    assert (at_bank, booked, balance(wired)) == (Decimal("10.00"), 1, Decimal("10.00"))
    assert wired.breaches() == []


def test_one_reference_raced_for_by_two_floats_funds_one_of_them(wired: Wired) -> None:
    for code in (ACME, "other"):
        partner(wired, code)
    funding, now = wired.gateway.partners.funding, wired.clock.now()

    def fund(number: int) -> str:
        details = {"owner": (ACME, "other")[number % 2], "amount": "10.00", "currency": "NGN"}
        return wired.run(lambda c: funding.fund(c, "FT1", details, now))

    kinds, at_bank, booked = funded_at_once(wired, fund)
    assert kinds == {"Fact": 1, "ReferenceUsed": RACERS - 1}
    assert (at_bank, booked) == (Decimal("10.00"), 1)
    assert sorted(str(balance(wired, code)) for code in (ACME, "other")) == ["10.00", "None"]
    assert wired.breaches() == []


def test_eight_references_at_once_on_a_new_float_make_one_float_and_the_sum(wired: Wired) -> None:
    code = partner(wired)
    numbers = [ask(wired, code, f"{n + 1}.01", f"FT{n}") for n in range(RACERS)]
    kinds, at_bank, booked = funded_at_once(wired, lambda n: approve(wired, numbers[n]))
    assert (kinds, booked) == ({"Approval": RACERS}, RACERS)
    assert at_bank == balance(wired) == Decimal("36.08")
    assert float_of(wired) is not None
    assert wired.breaches() == []
