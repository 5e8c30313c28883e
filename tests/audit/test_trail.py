"""The trail tells who did what and why, in the transaction that did it, without digits."""

import re
from decimal import Decimal

import pytest
from sqlalchemy import Connection

from gateway.audit import store, trail
from gateway.database.engine import Database
from gateway.errors import BadInput
from gateway.formats.facts import Made, Phone, Sum, Value, fact
from tests.support.clock import START

# A person's words, and what is kept of them.
REASONS: tuple[tuple[str, str], ...] = (
    ("", ""),
    ("lost phone", "lost phone"),
    ("page 3 of 12", "page 3 of 12"),
    ("caller read 902100000000000014 aloud", "caller read #### aloud"),
    ("caller read 9021 0000 0000 0000 14 aloud", "caller read #### aloud"),
    ("caller read 9021-0000.0000*000014", "caller read ####"),
    ("76543210983", "####"),
    ("７６５４３２１０９８３", "####"),
    ("her PIN is 4907", "her PIN is ####"),
    ("call +2348030000001", "call +####"),
    ("x" * 300, "x" * 200),
)


@pytest.mark.parametrize(("said", "kept"), REASONS)
def test_a_reason_is_kept_without_its_digits(database: Database, said: str, kept: str) -> None:
    database.run(lambda c: trail.record(c, "cli:ops", "token.suspend", "S1", START, said))
    (line,) = database.run(lambda c: store.about(c, "S1"))
    assert line.reason == kept
    assert (line.actor, line.action, line.subject, line.at) == (
        "cli:ops",
        "token.suspend",
        "S1",
        START,
    )


def test_digits_cut_by_the_limit_are_hidden_too(database: Database) -> None:
    said = "x" * 195 + " 902100000000000014"
    database.run(lambda c: trail.record(c, "cli:ops", "token.suspend", "S1", START, said))
    (line,) = database.run(lambda c: store.about(c, "S1"))
    assert "9" not in line.reason


def test_lines_about_a_subject_come_oldest_first_and_alone(database: Database) -> None:
    for subject, action in (("S1", "token.issue"), ("S2", "token.issue"), ("S1", "token.cancel")):
        database.run(
            lambda c, s=subject, a=action: trail.record(c, "ops", a, s, START)  # type: ignore[misc]
        )
    lines = database.run(lambda c: store.about(c, "S1"))
    assert [line.action for line in lines] == ["token.issue", "token.cancel"]


def test_what_is_rolled_back_leaves_no_trail(database: Database) -> None:
    def work(connection: Connection) -> None:
        trail.record(connection, "ops", "token.cancel", "S1", START)
        raise BadInput("no")

    with pytest.raises(BadInput):
        database.run(work)
    assert database.run(lambda c: store.about(c, "S1")) == []


def test_what_we_say_stays_readable_beside_masked_words(database: Database) -> None:
    said = fact("funded with {sum} by {who}", sum=Sum(Decimal("5000.00"), "NGN"), who="PIN 4907")
    why = "she read 902100000000000014"
    database.run(lambda c: trail.record(c, "cli:ops", "float.fund", "S1", START, why, said))
    (line,) = database.run(lambda c: store.about(c, "S1"))
    assert line.reason == "funded with NGN 5000.00 by PIN ####: she read ####"


# Whatever is put into a fact, neither a token's digits nor a PIN's come out of it.
VALUES: tuple[Value, ...] = (
    "902100000000000014",
    "9021 0000 0000 0000 14",
    "4907",
    902100000000000014,
    76543210983,
    Made("902100000000000014"),
    Made("76543210983"),
    Made("A76543210983"),
    Phone("76543210983"),
    Phone("902100000000000014"),
    Sum(Decimal("1.00"), "902100000000000014"),
)


@pytest.mark.parametrize("value", VALUES)
def test_no_token_gets_into_a_fact(database: Database, value: Value) -> None:
    said = fact("it was {value}", value=value)
    database.run(lambda c: trail.record(c, "cli:ops", "x", "S1", START, fact=said))
    (line,) = database.run(lambda c: store.about(c, "S1"))
    assert not re.search(r"\d{4}", line.reason)


def test_a_fact_that_was_handled_is_masked_as_any_text(database: Database) -> None:
    said = fact("{n}", n=12345) + " 902100000000000014"
    database.run(lambda c: trail.record(c, "cli:ops", "x", "S1", START, said))
    assert database.run(lambda c: store.about(c, "S1"))[0].reason == "####"
