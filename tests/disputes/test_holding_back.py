"""An open dispute holds its subject back from every operator, also from one who is as fast."""

from collections import deque
from collections.abc import Callable
from decimal import Decimal

import pytest

from gateway.disputes.store import Dispute, open_reference
from gateway.errors import Disputed, Refused, Unreachable
from gateway.tokens import suspend
from gateway.tokens.store import Token
from gateway.withdrawals.operate import PAYOUT, Deed
from gateway.withdrawals.store import Withdrawal
from tests.disputes.staging import Office, suspended_by_somebody
from tests.support.clock import SteppedClock
from tests.support.races import race
from tests.support.wired import BELLO
from tests.tokens.staging import phone
from tests.withdrawals.staging import PAID, Desk

DEED = Deed("cli:other", "looked into it")
ROUNDS = 8
Act = Callable[[Office, Withdrawal], object]


def send(office: Office, made: Withdrawal) -> object:
    """`withdrawals send`."""
    operators, now = office.desk.parts.operators, office.wired.clock.now()
    return office.wired.run(lambda c: operators.resend(c, made.reference, DEED, now))


def pay(office: Office, made: Withdrawal) -> object:
    """`withdrawals pay`."""
    operators, now = office.desk.parts.operators, office.wired.clock.now()
    paid = (made.reference, f"BANK-{made.id}", "bank", DEED, now)
    return office.wired.run(lambda c: operators.pay(c, *paid))


def approve(office: Office, made: Withdrawal) -> object:
    """A second operator approves a large payout."""
    (waiting,) = [one for one in listed(office) if one[1] == made.reference]
    now, approvals = office.wired.clock.now(), office.desk.approvals
    return office.wired.run(lambda c: approvals.approve(c, waiting[0], "cli:second", now))


def listed(office: Office) -> list[tuple[int, str]]:
    """The payouts that wait for a second operator."""
    now, approvals = office.wired.clock.now(), office.desk.approvals
    found = office.wired.run(lambda c: approvals.listed(c, now))
    return [(one.id, one.subject) for one in found if one.kind == PAYOUT]


def resume(office: Office, token: Token) -> object:
    """`tokens resume`."""
    now = office.wired.clock.now()
    done = (token, "cli:other", "", now, open_reference)
    return office.wired.run(lambda c: suspend.resume(c, *done))


def by_hand(office: Office, number: int = 0) -> Withdrawal:
    """A withdrawal that a provider serves, and that an operator was left with."""
    office.desk.fund("1.00", phone(number))
    office.desk.payer.says = deque([Refused("not set up", alarm=True), PAID])
    made = office.desk.request("1.00", phone(number), f"intent-{number}")
    office.desk.work()
    assert office.desk.now(made).payout == "manual"
    return made


def large(office: Office, number: int = 0) -> Withdrawal:
    """A withdrawal that waits for a second operator."""
    office.desk.fund("1.00", phone(number))
    made = office.desk.request("1.00", phone(number), f"intent-{number}")
    now, operators = office.wired.clock.now(), office.desk.parts.operators
    waits = f"UPDATE withdrawals SET payout = 'none' WHERE id = {made.id}"
    office.wired.run(lambda c: c.exec_driver_sql(waits).rowcount)
    office.wired.run(lambda c: operators.ask_for_payout(c, made, now))
    return made


@pytest.mark.parametrize(
    ("stage", "act"), [(by_hand, send), (by_hand, pay), (large, approve)], ids=("send", "pay", "ok")
)
def test_no_operator_moves_a_disputed_payout_until_it_is_resolved(
    office: Office, stage: Callable[[Office], Withdrawal], act: Act
) -> None:
    made = stage(office)
    dispute = office.open(made.reference)
    with pytest.raises(Disputed, match=dispute.reference):
        act(office, made)
    office.desk.work()
    assert office.desk.now(made).payout == "manual"
    office.end("reject", dispute)
    act(office, made)
    office.desk.work()
    assert office.desk.now(made).state == "paid"
    assert office.wired.breaches() == []


def test_nobody_resumes_a_disputed_token_until_it_is_resolved(office: Office) -> None:
    serial = office.wired.issue("1.00", BELLO).serial
    suspended_by_somebody(office.wired, serial)
    dispute = office.open(serial)
    with pytest.raises(Disputed, match=dispute.reference):
        resume(office, office.wired.token(serial))
    office.end("reject", dispute)
    assert office.wired.token(serial).status == "suspended"  # as it was before the dispute
    resume(office, office.wired.token(serial))
    assert office.wired.token(serial).status == "issued"


def test_a_disputed_payout_can_still_be_given_back(office: Office) -> None:
    made = by_hand(office)
    office.open(made.reference)
    operators, now = office.desk.parts.operators, office.wired.clock.now()
    assert office.wired.run(lambda c: operators.reject(c, made.reference, DEED, now))
    assert office.desk.now(made).state == "rejected"


def test_a_call_that_got_through_to_nobody_is_not_made_again_under_a_dispute(
    office: Office, clock: SteppedClock
) -> None:
    opened: list[Dispute] = []

    class Payer(type(office.desk.payer)):  # type: ignore[misc]
        """Somebody complains while it is called."""

        def pay(self, payout: object) -> object:
            """No line, the first time."""
            if not opened:
                opened.append(office.open(made.reference))
            return super().pay(payout)

    desk = Desk(office.wired, Payer(says=deque([Unreachable("no line"), PAID])))
    desk.fund("1.00")
    made = desk.request("1.00")
    assert desk.work() == 1
    clock.advance(hours=2)
    assert (desk.work(), desk.now(made).payout) == (0, "manual")
    office.end("release", opened[0])
    desk.work()
    assert (desk.now(made).state, len(desk.payer.paid)) == ("paid", 2)
    assert office.wired.breaches() == []


def test_an_answer_from_before_the_lock_lets_a_disputed_payout_go(office: Office) -> None:
    made, now = by_hand(office), office.wired.clock.now()
    before = office.wired.run(lambda c: open_reference(c, made.reference))
    office.open(made.reference)
    operators = office.desk.parts.operators
    operators._open_dispute = lambda *_: before
    office.wired.run(lambda c: operators.resend(c, made.reference, DEED, now))
    office.desk.work()
    assert office.desk.now(made).state == "paid"  # though its dispute is open


def test_an_answer_from_before_the_lock_lets_a_disputed_token_go(office: Office) -> None:
    serial, now = office.wired.issue("1.00", BELLO).serial, office.wired.clock.now()
    suspended_by_somebody(office.wired, serial)
    before = office.wired.run(lambda c: open_reference(c, serial))
    office.open(serial)
    token = office.wired.token(serial)
    office.wired.run(lambda c: suspend.resume(c, token, "cli:other", "", now, lambda *_: before))
    assert office.wired.token(serial).status == "issued"


@pytest.mark.parametrize(
    ("stage", "act"), [(by_hand, send), (by_hand, pay), (large, approve)], ids=("send", "pay", "ok")
)
def test_a_payout_that_races_its_dispute_is_stopped_or_was_paid_before(
    office: Office, stage: Callable[[Office, int], Withdrawal], act: Act
) -> None:
    for number in range(ROUNDS):
        made = stage(office, number)

        def both(n: int, made: Withdrawal = made) -> object:
            return office.open(made.reference) if n else act(office, made)

        acted, opened = race(2, both)
        assert isinstance(opened, Dispute), opened
        assert isinstance(acted, Disputed) or not isinstance(acted, Exception), acted
        stands = (opened.kind, office.desk.now(made).payout)
        if act is pay and not isinstance(acted, Exception):
            assert stands == ("paid", "none")
        else:
            assert stands == ("held", "manual")
    assert office.wired.breaches() == []


def test_a_token_that_races_its_dispute_is_stopped_in_the_end(office: Office) -> None:
    for _ in range(ROUNDS):
        serial = office.wired.issue("1.00", BELLO).serial
        suspended_by_somebody(office.wired, serial)
        token = office.wired.token(serial)

        def both(n: int, token: Token = token) -> object:
            return office.open(token.serial) if n else resume(office, token)

        resumed, opened = race(2, both)
        assert isinstance(opened, Dispute), opened
        assert resumed is None or isinstance(resumed, Disputed)
        assert office.wired.token(serial).status == "suspended"
    assert office.wired.balance(BELLO) == Decimal("0.00")
