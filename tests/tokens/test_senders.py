"""What the sender of a token is told of it: redeemed, expired, not delivered, each once."""

from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal

import pytest
from sqlalchemy import Connection

from gateway.ledger import floats
from gateway.ledger.books import Leg
from gateway.ledger.limits import UNCAPPED
from gateway.ledger.store import HOUSE
from gateway.outbox import final, store
from gateway.outbox.store import State, outbox
from gateway.tokens import notices
from gateway.tokens.store import tokens
from gateway.tokens.undelivered import LOOKED_BACK
from tests.support.clock import SteppedClock
from tests.support.races import race
from tests.support.wired import ADA, BELLO, Wired
from tests.tokens.staging import count, funded, order, phone, statements, wallet

CHIDI = "+2348030000003"


def told(wired: Wired, to: str) -> list[str]:
    """The templates of what was queued for a phone."""
    rows = wired.run(
        lambda c: c.execute(
            outbox.select().where(outbox.c.recipient == to).order_by(outbox.c.id)
        ).all()
    )
    return [row.template for row in rows]


def sent(wired: Wired, to: str | None = BELLO, amount: str = "5.00", sender: str = ADA) -> str:
    """A token that a wallet pays for, with its SMS; its serial."""
    return funded(wired, sender, amount, recipient=to, deliver=to is not None).serial


def redeem(wired: Wired, serial: str, by: str) -> None:
    """Redeem a token by its serial."""
    digits = wired.gateway.reprinter.digits(wired.token(serial))
    assert wired.redeem(digits, by).answer.value == "redeemed"


def fail(wired: Wired, template: str = "token") -> None:
    """Let the messages of a template fail for good."""
    change = outbox.update().where(outbox.c.template == template)
    wired.run(lambda c: c.execute(change.values(state=State.FAILED.value)).rowcount)


def chore(wired: Wired) -> int:
    """Let a worker look for senders to tell."""
    return wired.gateway.chores()["senders_told"]()


def test_a_sender_hears_of_the_redemption_and_the_redeemer_gets_the_receipt(wired: Wired) -> None:
    wallet(wired, ADA, "5.00")
    redeem(wired, sent(wired), BELLO)
    assert told(wired, ADA) == [notices.SPENT]
    assert told(wired, BELLO) == ["token", "redeemed"]


def test_a_recipient_hears_when_another_phone_redeemed_their_token(wired: Wired) -> None:
    wallet(wired, ADA, "5.00")
    serial = sent(wired)
    wired.send_all()
    redeem(wired, serial, CHIDI)
    wired.send_all()
    assert wired.gateway.inbox(BELLO)[0].text == (
        f"The token {serial} of NGN 5.00 that was sent to you was redeemed on 02/03/2026 10:00."
    )


def test_a_sender_who_redeems_their_own_token_gets_one_message(wired: Wired) -> None:
    wallet(wired, ADA, "5.00")
    redeem(wired, sent(wired, to=None), ADA)
    assert told(wired, ADA) == ["redeemed"]


@pytest.mark.parametrize("payer", ["house", "partner"])
def test_no_statement_is_sent_for_tokens_that_no_wallet_has_paid_for(
    wired: Wired, payer: str
) -> None:
    serials = [_paid_by(wired, payer) for _ in range(3)]
    digits = [wired.gateway.reprinter.digits(wired.token(serial)) for serial in serials]
    wired.redeem(digits[0], BELLO)
    with statements(wired.gateway.database) as log:
        wired.redeem(digits[1], BELLO)
    assert not any("JOIN accounts ON accounts.id = tokens.funder_id" in line for line in log)
    assert told(wired, BELLO) == ["redeemed", "redeemed"]
    assert count(wired, outbox) == 2


def _paid_by(wired: Wired, payer: str) -> str:
    if payer == "house":
        return wired.issue("5.00").serial
    now, wanted = wired.clock.now(), order(wired, "5.00", issuer="acme", caps=UNCAPPED)

    def work(connection: Connection) -> str:
        acme = floats.ensure(connection, "acme", "NGN", now)
        house = wired.gateway.books.system(connection, HOUSE, "NGN", now)
        legs = (Leg(house, Decimal("-5.00")), Leg(acme, Decimal("5.00")))
        made = count_of(connection)
        wired.gateway.books.post(connection, f"fund:{made}", "test", "", legs, now)
        return wired.gateway.issuer.issue(connection, wanted, now, acme).serial

    return wired.run(work)


def count_of(connection: Connection) -> int:
    """How many tokens there are, to name a movement by."""
    return len(connection.execute(tokens.select()).all())


def test_a_sender_hears_that_the_value_of_an_expired_token_came_back(
    wired: Wired, clock: SteppedClock
) -> None:
    wallet(wired, ADA, "5.00")
    serial = sent(wired)
    house = wired.issue("7.00")
    clock.advance(days=31)
    chores = wired.gateway.chores()
    assert chores["tokens_expired"]() == 2
    assert chores["tokens_expired"]() == 0
    wired.send_all()
    (message,) = wired.gateway.inbox(ADA)
    assert message.text == (
        f"Your token {serial} to +234 803 000 0002 expired. NGN 5.00 is back in your wallet."
    )
    assert wired.balance() == Decimal("5.00")
    assert wired.token(house.serial).status == "expired"
    assert wired.breaches() == []


def test_a_cancellation_by_an_operator_is_told_to_recipient_and_sender(wired: Wired) -> None:
    wallet(wired, ADA, "5.00")
    serial, now = sent(wired), wired.clock.now()
    wired.send_all()
    wired.run(lambda c: wired.gateway.retirer.cancel(c, wired.token(serial), "cli:ops", "", now))
    wired.send_all()
    assert f"Your token {serial} to" in wired.gateway.inbox(ADA)[0].text
    assert f"The token {serial} of" in wired.gateway.inbox(BELLO)[0].text


def test_a_cancelled_house_token_is_told_to_its_recipient_alone(wired: Wired) -> None:
    issued, now = wired.issue(to=BELLO, deliver=True), wired.clock.now()
    token = wired.token(issued.serial)
    wired.run(lambda c: wired.gateway.retirer.cancel(c, token, "cli:ops", "", now))
    assert told(wired, BELLO) == ["token", notices.CANCELLED]
    assert count(wired, outbox) == 2


def test_each_reads_their_own_language(wired: Wired) -> None:
    now = wired.clock.now()
    wired.run(lambda c: wired.gateway.subscribers.choose_language(c, ADA, "fr", now))
    wallet(wired, ADA, "5.00")
    serial = sent(wired)
    redeem(wired, serial, BELLO)
    wired.send_all()
    assert wired.gateway.inbox(ADA)[0].text.startswith(f"Votre jeton {serial} au +234 803")


def test_a_sender_hears_once_that_the_sms_failed(wired: Wired) -> None:
    wallet(wired, ADA, "5.00")
    serial = sent(wired)
    assert chore(wired) == 0
    fail(wired)
    assert [chore(wired), chore(wired)] == [1, 0]
    wired.send_all()
    (message,) = wired.gateway.inbox(ADA)
    assert message.text == (
        f"Your token {serial} of NGN 5.00 could not be delivered to +234 803 000 0002. In My"
        " tokens you can cancel it or send it elsewhere."
    )


def test_a_sender_hears_of_an_sms_that_failed_days_after_it_was_sent(
    wired: Wired, clock: SteppedClock
) -> None:
    wallet(wired, ADA, "5.00")
    serial = sent(wired)
    row = wired.run(lambda c: store.about(c, serial)[0].id)
    change = outbox.update().values(state=State.SENT.value)
    wired.run(lambda c: c.execute(change))
    now = clock.advance(days=5)
    assert wired.run(lambda c: final.fail(c, row, (State.SENT,), "expired", now))
    assert [chore(wired), chore(wired)] == [1, 0]


def test_each_failed_sms_is_told_for_itself(wired: Wired, clock: SteppedClock) -> None:
    wallet(wired, ADA, "5.00")
    token = wired.token(sent(wired))
    fail(wired)
    assert chore(wired) == 1
    now = clock.advance(hours=1)
    wired.run(lambda c: wired.gateway.reprinter.resend(c, token, ADA, now))
    assert chore(wired) == 0
    fail(wired)
    assert chore(wired) == 1


def test_workers_that_look_at_once_tell_each_sender_once(wired: Wired) -> None:
    for number in range(12):
        wallet(wired, phone(number), "5.00")
        sent(wired, sender=phone(number))
    fail(wired)
    done = race(4, lambda _: chore(wired))
    assert all(isinstance(one, int) for one in done), done
    assert count(wired, outbox, outbox.c.template == notices.UNDELIVERED) == 12


@pytest.mark.parametrize("why", ["house", "redeemed", "cancelled", "expired", "old"])
def test_nobody_is_told_of_a_failure_that_is_not_a_senders_to_mend(
    wired: Wired, clock: SteppedClock, why: str
) -> None:
    wallet(wired, ADA, "5.00")
    serial = sent(wired) if why != "house" else wired.issue(to=BELLO, deliver=True).serial
    token = wired.token(serial)
    if why == "redeemed":
        redeem(wired, serial, BELLO)
    elif why == "cancelled":
        wired.run(lambda c: wired.gateway.retirer.take_back(c, token, ADA, clock.now()))
    elif why == "expired":
        clock.advance(days=31)
    fail(wired)
    if why == "old":
        clock.advance(seconds=(LOOKED_BACK + timedelta(hours=1)).total_seconds())
    assert chore(wired) == 0


def test_the_worker_looks_by_itself(wired: Wired) -> None:
    tasks: Sequence[object] = [name for name, _ in _housekeeping(wired)]
    assert 60 in tasks


def _housekeeping(wired: Wired) -> Sequence[tuple[int, object]]:
    return wired.gateway.worker(1, None)._housekeeping
