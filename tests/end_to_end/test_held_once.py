"""Two debits of one wallet at once through two dialogues, and a cent that was planted in it."""

import json
from decimal import Decimal

from sqlalchemy import update

from gateway.ledger.store import accounts
from tests.end_to_end.calls import books_are_sound, phone
from tests.end_to_end.market import PIN, Market
from tests.support.races import race
from tests.support.wired import ADA

NIGERIA = {"GATEWAY_CURRENCY": "NGN"}
PAIRS = (("60", "60"), ("60", "70"), ("70", "60"))


def held(market: Market, caller: str, pair: tuple[str, str]) -> Decimal:
    """What is held after both amounts were asked for at once out of 100.00."""
    market.fund(caller, "100.00")
    market.set_pin(caller)
    asked = [market.dialled(caller, "4*4", "1", amount, "1") for amount in pair]
    answers = race(len(pair), lambda number: asked[number].send(PIN).text)
    done = [number for number, said in enumerate(answers) if "is on its way" in str(said)]
    assert len(done) == 1, answers
    refused = str(answers[1 - done[0]])
    assert refused.startswith("END "), answers
    assert "is less than" in refused
    return Decimal(pair[done[0]])


def test_of_two_withdrawals_at_once_out_of_one_wallet_one_is_held(market: Market) -> None:
    with market.open(NIGERIA, processes=2):
        for number, pair in enumerate(PAIRS):
            caller = phone(number)
            amount = held(market, caller, pair)
            left = Decimal("100.00") - amount
            assert market.wallet(caller) == (str(left), f"{amount}.00")
    assert market.booked("hold") == len(PAIRS)
    assert books_are_sound(market.installed)
    waiting = market.installed.json("withdrawals", "list")
    assert sum(Decimal(one["amount"]) for one in waiting) == sum(
        Decimal("100.00") - Decimal(market.wallet(phone(number))[0]) for number in range(len(PAIRS))
    )


def test_a_planted_cent_is_found_by_books_check_and_by_the_nightly_run(market: Market) -> None:
    market.installed.env.update(NIGERIA)
    market.fund(ADA, "100.00")
    planted = {"balance": accounts.c.balance + Decimal("0.01")}
    market.run(lambda c: c.execute(update(accounts).where(accounts.c.owner == ADA).values(planted)))
    check = market.installed.command("books", "check", "--json")
    assert check.returncode == 1
    assert any("0.01" in str(breach) for breach in json.loads(check.stdout)), check.stdout
    night = market.installed.command("reconcile", "--json")
    assert night.returncode == 1
    assert "books" in {one["kind"] for one in json.loads(night.stdout)["found"]}
