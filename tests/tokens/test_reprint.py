"""Reprinting and resending: the same digits or an alarm, to the recorded phone, within a limit."""

from typing import Any

import pytest

from gateway.errors import DerivationMismatch, KeyMissing
from gateway.outbox import store as outbox_store
from gateway.tokens.keys.rings import KeyRings
from gateway.tokens.reprint import RESENDS_AN_HOUR, NoRecipient, Reprinter, ResendLimited
from tests.support.clock import SteppedClock
from tests.support.log import captured_log
from tests.support.races import race
from tests.support.wired import ADA, BELLO, GENERATE_KEY, LOOKUP_KEY, Wired
from tests.tokens.staging import audit, change, rows_of

OTHER_KEY = bytes(range(64, 96)).hex()


def reprint(wired: Wired, serial: str, reprinter: Reprinter | None = None) -> str:
    """The digits, in a unit of work."""
    token, now = wired.token(serial), wired.clock.now()
    using = reprinter or wired.gateway.reprinter
    return wired.run(lambda c: using.reprint(c, token, "cli:test", "lost", now))


def resend(wired: Wired, serial: str, actor: str = "cli:test") -> None:
    """One more SMS, in a unit of work."""
    token, now = wired.token(serial), wired.clock.now()
    wired.run(lambda c: wired.gateway.reprinter.resend(c, token, actor, now))


def sent_to(wired: Wired, serial: str) -> list[str]:
    """Who the messages about a token go to."""
    return [m.recipient for m in wired.run(lambda c: outbox_store.about(c, serial))]


@pytest.mark.parametrize("digits", [18, 11])
def test_three_reprints_give_the_same_digits_and_three_lines_in_the_trail(
    wired: Wired, digits: int
) -> None:
    issued = wired.issue(digits=digits)
    before = wired.token(issued.serial)
    assert [reprint(wired, issued.serial) for _ in range(3)] == [issued.reveal()] * 3
    after = wired.token(issued.serial)
    assert after.reprints == 3
    assert {name for name in after.__slots__ if getattr(after, name) != getattr(before, name)} == {
        "reprints"
    }
    assert audit(wired, issued.serial) == [("cli:test", "token.reprint", "lost")] * 3


TAMPERED: tuple[dict[str, Any], ...] = (
    {"lookup": bytes(32)},
    {"counter": 1},
    {"issue_ref": "another"},
    {"txn_id": "another"},
    {"digits": 11},
)


@pytest.mark.parametrize("changes", TAMPERED, ids=repr)
def test_a_tampered_row_shows_and_sends_nothing_and_alarms(
    wired: Wired, changes: dict[str, Any]
) -> None:
    issued = wired.issue(deliver=True)
    change(wired, issued.serial, **changes)
    before, rows = wired.token(issued.serial), rows_of(wired)
    with captured_log() as log:
        for attempt in (reprint, resend):
            with pytest.raises(DerivationMismatch):
                attempt(wired, issued.serial)
    alarms = [line for line in log.lines() if line["event"] == "derivation_mismatch"]
    assert [(line["level"], line["serial"]) for line in alarms] == [("error", issued.serial)] * 2
    assert (wired.token(issued.serial), rows_of(wired)) == (before, rows)
    assert audit(wired, issued.serial) == []
    wired.send_all()
    assert wired.gateway.inbox(ADA) == []


@pytest.mark.parametrize(
    ("generate", "lookup", "error"),
    [
        (f"k1:{OTHER_KEY}", f"p1:{LOOKUP_KEY}", DerivationMismatch),
        (f"k1:{GENERATE_KEY}", f"p1:{OTHER_KEY}", DerivationMismatch),
        (f"k2:{GENERATE_KEY}", f"p1:{LOOKUP_KEY}", KeyMissing),
        (f"k1:{GENERATE_KEY}", f"p2:{LOOKUP_KEY}", KeyMissing),
    ],
)
def test_a_wrong_or_missing_key_shows_nothing(
    wired: Wired, generate: str, lookup: str, error: type[Exception]
) -> None:
    issued = wired.issue()
    before = wired.token(issued.serial)
    with pytest.raises(error) as raised:
        reprint(wired, issued.serial, Reprinter(KeyRings.parse(generate, lookup)))
    assert issued.reveal() not in str(raised.value)
    assert wired.token(issued.serial) == before


def test_a_resend_goes_to_the_recorded_recipient_whoever_asks(wired: Wired) -> None:
    issued = wired.issue(to=ADA, deliver=True)
    resend(wired, issued.serial, actor=BELLO)
    assert sent_to(wired, issued.serial) == [ADA, ADA]
    assert audit(wired, issued.serial) == [(BELLO, "token.resend", "")]
    assert wired.send_all() == 2
    first, second = wired.gateway.inbox(ADA)
    assert first.text == second.text
    assert wired.gateway.inbox(BELLO) == []


def test_a_token_without_a_recipient_cannot_be_resent(wired: Wired) -> None:
    issued = wired.issue(to=None)
    with pytest.raises(NoRecipient):
        resend(wired, issued.serial)
    assert wired.token(issued.serial).reprints == 0


def test_resends_are_limited_within_an_hour_and_a_refused_one_counts_nothing(
    wired: Wired, clock: SteppedClock
) -> None:
    issued = wired.issue()
    for _ in range(RESENDS_AN_HOUR):
        resend(wired, issued.serial)
    for _ in range(10):
        with pytest.raises(ResendLimited):
            resend(wired, issued.serial)
    clock.advance(hours=1)
    with pytest.raises(ResendLimited):
        resend(wired, issued.serial)
    clock.advance(seconds=0.000001)
    resend(wired, issued.serial)
    assert wired.token(issued.serial).reprints == RESENDS_AN_HOUR + 1
    assert len(audit(wired, issued.serial)) == RESENDS_AN_HOUR + 1


def test_a_limited_resend_caught_in_a_menu_changes_nothing(wired: Wired) -> None:
    issued = wired.issue()
    for _ in range(RESENDS_AN_HOUR):
        resend(wired, issued.serial)
    before = wired.token(issued.serial)
    call = wired.dial()
    for entry in ("3", "1", "1"):
        call.send(entry)
    assert call.body.startswith("END This token was sent several times already.")
    assert wired.token(issued.serial) == before


def test_ten_racing_resends_send_as_many_as_the_limit(wired: Wired) -> None:
    issued = wired.issue()
    results = race(10, lambda _: resend(wired, issued.serial))
    assert results.count(None) == RESENDS_AN_HOUR
    assert {type(r) for r in results if r is not None} == {ResendLimited}
    assert len(sent_to(wired, issued.serial)) == RESENDS_AN_HOUR
    assert wired.send_all() == RESENDS_AN_HOUR
    assert len({sms.text for sms in wired.gateway.inbox(ADA)}) == 1
