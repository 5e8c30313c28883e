"""Redeeming one token: what the caller gets and is told, and what refusals leave as it was."""

from decimal import Decimal
from typing import Any

import pytest

from gateway.database.types import MONEY_MAX
from gateway.disputes.store import open_reference
from gateway.ledger import wallets
from gateway.outbox import store as outbox_store
from gateway.tokens import suspend
from gateway.tokens.guesses import store as guesses_store
from gateway.tokens.redeem import Answer, Outcome
from gateway.tokens.store import TO_PARTNER, TO_RECIPIENT
from tests.support.clock import SteppedClock
from tests.support.log import captured_log
from tests.support.wired import ADA, BELLO, LOOKUP_KEY, Wired
from tests.tokens.staging import (
    audit,
    brought_to,
    change,
    order,
    phone,
    plant,
    rows_of,
    wallet,
)
from tests.tokens.vectors import luhn_valid


def counted(wired: Wired, source: str) -> int:
    """How many tries a source has used up this hour."""
    found = wired.run(lambda c: guesses_store.read(c, [source])).get(source)
    return 0 if found is None else found.hour_count


def test_a_redeemed_token_is_in_the_wallet_and_its_receipt_is_queued(wired: Wired) -> None:
    issued = wired.issue("500.00", None)
    outcome = wired.redeem(issued.reveal(), BELLO)
    assert (outcome.answer, outcome.serial) == (Answer.REDEEMED, issued.serial)
    assert (outcome.amount, outcome.balance) == (Decimal("500.00"), Decimal("500.00"))
    token = wired.token(issued.serial)
    assert (token.redeemed_by, token.redeemed_channel) == (BELLO, "africastalking")
    assert token.redeemed_at == wired.clock.now()
    (receipt,) = wired.run(lambda c: outbox_store.about(c, issued.serial))
    assert (receipt.recipient, receipt.template) == (BELLO, "redeemed")
    assert (receipt.details["amount"], receipt.details["balance"]) == ("NGN 500.00",) * 2
    assert counted(wired, f"phone:{BELLO}") == 0
    assert wired.breaches() == []


def test_the_redeemer_is_told_when_and_how_much_and_is_not_paid_again(
    wired: Wired, clock: SteppedClock
) -> None:
    issued = wired.issue("500.00")
    at = clock.now()
    wired.redeem(issued.reveal())
    clock.advance(days=3)
    before = rows_of(wired)
    again = wired.redeem(issued.reveal())
    assert again == Outcome(Answer.ALREADY_YOURS, issued.serial, Decimal("500.00"), "NGN", at)
    assert rows_of(wired) == before
    assert wired.balance() == Decimal("500.00")
    assert counted(wired, f"phone:{ADA}") == 0


# How a token comes to be refused, and the reason that staff can read.
REFUSED: dict[str, tuple[str, dict[str, Any]]] = {
    "redeemed": ("redeemed", {}),
    "suspended": ("suspended", {}),
    "cancelled": ("cancelled", {}),
    "expired": ("expired", {}),
    "overdue": ("expired", {}),
    "late": ("suspended", {}),
    "foreign": ("bound to another phone", {"binding": TO_RECIPIENT}),
    "partner": ("bound to its partner", {"binding": TO_PARTNER, "issuer": "acme"}),
}


@pytest.mark.parametrize("digits", [18, 11])
@pytest.mark.parametrize("state", REFUSED)
def test_a_stranger_gets_the_answer_for_unknown_tokens_and_staff_the_reason(
    wired: Wired, state: str, digits: int
) -> None:
    reason, changes = REFUSED[state]
    issued = brought_to(wired, state, digits=digits, **changes)
    before = rows_of(wired)
    unknown = wired.redeem(luhn_valid(digits, 4711), BELLO)
    assert wired.redeem(issued.reveal(), BELLO) == unknown == Outcome(Answer.NOT_VALID)
    assert counted(wired, f"phone:{BELLO}") == 2
    # Unknown short tokens count where everybody's do; a long one cannot be guessed.
    assert counted(wired, "channel:africastalking") == (1 if digits == 11 else 0)
    assert audit(wired, issued.serial)[-1] == (BELLO, "token.refused", reason)
    assert rows_of(wired) == before
    assert wired.breaches() == []


def test_the_screens_for_all_refusals_are_equal(wired: Wired) -> None:
    entries = [luhn_valid(18, 4711), "0" * 18, "0" * 11, "123904567890123453"]
    entries += [brought_to(wired, state, **REFUSED[state][1]).reveal() for state in REFUSED]
    bodies = {
        wired.dial(phone(number + 1), f"1*{entry}").body for number, entry in enumerate(entries)
    }
    assert len(bodies) == 1
    assert bodies.pop().startswith("END This token cannot be redeemed.")


@pytest.mark.parametrize("digits", [18, 11])
def test_a_bound_token_redeems_for_its_recipient_alone(wired: Wired, digits: int) -> None:
    issued = wired.issue(to=ADA, digits=digits, binding=TO_RECIPIENT)
    assert wired.redeem(issued.reveal(), BELLO).answer is Answer.NOT_VALID
    assert wired.redeem(issued.reveal(), ADA).answer is Answer.REDEEMED


def test_a_partner_bound_token_does_not_redeem_for_its_recipient_either(wired: Wired) -> None:
    issued = wired.issue(to=ADA, binding=TO_PARTNER, issuer="acme")
    assert wired.redeem(issued.reveal(), ADA).answer is Answer.NOT_VALID


@pytest.mark.parametrize(
    "stopped",
    [{"status": "frozen"}, {"status": "closed"}, {"balance": MONEY_MAX - Decimal("99.99")}],
    ids=repr,
)
def test_a_wallet_that_cannot_take_the_money_leaves_the_token_live(
    wired: Wired, stopped: dict[str, Any]
) -> None:
    answer = Answer.WALLET_STOPPED if "status" in stopped else Answer.WALLET_FULL
    issued = wired.issue("100.00")
    account = wallet(wired, ADA, **stopped)
    before = rows_of(wired)
    outcome = wired.redeem(issued.reveal())
    assert outcome == Outcome(answer)
    assert wired.token(issued.serial).status == "issued"
    assert counted(wired, f"phone:{ADA}") == 0
    assert rows_of(wired) == before
    assert wired.balance() == account.balance
    assert wired.redeem(issued.reveal(), BELLO).answer is Answer.REDEEMED


def test_a_wallet_takes_exactly_as_much_as_fits(wired: Wired) -> None:
    issued = wired.issue("100.00")
    wallet(wired, ADA, balance=MONEY_MAX - Decimal("100.00"))
    assert wired.redeem(issued.reveal()).balance == MONEY_MAX
    assert wired.balance() == MONEY_MAX


def test_an_unfrozen_wallet_takes_the_token_after_all(wired: Wired) -> None:
    issued = wired.issue("100.00")
    account = wallet(wired, ADA)
    wired.run(lambda c: wallets.freeze(c, account))
    assert wired.redeem(issued.reveal()).answer is Answer.WALLET_STOPPED
    wired.run(lambda c: wallets.unfreeze(c, account))
    assert wired.redeem(issued.reveal()).answer is Answer.REDEEMED


def test_a_token_of_another_currency_goes_to_a_wallet_of_its_own(wired: Wired) -> None:
    wired.redeem(wired.issue("70.00").reveal())
    wanted, now = order(wired, "5.00", currency="KES"), wired.clock.now()
    issued = wired.run(lambda c: wired.gateway.issuer.issue(c, wanted, now))
    outcome = wired.redeem(issued.reveal())
    assert (outcome.currency, outcome.balance) == ("KES", Decimal("5.00"))
    found = wired.run(lambda c: wallets.find(c, ADA, "KES"))
    assert found is not None
    assert found.balance == Decimal("5.00")
    assert wired.balance() == Decimal("70.00")
    assert wired.breaches() == []


def test_digits_under_two_lookup_keys_redeem_nothing_and_alarm(
    database_url: str, clock: SteppedClock
) -> None:
    wired = Wired(database_url, clock, lookup_keys=f"p1:{LOOKUP_KEY},p2:{'5e' * 32}")
    digits = luhn_valid(18, 4711)
    planted = [plant(wired, digits, lookup_kid=kid) for kid in ("p1", "p2")]
    before = rows_of(wired)
    with captured_log() as log:
        assert wired.redeem(digits) == Outcome(Answer.UNAVAILABLE)
    (alarm,) = [line for line in log.lines() if line["event"] == "lookup_clash"]
    assert alarm["level"] == "error"
    assert sorted(alarm["serials"]) == sorted(token.serial for token in planted)
    assert {wired.token(token.serial).status for token in planted} == {"issued"}
    assert counted(wired, f"phone:{ADA}") == 0
    assert rows_of(wired) == before
    wired.close()


def test_two_tokens_of_one_phone_add_up(wired: Wired) -> None:
    for amount, balance in (("0.01", "0.01"), ("99.99", "100.00"), ("0.10", "100.10")):
        assert wired.redeem(wired.issue(amount).reveal()).balance == Decimal(balance)
    assert wired.balance() == Decimal("100.10")


def test_resumed_tokens_redeem_and_suspended_ones_wait(wired: Wired) -> None:
    issued = brought_to(wired, "suspended")
    assert wired.redeem(issued.reveal()).answer is Answer.NOT_VALID
    token, now = wired.token(issued.serial), wired.clock.now()
    wired.run(lambda c: suspend.resume(c, token, "test", "", now, open_reference))
    assert wired.redeem(issued.reveal()).answer is Answer.REDEEMED


def test_a_tampered_row_is_not_found_by_its_digits(wired: Wired) -> None:
    issued = wired.issue()
    change(wired, issued.serial, lookup=bytes(32))
    assert wired.redeem(issued.reveal()).answer is Answer.NOT_VALID
