"""Every column with room for a phone is decided about, and the rows of a busy day agree."""

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import Connection, LargeBinary, String, select
from sqlalchemy.sql.type_api import TypeEngine

import wiring.gateway
from gateway.database.types import metadata
from gateway.ledger.operate import Deed
from gateway.retention.holdings import columns
from gateway.retention.holdings.columns import OF_THE_STAFF, ROOM_MIN, SEARCHED, WITH_THE_ROW
from gateway.retention.holdings.sections import SECTIONS
from tests.deposits.staging import JUMA, Till, snippe_body, till
from tests.menus.sending import ready, send
from tests.menus.texting import answered
from tests.support.clock import SteppedClock
from tests.support.wired import ADA, BELLO, Wired

assert wiring.gateway.MENUS  # importing the wiring has brought every table into the metadata


def room(kind: TypeEngine[Any]) -> bool:
    """Whether a value of this type may be, or hold, a phone number."""
    length = getattr(kind, "length", None)
    return isinstance(kind, String | LargeBinary) and (length is None or length >= ROOM_MIN)


def roomy() -> list[str]:
    """Every column of the schema in which a phone number has room."""
    return [
        f"{table.name}.{column.name}"
        for table in metadata.sorted_tables
        for column in table.columns
        if room(column.type)
    ]


def test_every_column_with_room_for_a_phone_is_decided_about_once() -> None:
    decided = [*SEARCHED, *WITH_THE_ROW, *OF_THE_STAFF, *columns.never()]
    assert sorted(decided) == sorted(set(decided))
    assert sorted(decided) == sorted(roomy())


def test_every_section_shows_columns_that_there_are_and_nothing_secret() -> None:
    secret = ("hash", "digest", "lookup", "secret", "sealed", "counted", "body", "reply", "details")
    for section in SECTIONS:
        table = metadata.tables[section.table]
        assert set(section.shown) <= set(table.c.keys()), section.name
        assert not [n for n in section.shown if any(word in n for word in secret)], section.name
        for name in section.shown:
            assert not isinstance(table.c[name].type, LargeBinary), name


def naming(connection: Connection, phone: str) -> Iterator[str]:
    """Every column in which a phone stands, with or without its plus."""
    number = phone.removeprefix("+")
    for table in metadata.sorted_tables:
        for row in connection.execute(select(table)):
            for name, value in row._mapping.items():
                text = value.decode("latin-1") if isinstance(value, bytes) else str(value)
                if not isinstance(value, Decimal | datetime) and number in text:
                    yield f"{table.name}.{name}"


def decided(wired: Wired, phone: str) -> set[str]:
    """Where a phone stands; all of it is looked through, or comes with its row."""
    with wired.gateway.database.snapshot() as connection:
        found = set(naming(connection, phone))
    assert found <= {*SEARCHED, *WITH_THE_ROW}
    return found


def test_no_other_column_holds_a_phone_after_a_day_of_tokens(wired: Wired) -> None:
    ready(wired)
    send(wired)
    wired.redeem(wired.issue().reveal())
    wired.redeem("902100000000000014")
    wired.dial(text="4*4*1*100").send("1")
    answered(wired, "BAL", "mo-1")
    answered(wired, "STOP", "mo-2")
    wired.dial(text="5*1*2")
    wallets, now = wired.gateway.parts().wallets, wired.clock.now()
    deed = Deed("cli:ops", "he asked for it", now)
    wired.run(lambda c: wallets.freeze(c, ADA, deed))
    wired.send_all()
    found = decided(wired, ADA)
    assert {
        *("accounts.owner", "audit_trail.subject", "guess_counters.source", "inbound_sms.sender"),
        *("outbox.recipient", "pins.msisdn", "sms_wishes.msisdn", "subscribers.msisdn"),
        *("tokens.issuer", "tokens.redeemed_by", "ussd_sessions.msisdn"),
    } <= found
    assert "tokens.recipient" in decided(wired, BELLO)


@pytest.fixture
def tz(database_url: str, clock: SteppedClock) -> Iterator[Till]:
    """A gateway in Tanzania that takes money."""
    with till(database_url, clock) as made:
        yield made


def test_no_other_column_holds_a_phone_after_a_day_of_money(tz: Till) -> None:
    order = tz.order()
    tz.snippe(snippe_body(order.reference, phone=JUMA.removeprefix("+")))
    tz.snippe(snippe_body("ORD-1001", txn_id="SYNX000002", phone=JUMA.removeprefix("+")))
    found = decided(tz, JUMA)
    assert {"deposits.msisdn", "callbacks.body", "accounts.owner"} <= found
