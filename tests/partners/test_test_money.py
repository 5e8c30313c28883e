"""Test money is in nobody's way: no report, limit or budget of real money knows of it."""

from datetime import timedelta

import pytest
from sqlalchemy import Connection

from gateway.ledger.overview import store as overview
from gateway.ledger.reports.liabilities import liabilities
from gateway.reconciliation.run import Plan
from gateway.reconciliation.runs import store as runs
from gateway.tokens import code, store
from gateway.tokens.guesses import limits
from gateway.tokens.guesses import store as guesses
from tests.support.clock import SteppedClock
from tests.support.partner import Partner, partner
from tests.support.wired import ADA, Wired

HIDDEN = {"amount": "75.00", "digits": 11, "deliver": False}
UNKNOWN = "76543210983"  # 11 digits that were never issued


@pytest.fixture
def play(wired: Wired) -> Partner:
    return partner(wired).with_key(test=True)


def played(play: Partner) -> None:
    """A token redeemed, one cancelled and one live, all of 11 digits and unbound."""
    first, second, _ = (play.post("/tokens", HIDDEN).json for _ in range(3))
    redeemed = play.post("/redemptions", {"token": first["token"], "payee": ADA})
    assert redeemed.status_code == 201, redeemed.text
    assert play.post(f"/tokens/{second['serial']}/cancel").status_code == 200


def test_what_is_owed_and_what_the_nightly_run_proves_is_real_money(
    play: Partner, clock: SteppedClock
) -> None:
    played(play)
    wired, now = play.wired, play.wired.clock.now() + timedelta(seconds=1)
    with wired.gateway.database.snapshot() as connection:
        found = liabilities(connection, now)
    assert [(of.currency, str(of.owed), str(of.kept)) for of in found] == [
        ("NGN", "10000.00", "10000.00")
    ]
    assert wired.breaches() == []
    clock.advance(days=1)
    reconciler = wired.gateway.reconciler
    run = reconciler.run(Plan(reconciler.yesterday(), "", "test"), lambda _: None)
    with wired.gateway.database.snapshot() as connection:
        kinds = [found.kind for found in runs.findings_of(connection, run.id, 10)]
    assert kinds == ["no_statement"], "of the bank, which has the float; of nothing else"


def test_live_test_tokens_use_up_neither_the_breakers_budget_nor_the_room(
    play: Partner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "UNBOUND_SHORT_MAX", 2)
    played(play)
    wired = play.wired
    assert play.post("/tokens", HIDDEN).status_code == 201
    assert wired.run(lambda c: store.live_unbound(c, code.SHORT)) == 0
    assert wired.gateway.chores()["live_unbound_11_digit"]() == 0
    wired.issue(digits=11, to=None)
    assert wired.run(lambda c: store.live_unbound(c, code.SHORT)) == 1


def test_wrong_test_tokens_count_for_the_partners_tests_alone(play: Partner) -> None:
    for _ in range(3):
        assert play.post("/lookups", {"token": UNKNOWN}).json["code"] == "not_found"
    names = ("partner:acme:test", "partner:acme", limits.SHORT_BREAKER, "channel:api")
    counted = play.wired.run(lambda c: guesses.read(c, names))
    assert {name: counter.hour_count for name, counter in counted.items()} == {
        "partner:acme:test": 3
    }


def test_an_open_breaker_withholds_no_test_token(play: Partner) -> None:
    wired, token = play.wired, play.post("/tokens", HIDDEN).json["token"]
    now = wired.clock.now()

    def closed(connection: Connection) -> None:
        for _ in range(limits.breaker_budget(0).a_day):
            limits.miss(connection, "api", code.SHORT, now)

    wired.run(closed)
    real = Partner(wired, play.client, play.key, play.code).with_key()
    assert real.post("/lookups", {"token": UNKNOWN}).json["code"] == "temporarily_unavailable"
    assert play.post("/lookups", {"token": token}).status_code == 200


def test_the_consoles_front_page_counts_no_test_redemption(play: Partner) -> None:
    played(play)
    wired, now = play.wired, play.wired.clock.now()
    wired.redeem(wired.issue().reveal())
    bounds = [now - timedelta(hours=1), now + timedelta(hours=1)]
    with wired.gateway.database.snapshot() as connection:
        assert overview.moved(connection, "redeem", bounds) == [1]
