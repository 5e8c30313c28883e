"""`gateway outlets`, `tills` and `shifts`: set up, list, accept, settle."""

import re

from tests.cli.conftest import CommandLine
from tests.outlets.staging import AMA, Shop
from tests.support.clock import SteppedClock
from tests.support.wired import Wired

WHY = ("--reason", "as agreed")
COUNTS = ("--counts", "1")


def opened(command_line: CommandLine, wired: Wired) -> Shop:
    """An outlet with a till, set up by command."""
    made = command_line.json(
        "outlets", "create", "lag-1", "--name", "Ikeja <b>Mall</b>", "--settle-to", "GB00BANK1"
    )
    assert (made["code"], made["balance"], made["status"]) == ("LAG-1", "0.00", "open")
    till = command_line.json("tills", "create", "LAG-1", "--float-limit", "1000.00")
    assert (till["till"], till["float_limit"]) == ("LAG-1/1", "1000.00")
    return Shop(wired)


def test_an_outlet_and_its_tills_are_set_up_and_listed(
    command_line: CommandLine, wired: Wired
) -> None:
    opened(command_line, wired)
    command_line.json("tills", "create", "LAG-1", "--float-limit", "50")
    (outlet,) = command_line.json("outlets", "list")
    assert (outlet["name"], outlet["settle_to"]) == ("Ikeja <b>Mall</b>", "GB00BANK1")
    names = [till["till"] for till in command_line.json("tills", "list")]
    assert names == ["LAG-1/1", "LAG-1/2"]
    assert [t["till"] for t in command_line.json("tills", "list", "lag-1")] == names


def test_what_cannot_be_an_outlet_is_refused(command_line: CommandLine, wired: Wired) -> None:
    opened(command_line, wired)
    create = ("outlets", "create")
    named = ("--name", "Mall", "--settle-to", "X")
    for code in ("L", "LAG 1", "LAG-1/2", "A" * 17, "ÀB"):
        assert "2 to 16" in command_line.error(*create, code, *named)
    assert "already" in command_line.error(*create, "LAG-1", *named)
    assert "1 to 40" in command_line.error(*create, "ABC", "--name", " ", "--settle-to", "X")
    assert "1 to 64" in command_line.error(*create, "ABC", "--name", "M", "--settle-to", "")
    assert "no outlet" in command_line.error("tills", "create", "ABC", "--float-limit", "5")
    assert "above zero" in command_line.error("tills", "create", "LAG-1", "--float-limit", "0")


def test_an_operator_accepts_a_variance_once(command_line: CommandLine, wired: Wired) -> None:
    shop = opened(command_line, wired)
    shop.shift(cash="500.00")
    shop.pay("60.00")
    number = str(shop.count("439.00").id)
    (shift,) = command_line.json("shifts", "list", "--state", "counted")
    assert (shift["variance"], shift["till"]) == ("-1.00", "LAG-1/1")
    accepted = command_line.json("shifts", "accept", number, *COUNTS, *WHY)
    assert accepted["state"] == "closed"
    assert re.fullmatch("cli:.+", accepted["accepted_by"])
    assert command_line.json("shifts", "list", "--state", "counted") == []
    assert "no such shift" in command_line.error("shifts", "accept", "9", *COUNTS, *WHY)
    gone = str(shop.shift(cash="10.00").id)
    counted = command_line.json("shifts", "count", gone, "0", "--counts", "0", *WHY)
    assert (counted["state"], counted["variance"], counted["counts"]) == ("counted", "-10.00", 1)
    assert "somebody else must" in command_line.error("shifts", "accept", gone, *COUNTS, *WHY)
    older = command_line.error("shifts", "accept", gone, "--counts", "0", *WHY)
    assert "counted anew since you looked" in older
    assert wired.breaches() == []


def test_a_shift_that_a_manager_has_accepted_is_not_accepted_again(
    command_line: CommandLine, wired: Wired
) -> None:
    shop = opened(command_line, wired)
    shop.shift(cash="500.00")
    closed = shop.accept(shop.count("499.00"))
    assert "closed before" in command_line.error("shifts", "accept", str(closed.id), *COUNTS, *WHY)


def test_an_outlet_is_paid_after_a_clean_day(
    command_line: CommandLine, wired: Wired, clock: SteppedClock
) -> None:
    shop = opened(command_line, wired)
    details, now = {"owner": "house", "amount": "100.00", "currency": "NGN"}, clock.now()
    wired.run(lambda c: wired.gateway.partners.funding.fund(c, "BANK-1", details, now))
    clock.advance(days=3)
    shop.shift(cash="500.00")
    shop.pay("60.00")
    assert "nothing is owed" in command_line.error("outlets", "settle", "LAG-1", *WHY)
    shop.count("440.00")
    held = command_line.json("outlets", "settle", "LAG-1", *WHY)
    assert held["amount"] == "60.00"
    (outlet,) = command_line.json("outlets", "list")
    assert (outlet["balance"], outlet["held"]) == ("0.00", "60.00")
    pay = ("withdrawals", "pay", held["reference"], "--txn-id", "BANK1", *WHY)
    assert "no clean reconciliation" in command_line.error(*pay)
    clock.advance(days=1)
    command_line.said("reconcile")
    assert command_line.json(*pay)["state"] == "paid"
    assert wired.breaches() == []


def test_more_than_an_outlet_is_owed_is_not_settled(
    command_line: CommandLine, wired: Wired
) -> None:
    shop = opened(command_line, wired)
    shop.shift(cash="500.00")
    shop.pay("60.00")
    shop.count("440.00")
    settle = ("outlets", "settle", "LAG-1", *WHY, "--amount")
    assert "below the amount" in command_line.error(*settle, "60.01")
    first = command_line.json(*settle, "20.00")
    assert command_line.json("withdrawals", "show", first["reference"])["destination"] == (
        "GB00BANK1"
    )
    assert command_line.json("outlets", "settle", "LAG-1", *WHY)["amount"] == "40.00"
    assert wired.breaches() == []


def test_an_outlets_till_is_emptied_by_closing_it_alone(
    command_line: CommandLine, wired: Wired
) -> None:
    shop = opened(command_line, wired)
    shop.shift(cash="500.00")
    shop.pay("60.00")
    settle = ("withdrawals", "settle", "till", "LAG-1/1", "--to", "X", "--amount", "60.00", *WHY)
    assert "settle with the outlet" in command_line.error(*settle)


def test_tills_and_outlets_are_stopped_and_closed(command_line: CommandLine, wired: Wired) -> None:
    opened(command_line, wired)
    tills, outlets = ("tills",), ("outlets",)
    assert command_line.json(*tills, "freeze", "lag-1/1", *WHY)["status"] == "frozen"
    assert [t["status"] for t in command_line.json("tills", "list")] == ["frozen"]
    assert "is frozen" in command_line.error(*tills, "freeze", "LAG-1/1", *WHY)
    assert command_line.json(*tills, "unfreeze", "LAG-1/1", *WHY)["status"] == "open"
    assert command_line.json(*outlets, "freeze", "LAG-1", *WHY)["status"] == "frozen"
    assert command_line.json(*outlets, "unfreeze", "LAG-1", *WHY)["status"] == "open"
    limited = command_line.json(*tills, "limit", "LAG-1/1", "750", *WHY)
    assert limited["float_limit"] == "750.00"
    assert "close its tills first" in command_line.error(*outlets, "close", "LAG-1", *WHY)
    assert command_line.json(*tills, "close", "LAG-1/1", *WHY)["status"] == "closed"
    assert command_line.json(*outlets, "close", "LAG-1", *WHY)["status"] == "closed"
    assert "no till" in command_line.error(*tills, "close", "LAG-1/9", *WHY)
    assert wired.breaches() == []


def test_staff_is_taken_on_for_an_outlet_that_there_is(
    command_line: CommandLine, wired: Wired
) -> None:
    opened(command_line, wired)
    hire = ("staff", "create", "--name", "Ama", "--phone", AMA, "--pin-stdin", "--role")
    pin = "482719\n"
    refused = command_line.error(*hire, "cashier", "--outlet", "LAG-2", stdin=pin)
    assert "there is no outlet with this code: there is LAG-1" in refused
    assert "a manager works at an outlet: LAG-1" in command_line.error(*hire, "manager", stdin=pin)
    made = command_line.json(*hire, "cashier", "--outlet", "lag-1", stdin=pin)
    assert made["outlet"] == "LAG-1"
    create = ("outlets", "create", "ABJ-1", "--name", "Abuja", "--settle-to", "GB00BANK2")
    command_line.json(*create)
    moved = command_line.json("staff", "move", AMA, "--outlet", "abj-1", *WHY)
    assert moved["outlet"] == "ABJ-1"
    assert "at ABJ-1 already" in command_line.error("staff", "move", AMA, "--outlet", "ABJ-1", *WHY)
