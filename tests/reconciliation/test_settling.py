"""Settlements of providers: gross, fee and net booked once per bank reference, by two operators."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from gateway.errors import BadInput
from gateway.ledger.reports.store import balances
from gateway.partners.funding import ReferenceUsed
from gateway.reconciliation.settling import APPROVAL, Advice
from tests.support.races import race
from tests.support.wired import Wired

ADVICE = Advice("snippe", Decimal("1000.00"), Decimal("12.50"), Decimal("987.50"), "NGN", "FT26061")


def ask(wired: Wired, advice: Advice = ADVICE) -> int:
    """Ask for it to be booked."""
    now, settling = wired.clock.now(), wired.gateway.partners.settling

    def work(connection: Any) -> int:
        details = settling.request(connection, advice)
        return wired.gateway.approvals.ask(
            connection, APPROVAL, advice.reference, details, "cli:first", "the advice", now
        )

    return wired.run(work)


def approve(wired: Wired, number: int, actor: str = "cli:second") -> str | None:
    """Let somebody else approve it."""
    now = wired.clock.now()
    return wired.run(lambda c: wired.gateway.approvals.approve(c, number, actor, now)).outcome


def booked(wired: Wired) -> dict[tuple[str, str], Decimal]:
    """The balances of all accounts that have one."""
    before = wired.clock.now().replace(year=2100)
    with wired.gateway.database.snapshot() as connection:
        return {(b.kind, b.owner): b.amount for b in balances(connection, before)}


def test_a_settlement_moves_gross_from_the_provider_net_to_the_bank_and_costs_the_fee(
    wired: Wired,
) -> None:
    assert approve(wired, ask(wired)) == "snippe settled NGN 987.50 net of 12.50"
    assert booked(wired) == {
        ("settlement", "snippe"): Decimal("1000.00"),
        ("settlement", "bank"): Decimal("-987.50"),
        ("fees", ""): Decimal("-12.50"),
    }
    assert wired.breaches() == []


def test_a_settlement_without_a_fee_has_two_entries(wired: Wired) -> None:
    approve(wired, ask(wired, replace(ADVICE, fee=Decimal("0.00"), net=ADVICE.gross)))
    assert ("fees", "") not in booked(wired)
    assert wired.breaches() == []


WRONG = {
    "a kobo less": {"net": Decimal("987.49")},
    "a kobo more": {"net": Decimal("987.51")},
    "a fee below zero": {"fee": Decimal("-12.50"), "net": Decimal("1012.50")},
    "all of it kept": {"fee": Decimal("1000.00"), "net": Decimal("0.00")},
    "more than it kept": {"fee": Decimal("1001.00"), "net": Decimal("-1.00")},
    "nothing": {"gross": Decimal("0.00"), "fee": Decimal("0.00"), "net": Decimal("0.00")},
    "no provider": {"provider": ""},
    "the bank itself": {"provider": "bank"},
    "no reference": {"reference": ""},
    "a long reference": {"reference": "F" * 36},
}


@pytest.mark.parametrize("name", WRONG)
def test_what_does_not_add_up_or_names_nobody_is_refused(wired: Wired, name: str) -> None:
    with pytest.raises(BadInput):
        ask(wired, replace(ADVICE, **WRONG[name]))  # type: ignore[arg-type]
    assert booked(wired) == {}


def test_what_was_tampered_with_before_its_approval_is_refused(wired: Wired) -> None:
    number = ask(wired)
    tampered = "UPDATE approvals SET details = REPLACE(details, '987.50', '997.50')"
    wired.run(lambda c: c.exec_driver_sql(tampered).rowcount)
    with pytest.raises(BadInput, match="gross"):
        approve(wired, number)
    assert booked(wired) == {}


def test_a_reference_is_booked_once_also_for_another_provider(wired: Wired) -> None:
    approve(wired, ask(wired))
    for advice in (ADVICE, replace(ADVICE, provider="selcom")):
        with pytest.raises(ReferenceUsed):
            ask(wired, advice)


def test_a_line_of_the_bank_funds_a_float_or_is_a_settlement_and_never_both(wired: Wired) -> None:
    approve(wired, ask(wired))
    funding, now = wired.gateway.partners.funding, wired.clock.now()
    of = (ADVICE.gross, "NGN")
    with pytest.raises(ReferenceUsed):
        wired.run(lambda c: funding.request(c, "house", *of, ADVICE.reference, now))
    details = wired.run(lambda c: funding.request(c, "house", *of, "FT2", now))
    wired.run(lambda c: funding.fund(c, "FT2", details, now))
    with pytest.raises(ReferenceUsed):
        ask(wired, replace(ADVICE, reference="FT2"))
    assert wired.breaches() == []


def test_whoever_asked_cannot_approve(wired: Wired) -> None:
    number = ask(wired)
    with pytest.raises(BadInput, match="yourself"):
        approve(wired, number, "cli:first")


def test_of_eight_racing_bookings_one_is_booked(wired: Wired) -> None:
    settling, now = wired.gateway.partners.settling, wired.clock.now()
    details = wired.run(lambda c: settling.request(c, ADVICE))
    results = race(
        8, lambda _: wired.run(lambda c: settling.settle(c, ADVICE.reference, details, now))
    )
    assert sorted(type(result).__name__ for result in results) == ["Fact"] + ["ReferenceUsed"] * 7
    assert booked(wired)["settlement", "bank"] == Decimal("-987.50")
    assert wired.breaches() == []
