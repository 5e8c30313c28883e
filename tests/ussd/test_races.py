"""Many phones at once, and equal requests at once, with the guard off and on (A3, U11)."""

import json
import random
import time
from decimal import Decimal

import pytest
from sqlalchemy import Connection

from gateway.ussd import journal
from tests.support.races import race
from tests.support.wired import ADA, Wired
from tests.ussd.posting import play, post

DIALOGUES, AT_ONCE = 100, 8
STEPS = (
    ("", b"CON Welcome."),
    ("4", b"CON My wallet"),
    ("4*0", b"CON Welcome."),
    ("4*0*4*1", b"END Balance NGN 0.00"),
)


def test_a_hundred_dialogues_in_parallel_get_each_the_reply_to_its_own_text(wired: Wired) -> None:
    chance = random.Random(1)
    pauses = [chance.uniform(0, 0.02) for _ in range(DIALOGUES)]

    def dialogues(lane: int) -> list[str]:
        wrong = []
        for number in range(lane, DIALOGUES, AT_ONCE):
            phone = f"+23480300{number:05d}"
            for text, begins in STEPS:
                reply = post(wired, text, f"S{number}", phone)
                if not reply.startswith(begins):
                    wrong.append(f"{text!r}: {reply!r}")
                time.sleep(pauses[number])
        return wrong

    assert race(AT_ONCE, dialogues) == [[]] * AT_ONCE


def unlocked(connection: Connection, state_key: bytes) -> journal.Session:
    """What the journal would read if it did not lock the dialogue."""
    steps, sessions = journal.ussd_steps, journal.ussd_sessions
    row = connection.execute(
        steps.select()
        .join(sessions, sessions.c.state_key == steps.c.state_key)
        .where(sessions.c.state_key == state_key)
        .order_by(steps.c.text_length.desc())
    ).first()
    assert row is not None
    place = json.loads(row.place)
    return journal.Session(
        row.state_key, row.text_length, row.text_digest, place["language"], place, place["open"]
    )


@pytest.mark.parametrize("guarded", [False, True])
def test_equal_requests_at_once_differ_without_the_journal_and_are_equal_with_it(
    wired: Wired, monkeypatch: pytest.MonkeyPatch, guarded: bool
) -> None:
    token = wired.issue().reveal()
    play(wired, "", "1")
    if not guarded:
        monkeypatch.setattr(journal, "read", unlocked)
        monkeypatch.setattr(journal, "add_step", lambda *_: None)
    replies = race(6, lambda _: post(wired, f"1*{token}"))
    assert (len({repr(reply) for reply in replies}) == 1) is guarded
    assert wired.balance() == Decimal("100.00")


def test_texts_of_one_dialogue_that_overtake_each_other_redeem_once(wired: Wired) -> None:
    token = wired.issue().reveal()
    texts = ["", "1", f"1*{token}", "1", "", f"1*{token}", "1*", f"1*{token}*1"]
    for _ in range(3):
        race(len(texts), lambda n: post(wired, texts[n]))
    outcomes = [post(wired, text, "S2") for text in ("", f"1*{token}")]
    assert wired.balance() in (Decimal("100.00"), Decimal("0.00"))
    assert outcomes[1].startswith(b"END You ")
    assert wired.balance() == Decimal("100.00")
    assert wired.breaches() == []


def test_redials_of_one_phone_at_once_leave_each_dialogue_its_own(wired: Wired) -> None:
    replies = race(8, lambda n: play(wired, "", "4", "4*1", session=f"S{n}", phone=ADA)[-1])
    assert replies == [b"END Balance NGN 0.00"] * 8
