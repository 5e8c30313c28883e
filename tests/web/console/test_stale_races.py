"""A change that comes between the look at the trail and the deed of a form."""

import threading
from collections.abc import Callable

import pytest
from sqlalchemy import Connection

from gateway.audit.searched import store as audit
from gateway.ledger import wallets
from gateway.ledger.operate import Deed
from gateway.people.staff.store import Role
from gateway.web.console import doing
from gateway.web.console.doing import By, Work
from tests.support.races import race
from tests.support.wired import ADA, Wired
from tests.tokens.staging import wallet
from tests.web.console.answers import led_to
from tests.web.console.forms import Form, kept, send
from tests.web.staffed import Staffed, Visitor
from wiring.wallets import wallet_operators

PERSON = f"/console/people?phone=%2B{ADA[1:]}"
RACERS = 4
PATIENCE = 2.0  # seconds; on SQLite whoever comes in between waits for the whole unit of work


def refrozen(wired: Wired) -> Callable[[], None]:
    """Somebody else, by command: lets the wallet go if it is frozen, and freezes it for fraud."""
    operators, now = wallet_operators(wired.gateway.core), wired.clock.now()

    def act() -> None:
        if status(wired) == "frozen":
            found = Deed("cli:root", "SIM found", now)
            wired.run(lambda c: operators.unfreeze(c, ADA, found))
        fraud = Deed("cli:root", "fraud: police", now)
        wired.run(lambda c: operators.freeze(c, ADA, fraud))

    return act


def status(wired: Wired) -> str:
    """How the wallet stands."""
    found = wired.run(lambda c: wallets.find(c, ADA, "NGN"))
    assert found is not None
    return found.status


@pytest.fixture
def one(wired: Wired, staffed: Staffed) -> Visitor:
    """An operator; the wallet exists."""
    wallet(wired, ADA, "100.00")
    return staffed.within(Role.OPERATOR)


@pytest.fixture
def old(one: Visitor) -> Form:
    """The form that lets the wallet go, of a page that was made while it was frozen."""
    led_to(send(one, kept(one, PERSON, "/console/people/freeze"), reason="SIM lost"))
    return kept(one, PERSON, "/console/people/unfreeze")


def between(monkeypatch: pytest.MonkeyPatch, other: Callable[[], None]) -> threading.Thread:
    """Let the other one act right after the look at the trail, in the form's unit of work."""
    looked, thread = doing.insist_seen, threading.Thread(target=other)

    def look(connection: Connection, by: By, subject: str) -> None:
        looked(connection, by, subject)
        thread.start()
        thread.join(PATIENCE)

    monkeypatch.setattr(doing, "insist_seen", look)
    return thread


def test_a_look_outside_of_the_unit_of_work_lets_go_what_was_frozen_anew(
    wired: Wired, one: Visitor, old: Form, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = refrozen(wired)

    def naive(subject: str, work: Work, *, asks: bool = False) -> Work:
        last = wired.run(lambda c: audit.last_about(c, subject))
        assert str(last) == doing.typed("seen")
        other()
        return work

    monkeypatch.setattr(doing, "unmoved", naive)
    led_to(send(one, old, reason="SIM found"))
    assert status(wired) == "active"  # although the police have asked


def test_a_look_before_the_lock_alone_is_not_enough_where_two_work_at_once(
    wired: Wired, one: Visitor, old: Form, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doing, "insist_alone", lambda *_: None)
    thread = between(monkeypatch, refrozen(wired))
    led_to(send(one, old, reason="SIM found"))
    thread.join()
    alone = wired.gateway.settings.database_url.startswith("sqlite")
    assert status(wired) == ("frozen" if alone else "active")


def test_what_is_frozen_anew_between_the_look_and_the_lock_stays_frozen(
    wired: Wired, one: Visitor, old: Form, monkeypatch: pytest.MonkeyPatch
) -> None:
    thread = between(monkeypatch, refrozen(wired))
    send(one, old, reason="SIM found")
    thread.join()
    last = wired.run(lambda c: audit.about_since(c, ADA, 0, 1))
    assert (status(wired), last[0].reason) == ("frozen", "fraud: police")


def test_clicks_at_the_same_moment_do_it_once_and_are_all_answered_as_done(
    wired: Wired, staffed: Staffed, one: Visitor
) -> None:
    form = kept(one, PERSON, "/console/people/freeze")

    def click(_: int) -> str:
        again = staffed.visitor()
        again.cookie = one.cookie
        return led_to(send(again, form, reason="SIM lost"))

    answers = race(RACERS, click)
    assert answers == [f"/console/people?phone=%2B{ADA[1:]}&done=wallet-freeze"] * RACERS
    assert [action for _, action, _ in staffed.trail(ADA)].count("wallet.freeze") == 1
