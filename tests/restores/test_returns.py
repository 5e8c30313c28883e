"""While a restored backup is not reconciled nothing is paid back: it may have been spent since."""

from decimal import Decimal

import pytest

from gateway.restores import guard
from gateway.switches.restores import store as restores
from gateway.switches.restores.returns import UnderRestore
from gateway.tokens.sweep import expire_overdue
from tests.disputes.staging import Office, redeemed
from tests.menus.sending import ready, send
from tests.support.clock import SteppedClock
from tests.support.partner import partner
from tests.support.wired import ADA, BELLO, Wired
from tests.tokens.staging import wallet
from tests.withdrawals.staging import Desk


def begin(wired: Wired) -> None:
    """A backup has come back, and nobody has read the log yet."""
    wired.run(lambda c: guard.begin(c, "cli:ops", "the disk died", wired.clock.now()))


def end(wired: Wired) -> None:
    """It is reconciled."""
    wired.run(lambda c: restores.end(c, guard.current(c).id, "cli:ops", wired.clock.now()))


def test_a_partner_cancels_nothing_meanwhile_and_may_repeat_its_request(wired: Wired) -> None:
    acme = partner(wired)
    serial = acme.post("/tokens", {"amount": "50.00", "deliver": False}).json["serial"]
    begin(wired)
    answer = acme.post(f"/tokens/{serial}/cancel", again="c-1")
    assert (answer.status_code, answer.json["code"]) == (503, "temporarily_unavailable")
    assert acme.get("/float").json["balance"] == "9950.00"
    end(wired)
    assert acme.post(f"/tokens/{serial}/cancel", again="c-1").status_code == 200
    assert acme.get("/float").json["balance"] == "10000.00"
    assert wired.breaches() == []


def test_an_operator_cancels_nothing_meanwhile(wired: Wired) -> None:
    token = wired.token(wired.issue().serial)
    begin(wired)
    retirer = wired.gateway.desk.retirer
    with pytest.raises(UnderRestore):
        wired.run(lambda c: retirer.cancel(c, token, "cli:ops", "wrong", wired.clock.now()))
    assert (wired.token(token.serial).status, wired.breaches()) == ("issued", [])


def test_a_sender_takes_nothing_back_meanwhile(wired: Wired) -> None:
    ready(wired)
    serial = send(wired)
    begin(wired)
    call = wired.dial(ADA, "3*1*2")
    assert "Cancel token" in call.body
    assert call.send("1").startswith("END Sending is stopped for now.")
    assert wired.token(serial).status == "issued"
    assert wired.balance(ADA) == Decimal("500.00")


def test_a_sender_sends_nothing_to_another_number_meanwhile(wired: Wired) -> None:
    ready(wired)
    serial = send(wired)
    begin(wired)
    sends, now = wired.gateway.desk.sends, wired.clock.now()
    of_ada = wallet(wired, ADA)
    with pytest.raises(UnderRestore):
        wired.run(lambda c: sends.readdress(c, wired.token(serial), of_ada, BELLO, "intent-1", now))
    assert wired.token(serial).status == "issued"


def test_nothing_expires_meanwhile(wired: Wired, clock: SteppedClock) -> None:
    made = wired.issue()
    clock.advance(days=60)
    begin(wired)
    database, retirer = wired.gateway.database, wired.gateway.desk.retirer
    assert expire_overdue(database, retirer, clock) == 0
    assert wired.token(made.serial).status == "issued"
    end(wired)
    assert expire_overdue(database, retirer, clock) == 1
    assert wired.breaches() == []


@pytest.mark.parametrize("of", ["live", "redeemed"])
def test_no_dispute_is_refunded_meanwhile(wired: Wired, of: str) -> None:
    office = Office(wired, Desk(wired))
    dispute = office.open(redeemed(wired) if of == "redeemed" else wired.issue().serial)
    number = office.ask(dispute)
    begin(wired)
    with pytest.raises(UnderRestore):
        office.approve(number)
    with pytest.raises(UnderRestore):
        office.ask(dispute)
    assert office.now(dispute).state == "open"
    end(wired)
    office.approve(number)
    assert (office.now(dispute).state, wired.breaches()) == ("refunded", [])
