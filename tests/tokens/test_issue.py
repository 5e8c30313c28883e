"""Issuing one token: what is stored, who pays, what is refused, and that refusals leave nothing."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import select

from gateway.database.types import metadata
from gateway.errors import BadInput, KeyMissing
from gateway.ledger.books import Books
from gateway.ledger.limits import InsufficientFunds, Stopped
from gateway.outbox.store import outbox
from gateway.tokens import code, store
from gateway.tokens.guesses import limits
from gateway.tokens.guesses import store as guesses
from gateway.tokens.issue import (
    BindingRequired,
    DuplicateIssueRef,
    Issuer,
)
from gateway.tokens.keys.rings import KeyRings
from gateway.tokens.store import TO_PARTNER, TO_RECIPIENT, UNBOUND
from tests.support.log import captured_log
from tests.support.wired import ADA, BELLO, GENERATE_KEY, LOOKUP_KEY, Wired
from tests.tokens.staging import (
    count,
    funded,
    order,
    rows_of,
    system_accounts,
    trail_of,
    wallet,
)


def refused(wired: Wired, kind: type[Exception], **changes: Any) -> str:
    """What an order is refused with; nothing at all may be left of it."""
    before = rows_of(wired)
    wanted, now = order(wired, **changes), wired.clock.now()

    def caught(connection: Any) -> str:
        # A menu may catch the error inside the unit of work, which then commits.
        with pytest.raises(kind) as found:
            wired.gateway.issuer.issue(connection, wanted, now)
        return str(found.value)

    text = wired.run(caught)
    assert rows_of(wired) == before
    assert wired.breaches() == []
    return text


def test_a_row_holds_what_was_ordered_and_never_the_digits(wired: Wired) -> None:
    wanted = {"issue_ref": "Ref-1", "issuer": "acme", "language": "fr", "sender_name": "Acme"}
    issued = wired.issue("500.00", BELLO, digits=11, binding=TO_RECIPIENT, **wanted)
    token = wired.token(issued.serial)
    assert (token.amount, token.currency, token.recipient) == (Decimal("500.00"), "NGN", BELLO)
    assert (token.issuer, token.issue_ref, token.language) == ("acme", "Ref-1", "fr")
    assert (token.status, token.binding, token.sender_name) == ("issued", TO_RECIPIENT, "Acme")
    assert (token.generate_kid, token.lookup_kid, token.counter) == ("k1", "p1", 0)
    assert token.lookup == code.lookup(bytes(range(32, 64)), "p1", issued.reveal())
    assert (token.issued_at, token.expires_at) == (wired.clock.now(), issued.expires_at)
    assert issued.reveal() not in repr(token)
    assert issued.reveal() not in repr(issued)
    assert wired.breaches() == []


def test_the_trail_names_the_actor_or_else_the_issuer(wired: Wired) -> None:
    assert trail_of(wired, wired.issue(issuer="acme").serial) == [("acme", "token.issue", "")]
    shown = wired.issue(actor="cli:test", reveal=True)
    lines = [("cli:test", action, "") for action in ("token.issue", "token.reveal")]
    assert trail_of(wired, shown.serial) == lines


def test_the_digits_are_in_no_line_of_the_log(wired: Wired) -> None:
    with captured_log("debug") as log:
        issued = wired.issue(deliver=True, issue_ref="Ref-1")
        with pytest.raises(DuplicateIssueRef) as error:
            wired.issue(issue_ref="Ref-1")
        wired.redeem(issued.reveal())
        wired.redeem(issued.reveal(), BELLO)
    assert issued.reveal() not in log.text() + str(error.value) + repr(error.value)


def test_the_digits_are_in_no_column_of_the_database(wired: Wired) -> None:
    issued = [wired.issue(deliver=True, digits=digits) for digits in (18, 11)]
    wired.redeem(issued[0].reveal())
    wired.redeem(issued[0].reveal(), BELLO)
    wired.send_all()
    stored = [
        str(value)
        for table in metadata.sorted_tables
        for row in wired.run(lambda c, t=table: c.execute(select(t)).all())  # type: ignore[misc]
        for value in row
    ]
    assert len(stored) > 100
    for each in issued:
        digits = each.reveal()
        assert not any(digits in value or code.grouped(digits) in value for value in stored)
        assert not any(digits[:8] in value for value in stored)


def test_an_sms_is_queued_only_when_it_was_asked_for(wired: Wired) -> None:
    delivered = wired.issue(deliver=True)
    wired.issue(deliver=False)
    wired.issue(deliver=True, to=None)
    assert count(wired, outbox) == 1
    assert count(wired, outbox, outbox.c.subject == delivered.serial) == 1
    assert count(wired, outbox, outbox.c.cause == f"deliver:{delivered.serial}") == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"amount": "0.00"},
        {"amount": "-5.00"},
        {"amount": "0.001"},
        {"amount": "NaN"},
        {"amount": "Infinity"},
        {"amount": "1e17"},
        {"digits": 12},
        {"digits": 17},
        {"issue_ref": "x" * 65},
        {"issue_ref": "x" * 5_000},
        {"issue_ref": " Ref"},
        {"issue_ref": "Ref "},
        {"issue_ref": "Ref\n"},
        {"issue_ref": "Réf"},
        {"issue_ref": "Ref\x00"},
        {"sender_name": "x" * 41},
        {"sender_name": "Acme\nNGN 1000000.00"},
        {"binding": TO_RECIPIENT, "recipient": None},
    ],
    ids=repr,
)
def test_a_bad_order_is_refused_and_leaves_nothing(wired: Wired, changes: dict[str, Any]) -> None:
    system_accounts(wired)
    assert refused(wired, BadInput, **changes)


def test_an_expiry_that_is_not_ahead_is_refused(wired: Wired) -> None:
    system_accounts(wired)
    now = wired.clock.now()
    assert "past" in refused(wired, BadInput, expires_at=now)
    assert wired.issue(expires_at=now + timedelta(microseconds=1)).serial


def test_references_differ_in_case_and_belong_to_their_issuer(wired: Wired) -> None:
    serials = [
        wired.issue(issuer=issuer, issue_ref=ref).serial
        for issuer, ref in (("acme", "Ref-1"), ("acme", "ref-1"), ("other", "Ref-1"))
    ]
    assert len(set(serials)) == 3
    for serial, ref in zip(serials[:2], ("Ref-1", "ref-1"), strict=True):
        with pytest.raises(DuplicateIssueRef) as error:
            wired.issue(issuer="acme", issue_ref=ref)
        assert error.value.serial == serial


def test_a_reference_used_twice_is_refused_with_the_serial_of_the_first(wired: Wired) -> None:
    first = wired.issue(issue_ref="Ref-1")
    refused(wired, DuplicateIssueRef, issue_ref="Ref-1")
    wired.redeem(first.reveal())
    refused(wired, DuplicateIssueRef, issue_ref="Ref-1")


def test_a_wallet_pays_for_its_token(wired: Wired) -> None:
    wallet(wired, ADA, "100.00")
    issued = funded(wired, ADA, "60.00")
    assert wired.balance(ADA) == Decimal("40.00")
    assert wired.token(issued.serial).amount == Decimal("60.00")
    funded(wired, ADA, "40.00")
    assert wired.balance(ADA) == Decimal("0.00")
    assert wired.breaches() == []


@pytest.mark.parametrize(
    ("changes", "amount", "error"),
    [
        ({}, "100.01", InsufficientFunds),
        ({"status": "frozen"}, "1.00", Stopped),
        ({"status": "closed"}, "1.00", Stopped),
    ],
)
def test_a_funder_that_cannot_pay_is_refused_at_once_with_the_reason(
    wired: Wired, changes: dict[str, str], amount: str, error: type[BadInput]
) -> None:
    system_accounts(wired)
    wallet(wired, ADA, "100.00", **changes)
    before = rows_of(wired)
    with pytest.raises(error):
        funded(wired, ADA, amount)
    assert rows_of(wired) == before
    assert wired.balance(ADA) == Decimal("100.00")
    assert wired.breaches() == []


def test_a_funder_in_another_currency_is_refused(wired: Wired) -> None:
    wallet(wired, ADA, "100.00")
    with pytest.raises(BadInput, match="in NGN"):
        funded(wired, ADA, "1.00", currency="KES")


def test_a_funder_read_before_its_money_went_is_judged_afresh(wired: Wired) -> None:
    stale = wallet(wired, ADA, "100.00")
    funded(wired, ADA, "100.00")
    wanted, now = order(wired), wired.clock.now()
    with pytest.raises(InsufficientFunds):
        wired.run(lambda c: wired.gateway.issuer.issue(c, wanted, now, stale))


def test_above_the_cap_an_11_digit_token_must_be_bound(
    wired: Wired, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "UNBOUND_SHORT_MAX", 1)
    wired.issue(digits=11)
    refused(wired, BindingRequired, digits=11)
    assert wired.issue(digits=18).serial
    assert wired.issue(digits=11, binding=TO_RECIPIENT).serial
    assert wired.issue(digits=11, binding=TO_PARTNER).serial


def test_the_breakers_budget_follows_a_bulk_issue_without_a_sweep(
    wired: Wired, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "LIVE_FLOOR", 2)
    for _ in range(2):
        wired.issue(digits=11)
    assert wired.run(lambda c: guesses.read(c, [limits.SHORT_BREAKER])) == {}
    wired.issue(digits=11)
    counter = wired.run(lambda c: guesses.read(c, [limits.SHORT_BREAKER]))[limits.SHORT_BREAKER]
    assert (counter.live, counter.day_max) == (3, limits.breaker_budget(3).a_day)


def test_the_cap_is_counted_at_issue_whatever_the_sweep_has_seen(
    wired: Wired, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "UNBOUND_SHORT_MAX", 2)
    cancelled = wired.issue(digits=11)
    wired.issue(digits=11, binding=TO_RECIPIENT)
    wired.issue(digits=18, binding=UNBOUND)
    wired.issue(digits=11)
    refused(wired, BindingRequired, digits=11)
    token, now = wired.token(cancelled.serial), wired.clock.now()
    wired.run(lambda c: wired.gateway.retirer.cancel(c, token, "test", "", now))
    assert wired.run(lambda c: store.live_unbound(c, code.SHORT)) == 1
    assert wired.issue(digits=11).serial


def rings(generate: str, lookup: str) -> Callable[[Wired], Issuer]:
    """An issuer of a process with other rings."""
    return lambda wired: Issuer(KeyRings.parse(generate, lookup), Books())


@pytest.mark.parametrize(
    "other",
    [
        rings(f"k9:{GENERATE_KEY}", f"p1:{LOOKUP_KEY}"),
        rings(f"k1:{GENERATE_KEY}", f"p9:{LOOKUP_KEY}"),
    ],
)
def test_a_process_without_the_write_key_issues_nothing(
    wired: Wired, other: Callable[[Wired], Issuer]
) -> None:
    system_accounts(wired)
    before, wanted = rows_of(wired), order(wired)
    with pytest.raises(KeyMissing):
        wired.run(lambda c: other(wired).issue(c, wanted, wired.clock.now()))
    assert rows_of(wired) == before
