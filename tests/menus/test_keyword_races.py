"""One message delivered many times at once, and many messages at once: each acts as if alone."""

import pytest
from sqlalchemy import Connection

from gateway.channels.base import InboundSms
from gateway.database.outside import Made
from gateway.sms import store
from gateway.sms.inbound import Incoming, receive
from gateway.sms.wishes import store as wishes
from menus.keywords import NOTE
from tests.menus.test_keyword_resend import deliveries
from tests.menus.texting import answered, said
from tests.support.races import race
from tests.support.wired import ADA, Wired
from tests.web.sms_callbacks import outcomes, replies, text_in

COPIES = 16
NOTHING: Made = {}
UNKNOWN = "902100000000000014"


def message(text: str, message_id: str) -> InboundSms:
    """What an aggregator hands over."""
    return InboundSms("africastalking", message_id, ADA, "38400", text, None)


def unguarded(wired: Wired, text: str) -> str:
    """As `receive`, but looked up first and stored afterwards, with nothing unique about it."""
    now, act = wired.clock.now(), wired.gateway.keywords.act
    known = wired.run(lambda c: store.find(c, "africastalking", "m1"))
    if known is not None:
        return "known"
    row = wired.run(lambda c: stored_as(c, wired, text))
    return wired.run(lambda c: act(c, Incoming(ADA, text, row, now, NOTHING)))


def stored_as(connection: Connection, wired: Wired, text: str) -> int:
    """A row under an id of its own, as if there were no unique index."""
    c = store.inbound_sms.c
    count = connection.exec_driver_sql("SELECT coalesce(max(id), 0) FROM inbound_sms").scalar()
    return store.add(
        connection,
        **{c.channel.name: "africastalking", c.message_id.name: f"m1 {count}"},
        sender=ADA,
        recipient="38400",
        masked_text=text,
        text_digest=bytes(32),
        sent_at=None,
        received_at=wired.clock.now(),
        outcome="received",
    )


def guarded(wired: Wired, text: str) -> str:
    """The product's."""
    now, act = wired.clock.now(), wired.gateway.keywords.act

    def work(connection: Connection) -> str:
        return receive(connection, message(text, "m1"), ADA, bytes(32), act, now, NOTHING)

    return wired.gateway.database.run(work, keyed=True)


def notes(wired: Wired) -> int:
    """How many notes are queued."""
    return len([m for m in replies(wired) if m.template == NOTE])


def test_without_the_unique_row_copies_act_more_than_once(wired: Wired) -> None:
    race(COPIES, lambda _: unguarded(wired, "HELP"))
    assert notes(wired) > 1


def test_with_it_they_act_once(wired: Wired) -> None:
    assert race(COPIES, lambda _: guarded(wired, "HELP")) == ["help"] * COPIES
    assert notes(wired) == 1


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("STOP", "stopped"),
        ("START", "started"),
        ("HELP", "help"),
        ("BAL", "balance"),
        ("RESEND", "resent"),
        ("what?", "unknown"),
        (UNKNOWN, "not_valid"),
    ],
)
def test_sixteen_copies_through_the_real_route_act_once(
    wired: Wired, text: str, outcome: str
) -> None:
    wired.issue(to=ADA)
    answers = race(COPIES, lambda _: text_in(wired, text, "m1").status_code)
    assert answers == [200] * COPIES
    assert outcomes(wired) == [outcome]
    assert len(said(wired)) == 1
    assert wired.breaches() == []


def test_sixteen_first_stops_at_once_are_one_wish_and_one_answer(wired: Wired) -> None:
    race(COPIES, lambda number: text_in(wired, "STOP", f"m{number}"))
    assert sorted(outcomes(wired)) == ["stopped"] + ["stopped_before"] * (COPIES - 1)
    assert len(said(wired)) == 1


def test_stop_and_start_at_once_end_as_one_of_them(wired: Wired) -> None:
    text_in(wired, "STOP", "first")
    race(8, lambda number: text_in(wired, ("STOP", "START")[number % 2], f"m{number}"))
    stopped = wired.run(lambda c: wishes.is_stopped(c, ADA))
    assert answered(wired, "STOP", "last")[0] == ("stopped_before" if stopped else "stopped")


def test_an_impatient_person_gets_the_token_once_however_many_messages_ask(wired: Wired) -> None:
    wired.issue(to=ADA)
    race(5, lambda number: text_in(wired, "RESEND", f"m{number}"))
    assert sorted(outcomes(wired)) == ["on_its_way"] * 4 + ["resent"]
    assert len(deliveries(wired)) == 1
