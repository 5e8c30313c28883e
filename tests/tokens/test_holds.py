"""Who has suspended a token lets it go: a partner never what others have stopped."""

from functools import partial

import pytest
from sqlalchemy import update

from gateway.errors import BadInput
from gateway.tokens import suspend
from gateway.tokens.store import Holder, tokens
from tests.disputes.staging import Office
from tests.support.clock import SteppedClock
from tests.support.partner import Partner, partner
from tests.support.wired import Wired
from tests.withdrawals.staging import Desk

OTHERS = (Holder.OPERATOR, Holder.DISPUTE, Holder.RESTORE)


@pytest.fixture
def acme(wired: Wired) -> Partner:
    return partner(wired)


def token_of(acme: Partner) -> str:
    """The serial of a token that the partner has issued."""
    return str(acme.post("/tokens", {"amount": "50.00", "deliver": False}).json["serial"])


def stop(wired: Wired, serial: str, by: Holder) -> None:
    """Suspend it in somebody's name."""
    token, now = wired.token(serial), wired.clock.now()
    wired.run(lambda c: suspend.suspend(c, token, "console:ops", "fraud", now, by=by))


def resume(wired: Wired, serial: str, reason: str) -> None:
    """Resume it as an operator."""
    token, now = wired.token(serial), wired.clock.now()
    wired.run(lambda c: suspend.resume(c, token, "console:ops", reason, now, lambda _, __: None))


@pytest.mark.parametrize("by", OTHERS)
@pytest.mark.parametrize("deed", ["resume", "cancel"])
def test_a_partner_does_not_let_go_what_others_have_stopped(
    acme: Partner, by: Holder, deed: str
) -> None:
    serial = token_of(acme)
    stop(acme.wired, serial, by)
    answer = acme.post(f"/tokens/{serial}/{deed}")
    assert (answer.status_code, answer.json["code"]) == (409, "suspended"), answer.text
    assert acme.wired.token(serial).status == "suspended"
    assert acme.get("/float").json["balance"] == "9950.00"


@pytest.mark.parametrize(("deed", "end"), [("resume", "issued"), ("cancel", "cancelled")])
def test_a_partner_lets_go_what_it_has_suspended(acme: Partner, deed: str, end: str) -> None:
    serial = token_of(acme)
    acme.post(f"/tokens/{serial}/suspend")
    assert acme.wired.token(serial).held_by == "partner"
    assert acme.post(f"/tokens/{serial}/{deed}").json["status"] == end
    assert (acme.wired.token(serial).held_by, acme.wired.breaches()) == (None, [])


def test_one_that_was_suspended_before_it_said_by_whom_is_the_operators(acme: Partner) -> None:
    serial = token_of(acme)
    acme.post(f"/tokens/{serial}/suspend")
    acme.wired.run(lambda c: c.execute(update(tokens).values(held_by=None)))
    for deed in ("resume", "cancel"):
        assert acme.post(f"/tokens/{serial}/{deed}").json["code"] == "suspended"
    resume(acme.wired, serial, "")
    assert acme.wired.token(serial).status == "issued"


def test_an_operators_suspension_after_a_partners_own_is_not_the_partners(acme: Partner) -> None:
    serial = token_of(acme)
    acme.post(f"/tokens/{serial}/suspend")
    acme.post(f"/tokens/{serial}/resume")
    stop(acme.wired, serial, Holder.OPERATOR)
    assert acme.post(f"/tokens/{serial}/resume").json["code"] == "suspended"


def test_what_a_restore_has_stopped_needs_an_operators_reason(wired: Wired) -> None:
    serial = wired.issue().serial
    stop(wired, serial, Holder.RESTORE)
    token, now, retirer = wired.token(serial), wired.clock.now(), wired.gateway.desk.retirer
    for act in (
        partial(resume, wired, serial, " "),
        partial(wired.run, lambda c: retirer.cancel(c, token, "console:ops", "", now)),
    ):
        with pytest.raises(BadInput, match="a restore has stopped it"):
            act()
    resume(wired, serial, "its owner never had the money")
    assert (wired.token(serial).status, wired.token(serial).held_by) == ("issued", None)


def test_a_partner_cancels_nothing_that_is_disputed(acme: Partner) -> None:
    serial = token_of(acme)
    acme.post(f"/tokens/{serial}/suspend")
    office = Office(acme.wired, Desk(acme.wired))
    dispute = office.open(serial)
    assert acme.post(f"/tokens/{serial}/cancel").json["code"] == "disputed"
    office.end("reject", dispute)
    assert acme.post(f"/tokens/{serial}/cancel").json["status"] == "cancelled"


def test_a_dispute_that_is_closed_lets_nothing_go_that_a_restore_has_stopped(
    wired: Wired, clock: SteppedClock
) -> None:
    serial = wired.issue().serial
    office = Office(wired, Desk(wired))
    dispute = office.open(serial)
    assert wired.token(serial).held_by == "dispute"
    wired.run(lambda c: c.execute(update(tokens).values(held_by="restore")))
    office.end("reject", dispute)
    assert (wired.token(serial).status, wired.token(serial).held_by) == ("suspended", "restore")
