"""The console's outbox: what waits and since when, what failed and why, and a token sent again."""

from datetime import timedelta

import pytest
from sqlalchemy import Connection

from gateway.outbox import queue
from gateway.outbox import store as outbox
from gateway.outbox.queue import Lease
from gateway.outbox.store import Message, State
from gateway.people.staff.store import Role
from gateway.switches import board
from gateway.web.console.outbox import COUNT_MAX
from tests.support.clock import SteppedClock
from tests.support.races import race
from tests.support.wired import ADA, BELLO
from tests.web.staffed import Staffed, Visitor

REASON = 'africastalking: <b>403</b> & "no"'


def claimed(staffed: Staffed) -> Message:
    """The next one, in a worker's hands."""
    now = staffed.wired.clock.now()
    found = staffed.wired.run(lambda c: queue.claim_next(c, "worker", now))
    assert found is not None
    return found


def failed(staffed: Staffed, reason: str = REASON, to: str = ADA) -> tuple[int, str, str]:
    """A token whose text was refused: the row's number, the serial and the digits."""
    issued = staffed.wired.issue(to=to, deliver=True)
    message, now = claimed(staffed), staffed.wired.clock.now()
    staffed.wired.run(lambda c: queue.refused(c, Lease(message.id, "worker"), reason, now))
    return message.id, issued.serial, issued.reveal()


def shown(operator: Visitor, show: str) -> str:
    """One of the lists."""
    answer = operator.get(f"/console/outbox?show={show}")
    assert answer.status_code == 200
    return answer.text


def test_an_empty_outbox_says_what_would_appear(staffed: Staffed, operator: Visitor) -> None:
    assert "Nothing waits: every message and task has been seen to." in shown(operator, "")
    assert "Nothing has failed." in shown(operator, "failed")
    assert "Of everything that was handed over an answer came." in shown(operator, "unknown")
    assert "none is due" in shown(operator, "nonsense")


def test_each_message_stands_in_its_list_with_its_reason(
    staffed: Staffed, operator: Visitor
) -> None:
    _, serial, digits = failed(staffed)
    staffed.wired.issue(to=BELLO, deliver=True)
    unknown, now = claimed(staffed), staffed.wired.clock.now()
    lease = Lease(unknown.id, "worker")
    staffed.wired.run(lambda c: queue.unknown(c, lease, "africastalking", "no answer", now))
    waiting = staffed.wired.issue(to=BELLO, deliver=True).serial
    pages = {show: shown(operator, show) for show in ("waiting", "failed", "unknown", "all")}
    assert waiting in pages["waiting"]
    assert serial in pages["failed"]
    assert "africastalking: &lt;b&gt;403&lt;/b&gt;" in pages["failed"]
    assert "<b>403" not in pages["failed"]
    assert unknown.subject in pages["unknown"]
    assert "no answer" in pages["unknown"]
    for name in (serial, unknown.subject, waiting):
        assert name in pages["all"]
        assert sum(name in page for page in pages.values()) == 2
    for page in pages.values():
        assert digits not in page
        assert ADA not in page  # a list shows phones masked


def test_the_age_of_what_waits_longest_and_a_pause_are_said(
    staffed: Staffed, operator: Visitor, clock: SteppedClock
) -> None:
    staffed.wired.issue(to=ADA, deliver=True)
    clock.advance(minutes=7)
    staffed.wired.issue(to=ADA, deliver=True)
    page = shown(operator, "waiting")
    assert "due for 7 min, since" in page
    assert "2 Mar 2026, 10:00" in page
    assert "SMS are paused" not in page
    now = clock.now()
    staffed.wired.run(lambda c: board.throw(c, "sms", "cli:ops", "a storm", now, pause=True))
    assert "SMS are paused" in shown(operator, "waiting")


def test_a_message_shows_what_became_of_it_and_never_its_text(
    staffed: Staffed, operator: Visitor
) -> None:
    row, serial, digits = failed(staffed)
    text = operator.get(f"/console/outbox/{row}").text
    for words in (serial, ADA, "&lt;b&gt;403&lt;/b&gt;", "Send the token again", "None has come."):
        assert words in text
    assert digits not in text
    for number in ("999999", "9" * 18, "9" * 30, "-1", "x"):
        assert operator.get(f"/console/outbox/{number}").status_code == 404


def test_a_failed_token_is_sent_again_once_to_its_recipient_with_a_reason(
    staffed: Staffed, operator: Visitor
) -> None:
    row, serial, digits = failed(staffed)
    assert 'name="reprints" value="0"' in operator.get(f"/console/outbox/{row}").text
    for _ in range(2):
        fields = {"reason": "she has a phone again", "reprints": "0"}
        answer = operator.post(f"/console/outbox/{row}/resend", **fields)
        assert answer.location == f"/console/outbox/{row}?done=token-reprint"
    messages = staffed.wired.run(lambda c: outbox.about(c, serial))
    assert [(m.recipient, m.state) for m in messages] == [(ADA, "failed"), (ADA, "queued")]
    ope = f"staff:{staffed.member(Role.OPERATOR).id}:Ope Ade"
    assert staffed.trail(serial)[-1] == (ope, "token.resend", "she has a phone again")
    page = operator.get(f"/console/outbox/{row}?done=token-reprint").text
    assert "Its SMS goes to the recorded recipient once more." in page
    assert digits not in page


def test_one_form_sent_twice_at_once_sends_one_sms(staffed: Staffed, operator: Visitor) -> None:
    row, serial, _ = failed(staffed)
    clicks, fields = (operator, staffed.within(Role.OPERATOR)), {"reason": "asked", "reprints": "0"}

    def click(number: int) -> str:
        return str(clicks[number].post(f"/console/outbox/{row}/resend", **fields).location)

    assert race(2, click) == [f"/console/outbox/{row}?done=token-reprint"] * 2
    assert len(staffed.wired.run(lambda c: outbox.about(c, serial))) == 2


def test_without_a_reason_nothing_is_sent(staffed: Staffed, operator: Visitor) -> None:
    row, serial, _ = failed(staffed)
    answer = operator.post(f"/console/outbox/{row}/resend", reason=" ")
    assert answer.status_code == 422
    assert "Say why: the reason is blank." in answer.text
    assert len(staffed.wired.run(lambda c: outbox.about(c, serial))) == 1


@pytest.mark.parametrize("what", ["waiting", "spent", "note", "nothing"])
def test_what_cannot_be_sent_again_is_refused_in_the_page(
    staffed: Staffed, operator: Visitor, what: str
) -> None:
    row, _, digits = failed(staffed)
    if what == "waiting":
        staffed.wired.issue(to=ADA, deliver=True)
        row += 1
    elif what == "spent":
        staffed.wired.redeem(digits)
    elif what == "note":
        now = staffed.wired.clock.now()

        def work(connection: Connection) -> None:
            queue.add(connection, "x", "note", "", ADA, "en", now)
            outbox.move(connection, row + 1, (State.QUEUED,), State.FAILED, now)

        staffed.wired.run(work)
        row += 1
    else:
        row = 999
    answer = operator.post(f"/console/outbox/{row}/resend", reason="please")
    assert answer.status_code == (404 if what == "nothing" else 422)
    assert staffed.wired.run(lambda c: outbox.by_id(c, 1)).state == "failed"
    assert digits not in answer.text


def test_a_search_by_phone_or_serial_finds_messages_and_keeps_no_digits(
    staffed: Staffed, operator: Visitor
) -> None:
    _, serial, digits = failed(staffed)
    _, other, _ = failed(staffed, to=BELLO)
    by_phone = operator.post("/console/outbox", find="0803 000 0001")
    assert by_phone.location == "/console/outbox?show=all&to=%2B2348030000001"
    found = operator.get(by_phone.location).text
    assert (serial in found, other in found) == (True, False)
    by_serial = operator.post("/console/outbox", find=other.lower())
    found = operator.get(by_serial.location or "").text
    assert (serial in found, other in found) == (False, True)
    for entry in (digits, " ".join(digits), ""):
        refused = operator.post("/console/outbox", find=entry)
        assert refused.status_code == 422
        assert digits not in refused.text


def test_long_lists_are_read_page_by_page(staffed: Staffed, operator: Visitor) -> None:
    now = staffed.wired.clock.now()

    def work(connection: Connection) -> None:
        for n in range(60):
            queue.add(connection, f"cause:{n}", "note", f"S{n}.", ADA, "en", now)

    staffed.wired.run(work)
    first = shown(operator, "waiting")
    assert ("S59." in first, "S10." in first, "S9." in first) == (True, True, False)
    further = first.partition('">Next page')[0].rpartition('href="')[2].replace("&amp;", "&")
    rest = operator.get(further).text
    assert ("S9." in rest, "S0." in rest, "S10." in rest) == (True, True, False)


def test_counting_stops_at_a_bound(staffed: Staffed, operator: Visitor) -> None:
    now = staffed.wired.clock.now() + timedelta(days=1)

    def work(connection: Connection) -> None:
        for n in range(COUNT_MAX + 5):
            queue.add(connection, f"cause:{n}", "note", "", ADA, "en", now)

    staffed.wired.run(work)
    text = shown(operator, "waiting")
    assert f">{COUNT_MAX}<" in text
    assert "A thousand or more" in text
