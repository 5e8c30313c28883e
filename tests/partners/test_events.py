"""Events of partners' tokens: written with the change, once, numbered and listed in order."""

from datetime import timedelta

import pytest
from sqlalchemy import Connection, event, update

from gateway.outbox import final, store
from gateway.outbox.store import State, outbox
from gateway.partners.access import keys
from gateway.partners.events import feed
from gateway.tokens.redeem import Caller, Redeemer
from tests.partners.told import Told, told
from tests.support.clock import SteppedClock
from tests.support.partner import partner
from tests.support.wired import ADA, Wired


@pytest.fixture
def acme(wired: Wired) -> Told:
    return told(wired)


def listed(acme: Told, query: str = "") -> list[tuple[int, str, str]]:
    """The events as the partner reads them: number, type, serial."""
    answer = acme.acme.get(f"/events{query}")
    assert answer.status_code == 200, answer.text
    return [(one["seq"], one["type"], one["data"]["serial"]) for one in answer.json["events"]]


def test_each_end_of_a_token_is_told_once(acme: Told, clock: SteppedClock) -> None:
    soon = (clock.now() + timedelta(hours=1)).isoformat()
    redeemed, token = acme.token()
    (cancelled,) = acme.ended()
    expired, _ = acme.token(expires_at=soon)
    acme.wired.redeem(token)
    clock.advance(hours=2)
    acme.wired.gateway.chores()["tokens_expired"]()
    acme.wired.gateway.chores()["tokens_expired"]()
    found = {(kind, serial) for _, kind, serial in listed(acme)}
    assert found == {
        (feed.REDEEMED, redeemed),
        (feed.CANCELLED, cancelled),
        (feed.EXPIRED, expired),
    }
    assert [seq for seq, *_ in listed(acme)] == [1, 2, 3]
    assert acme.wired.breaches() == []


def test_a_redemption_at_a_counter_or_through_the_api_is_told_too(acme: Told) -> None:
    serial, token = acme.token()
    done = acme.acme.post("/redemptions", {"token": token, "payee": ADA})
    assert done.status_code == 201
    assert listed(acme) == [(1, feed.REDEEMED, serial)]


def test_a_token_of_the_house_or_of_a_person_has_no_event(acme: Told) -> None:
    acme.wired.redeem(acme.wired.issue().reveal())
    assert acme.events("house") == []
    assert acme.events() == []


def test_a_change_that_is_rolled_back_leaves_no_event(acme: Told) -> None:
    serial, _ = acme.token()

    token = acme.wired.token(serial)

    def half(connection: Connection) -> None:
        retirer, now = acme.wired.gateway.retirer, acme.wired.clock.now()
        retirer.cancel(connection, token, "test", "", now)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        acme.wired.run(half)
    assert (acme.events(), acme.wired.token(serial).status) == ([], "issued")


def test_an_sms_that_failed_for_good_is_told_once(acme: Told) -> None:
    made = acme.acme.post("/tokens", {"amount": "5.00", "recipient": ADA}).json
    acme.wired.run(
        lambda c: c.execute(
            update(outbox)
            .where(outbox.c.subject == made["serial"])
            .values(state=State.FAILED.value)
        )
    )
    chore = acme.wired.gateway.chores()["partners_told_undelivered"]
    assert (chore(), chore()) == (1, 0)
    assert listed(acme) == [(1, feed.UNDELIVERED, made["serial"])]


def test_an_sms_that_fails_after_days_is_told_all_the_same(acme: Told, clock: SteppedClock) -> None:
    """The network gives up when the message's validity ends, which may be days later."""
    made = acme.acme.post("/tokens", {"amount": "5.00", "recipient": ADA}).json
    wired = acme.wired
    row = wired.run(lambda c: store.about(c, made["serial"])[0].id)
    sent = {"state": State.SENT.value, "channel": "kannel", "handed_over_at": clock.now()}
    wired.run(lambda c: c.execute(update(outbox).values(sent)))
    clock.advance(days=5)
    assert wired.run(lambda c: final.fail(c, row, (State.SENT,), "expired", clock.now()))
    chore = wired.gateway.chores()["partners_told_undelivered"]
    assert (chore(), chore()) == (1, 0)
    assert listed(acme) == [(1, feed.UNDELIVERED, made["serial"])]


def test_test_money_has_events_of_its_own(acme: Told) -> None:
    play = Told(acme.wired, acme.acme.with_key(test=True))
    (serial,) = play.ended()
    assert listed(play) == [(1, feed.CANCELLED, serial)]
    assert listed(acme) == []


def test_a_partner_reads_its_own_events_alone_and_with_the_scope(acme: Told) -> None:
    acme.ended()
    other = Told(acme.wired, partner(acme.wired, "Other"))
    assert listed(other) == []
    narrow = acme.acme.with_key(keys.READ).get("/events")
    assert (narrow.status_code, narrow.json["code"]) == (403, "forbidden")
    assert other.acme.post("/events/1/replay").status_code == 404


def test_events_are_read_page_by_page_and_followed_later(acme: Told) -> None:
    acme.ended(3)
    first = acme.acme.get("/events?limit=2").json
    assert ([one["seq"] for one in first["events"]], first["next"], first["more"]) == (
        [1, 2],
        2,
        True,
    )
    rest = acme.acme.get(f"/events?after={first['next']}").json
    assert ([one["seq"] for one in rest["events"]], rest["more"]) == ([3], False)
    none_yet = acme.acme.get(f"/events?after={rest['next']}").json
    assert (none_yet["events"], none_yet["next"]) == ([], 3)
    acme.ended()
    assert [seq for seq, *_ in listed(acme, "?after=3")] == [4]


def test_events_of_a_time_can_be_asked_for(acme: Told, clock: SteppedClock) -> None:
    acme.ended()
    noon = clock.advance(hours=3)
    acme.ended()
    written = noon.isoformat().replace("+00:00", "Z")
    assert [seq for seq, *_ in listed(acme, f"?since={written}")] == [2]
    assert [seq for seq, *_ in listed(acme, f"?until={written}")] == [1]


@pytest.mark.parametrize("query", ["after=x", "after=-1", "after=7", "limit=0", "colour=red"])
def test_a_query_that_is_none_is_refused(acme: Told, query: str) -> None:
    answer = acme.acme.get(f"/events?{query}")
    assert (answer.status_code, answer.json["code"]) == (422, "invalid_request")


def test_a_redemption_of_the_houses_token_costs_no_statement_more(acme: Told) -> None:
    gateway = acme.wired.gateway
    deaf = Redeemer(gateway.rings, gateway.books)

    def statements(redeemer: Redeemer) -> int:
        token, now = acme.wired.issue().reveal(), acme.wired.clock.now()
        sent: list[str] = []

        def note(_: object, __: object, text: str, *___: object) -> None:
            sent.append(text)

        event.listen(gateway.database.engine, "before_cursor_execute", note)
        caller = Caller(ADA, "africastalking", "en")
        acme.wired.run(lambda c: redeemer.redeem(c, token, caller, now))
        event.remove(gateway.database.engine, "before_cursor_execute", note)
        return len(sent)

    for redeemer in (deaf, gateway.tokens.redeemer):
        statements(redeemer)  # the first learns who funds
    assert statements(gateway.tokens.redeemer) == statements(deaf)
