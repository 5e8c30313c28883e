"""Whatever reason a command is given: the digits of a token in it are kept nowhere (T3)."""

import pytest
from sqlalchemy import String, Text

from gateway.database.types import metadata
from tests.cli.conftest import CommandLine
from tests.end_to_end.leaks import rows_of
from tests.outlets.staging import Shop
from tests.support.wired import ADA, BELLO, Wired
from tests.tokens.staging import wallet
from tests.withdrawals.staging import Desk, Payer

# Columns with words of people or of other systems, and what masks them on their way in.
MASKED = {
    "approvals.outcome": "approvals",
    "approvals.reason": "approvals",
    "audit_trail.reason": "trail",
    "callbacks.reason": "providers.base.reading",
    "delivery_reports.reason": "outbox.reports.settle",
    "deposits.reason": "providers.base.reading",
    "outbox.reason": "channels: what an aggregator said of a message, never a person",
    "partner_endpoints.reason": "endpoints: our own words",
    "payout_events.reason": "withdrawals.events.store",
    "reconciliation_findings.note": "reconciliation.run",
    "shifts.accepted_reason": "outlets.shifts.closing",
    "switches.reason": "switches.board",
    "withdrawals.reason": "withdrawals.store",
}
FEW = 40  # characters; a column with fewer names something


def test_every_column_with_a_reason_is_known_here() -> None:
    words = ("reason", "note", "outcome", "comment", "why")
    found = {
        f"{table.name}.{column.name}"
        for table in metadata.tables.values()
        for column in table.columns
        if isinstance(column.type, String | Text)
        and (column.type.length or FEW + 1) > FEW
        and column.name.endswith(words)
    }
    assert found == set(MASKED)


def says(command_line: CommandLine, digits: str, *words: str, stdin: str | None = None) -> None:
    """A command that works, with digits in its reason."""
    command_line.said(*words, "--reason", f"she reads {digits} to me", stdin=stdin)


def kept(wired: Wired, digits: str) -> list[str]:
    """The columns that have the digits."""
    found = rows_of(wired.gateway.settings.database_url)
    return [column for column, value in found if digits in value]


@pytest.mark.parametrize("how", ["pay", "reject"])
@pytest.mark.parametrize("forced", [False, True])
def test_of_a_withdrawal(
    command_line: CommandLine, wired: Wired, how: str, *, forced: bool
) -> None:
    desk = Desk(wired, Payer(phone_prefixes=("+254",)))
    desk.fund()
    made, digits = desk.request(), wired.issue(to=ADA).reveal()
    words = ("--txn-id", "BANK-1") if how == "pay" else ()
    force = ("--force",) if forced else ()
    says(command_line, digits, "withdrawals", how, made.reference, *words, *force)
    if forced:  # somebody else approves it, and their reason goes the same way
        number, now = command_line.json("approvals", "list")[0]["id"], wired.clock.now()
        why, of = f"{digits} is right", wired.gateway.approvals
        wired.run(lambda c: of.approve(c, number, "staff:9:Else", now, why))
    assert command_line.json("withdrawals", "show", made.reference)["state"] != "held"
    assert kept(wired, digits) == []


def test_of_tokens_wallets_partners_switches_and_disputes(
    command_line: CommandLine, wired: Wired
) -> None:
    wallet(wired, ADA, "500.00")
    token, digits = wired.issue("60.00", to=ADA), wired.issue(to=BELLO).reveal()
    for path in (
        *(("tokens", verb, token.serial) for verb in ("suspend", "resume", "cancel")),
        *(("wallets", verb, ADA) for verb in ("verify", "freeze", "unfreeze")),
        ("wallets", "move", ADA, "+2348030000088"),
        ("pause", "sms"),
        ("resume", "sms"),
        ("house", "fund", "--amount", "50.00", "--reference", "FT-1"),
        ("approvals", "refuse", "1"),
        ("restore", "begin"),
        ("restore", "stop-all"),
    ):
        says(command_line, digits, *path)
    command_line.said("partners", "create", "--name", "Acme")
    for path in (("suspend",), ("resume",), ("key",), ("profile", "--language", "en")):
        says(command_line, digits, "partners", path[0], "acme", *path[1:])
    subject = wired.issue("10.00", to=ADA).serial
    says(command_line, digits, "disputes", "open", subject, "--for", ADA)
    (dispute,) = command_line.json("disputes", "list")
    says(command_line, digits, "disputes", "resolve", dispute["reference"], "reject")
    assert kept(wired, digits) == []


def test_of_outlets_tills_and_shifts(command_line: CommandLine, wired: Wired) -> None:
    shop, digits = Shop(wired).open(), wired.issue(to=BELLO).reveal()
    shift = shop.shift(cash="500.00")
    says(command_line, digits, "shifts", "count", str(shift.id), "1.00", "--counts", "0")
    now, by = wired.clock.now(), shop.manager()
    why = f"{digits} was wrong"
    shop.keyed(lambda c: shop.counter.send_back(c, shift.id, by, 1, why, now))
    shop.count("495.00")
    says(command_line, digits, "shifts", "accept", str(shift.id), "--counts", "2")
    till = f"{shop.outlet}/1"
    for path in (
        *(("tills", verb, till) for verb in ("freeze", "unfreeze")),
        ("tills", "limit", till, "700"),
        ("tills", "close", till),
        *(("outlets", verb, shop.outlet) for verb in ("freeze", "unfreeze")),
    ):
        says(command_line, digits, *path)
    assert kept(wired, digits) == []
