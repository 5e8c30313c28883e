"""`gateway deposits`: what is listed, confirmed alone, and released or reversed by two."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner

from gateway.cli.main import command_group
from gateway.errors import BadInput
from tests.deposits.staging import JUMA, NEEMA, Till, snippe_body

Run = Callable[..., Any]


@pytest.fixture
def run(tz: Till) -> Run:
    """Run `gateway deposits …` over the till; its JSON."""

    def call(*words: str, code: int = 0) -> Any:
        group = command_group(tz.gateway.parts)
        done = CliRunner().invoke(group, ["deposits", *words, "--json"])
        assert done.exit_code == code, done.output
        return done.output if code else json.loads(done.stdout)

    return call


def test_deposits_are_listed_by_state_and_by_suspense(tz: Till, run: Run) -> None:
    order = tz.order()
    tz.snippe(snippe_body("ORD-1001"))
    assert [d["origin"] for d in run("list")] == ["payment", "order"]
    assert [d["reference"] for d in run("list", "--state", "pending")] == [order.reference]
    (waiting,) = run("list", "--suspense")
    assert (waiting["amount"], waiting["currency"], waiting["known_as"]) == (
        "15000.00",
        "TZS",
        "ORD-1001",
    )


def test_an_order_is_shown_with_what_became_of_its_callbacks(tz: Till, run: Run) -> None:
    order = tz.order()
    for _ in range(2):
        tz.snippe(snippe_body(order.reference))
    shown = run("show", order.reference.lower())
    assert (shown["state"], shown["callbacks"]) == ("completed", ["credited", "duplicate"])


def test_a_confirmed_order_is_credited(tz: Till, run: Run) -> None:
    order = tz.order()
    tz.stated("snippe", "SYNX000001", "15000")
    words = (order.reference, "--txn-id", "SYNX000001", "--reason", "on the statement")
    assert run("confirm", *words)["state"] == "completed"
    assert str(tz.has(JUMA)) == "15000.00"
    assert "the order is completed" in run("confirm", *words, code=1)
    assert tz.breaches() == []


def test_without_a_statement_a_confirmation_waits_for_a_second_operator(tz: Till, run: Run) -> None:
    order = tz.order()
    asked = run("confirm", order.reference, "--txn-id", "SYNX000001", "--reason", "told so")
    assert (asked["kind"], str(tz.has(JUMA))) == ("deposit.confirm", "0.00")
    approvals, now = tz.gateway.approvals, tz.clock.now()
    mine = tz.run(lambda c: approvals.listed(c, now))[0].asked_by
    with pytest.raises(BadInput, match="yourself"):
        tz.run(lambda c: approvals.approve(c, asked["approval"], mine, now))
    tz.run(lambda c: approvals.approve(c, asked["approval"], "cli:another", now))
    assert (str(tz.has(JUMA)), tz.breaches()) == ("15000.00", [])


def test_nothing_leaves_suspense_on_one_operators_word(tz: Till, run: Run) -> None:
    tz.snippe(snippe_body("ORD-1001"))
    reference = tz.all()[0].reference
    assert run("show", reference)["credited_to"] == "suspense"
    to_neema = ("release", reference, "--to", NEEMA, "--reason", "hers")
    assert "no wallet yet" in run(*to_neema, code=1)
    asked = run(*to_neema, "--new-wallet")
    assert asked["kind"] == "suspense.release"
    assert str(tz.has(NEEMA)) == "0.00"
    approvals, now = tz.gateway.approvals, tz.clock.now()
    tz.run(lambda c: approvals.approve(c, asked["approval"], "cli:another", now))
    assert str(tz.has(NEEMA)) == "15000.00"
    assert run("show", reference)["credited_to"] == NEEMA
    assert tz.breaches() == []


def test_only_a_completed_deposit_is_reversed(tz: Till, run: Run) -> None:
    order = tz.order()
    assert "pending" in run("reverse", order.reference, "--reason", "x", code=1)
    tz.snippe(snippe_body(order.reference))
    assert run("reverse", order.reference, "--reason", "x")["kind"] == "deposit.reverse"
    assert "no deposit" in run("show", "D0", code=1)


def test_callbacks_that_are_in_no_books_are_listed_by_outcome(tz: Till, run: Run) -> None:
    order = tz.order()
    tz.snippe(snippe_body(order.reference))
    tz.snippe(snippe_body(order.reference, 99000))
    tz.snippe(b'{"data":1}')
    tz.airtel("ORD-1001")
    assert [one["became"] for one in run("callbacks")] == ["unmatched", "malformed", "conflict"]
    (conflict,) = run("callbacks", "--outcome", "conflict")
    assert (conflict["deposit"], conflict["txn_id"]) == (order.reference, "SYNX000001")
    assert conflict["reason"] == "its transaction came again over 99000.00 TZS"
    assert "body" not in conflict
    assert [one["became"] for one in run("callbacks", "--outcome", "credited")] == ["credited"]


def test_money_that_no_statement_has_is_not_booked(tz: Till, run: Run) -> None:
    words = ("book", "snippe", "--txn-id", "SYNX000001", "--reason", "on the statement")
    assert "no statement of snippe" in run(*words, code=1)
    tz.stated("snippe", "SYNX000001", "15000")
    assert run(*words)["kind"] == "deposit.book"
    assert str(tz.suspense("snippe")) == "0.00"
